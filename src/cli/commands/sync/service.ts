import { createHash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Context } from '../../context.ts'
import { EXIT, usage } from '../../exit.ts'
import { install, keptVariables, type Manager, uninstall, userManager } from '../../service/manager.ts'
import { formatMaxDelete } from './max-delete.ts'
import type { SyncRequest } from './comparison.ts'

/** Writes and starts a service of this user that runs `docsearch sync --watch`. Returns the exit code. */
export async function installService(context: Context, request: SyncRequest): Promise<number> {
  if (context.io.env['DOCSEARCH_TOKEN'])
    throw usage('DOCSEARCH_TOKEN is set, but the service cannot use it. Unset it, and log in with `docsearch login`.')
  const manager = await managerFor(context, request)
  await install(manager)
  context.notice(`Wrote ${manager.file} and started it. It syncs ${request.folder} whenever the folder changes.`)
  return EXIT.done
}

/** Stops the service and removes its file. Returns the exit code. */
export async function uninstallService(context: Context, request: SyncRequest): Promise<number> {
  const manager = await managerFor(context, request)
  if (!(await uninstall(manager)))
    throw usage(`There is no service for ${request.folder} and the project ${request.project} (${manager.file}).`)
  context.notice(`Stopped the service and removed ${manager.file}.`)
  return EXIT.done
}

async function managerFor(context: Context, request: SyncRequest): Promise<Manager> {
  const { env } = context.io
  const { address } = await context.target()
  const folder = await realpath(request.folder)
  const service = {
    description: `Keep ${folder} in docsearch`,
    command: [process.execPath, process.argv[1] ?? '', ...argumentsOf(request, folder, address)],
    environment: keptVariables(env, ['DOCSEARCH_DATA', 'DOCSEARCH_PROFILE']),
  }
  const id = createHash('sha256')
    .update(JSON.stringify([folder, address, request.project]))
    .digest('hex')
    .slice(0, 8)
  const label = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  const manager = userManager(['docsearch-sync', label, id].filter(Boolean).join('-'), service, env)
  if (manager !== null) return manager
  throw usage('--install needs systemd or launchd. Start `docsearch sync --watch` with the tool of your system instead.')
}

function argumentsOf(request: SyncRequest, folder: string, address: string): string[] {
  const { selection, tags, maxDelete } = request
  return [
    '--server',
    address,
    'sync',
    folder,
    '--project',
    request.project,
    '--watch',
    ...tags.flatMap((tag) => ['--tag', tag]),
    ...(request.prunes ? ['--prune', '--max-delete', formatMaxDelete(maxDelete)] : []),
    ...(request.isWholeProject ? ['--whole-project'] : []),
    ...selection.exclude.flatMap((glob) => ['--exclude', glob]),
    ...(selection.maxSize === undefined ? [] : ['--max-size', String(selection.maxSize)]),
    ...(selection.gitignore ? [] : ['--no-gitignore']),
    ...(selection.followLinks ? ['--follow-links'] : []),
  ]
}
