import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, realpath, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { reasonOf } from '../../../client/file-error.ts'
import type { Context } from '../../context.ts'
import { EXIT, PartialFailure, usage } from '../../exit.ts'
import { formatMaxDelete } from './max-delete.ts'
import { launchdAgent, systemdUnit, type Service } from './service-files.ts'
import type { SyncRequest } from './comparison.ts'

/** What the service needs of this shell's environment. A token is a secret, so it stays out of the file. */
const KEPT_VARIABLES = ['DOCSEARCH_DATA', 'DOCSEARCH_PROFILE', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME']

interface Manager {
  file: string
  content: string
  /** Commands that start the service. */
  start: readonly (readonly [string, ...string[]])[]
  stop: readonly (readonly [string, ...string[]])[]
}

/** Writes and starts a service of this user that runs `docsearch sync --watch`. Returns the exit code. */
export async function installService(context: Context, request: SyncRequest): Promise<number> {
  if (context.io.env['DOCSEARCH_TOKEN'])
    throw usage('DOCSEARCH_TOKEN is set, but the service cannot use it. Unset it, and log in with `docsearch login`.')
  const { file, content, start } = await managerFor(context, request)
  await mkdir(join(file, '..'), { recursive: true })
  await writeFile(file, content)
  try {
    for (const [command, ...args] of start) await run(command, args)
  } catch (error) {
    throw new PartialFailure(`${file} is written, but the service did not start: ${reasonOf(error)}`)
  }
  context.notice(`Wrote ${file} and started it. It syncs ${request.folder} whenever the folder changes.`)
  return EXIT.done
}

/** Stops the service and removes its file. Returns the exit code. */
export async function uninstallService(context: Context, request: SyncRequest): Promise<number> {
  const { file, stop } = await managerFor(context, request)
  const failures: string[] = []
  for (const [command, ...args] of stop) await run(command, args).catch((error: unknown) => failures.push(reasonOf(error)))
  const wasThere = await rm(file).then(
    () => true,
    () => false,
  )
  if (!wasThere) throw usage(`There is no service for ${request.folder} and the project ${request.project} (${file}).`)
  if (failures.length > 0) throw new PartialFailure(`${file} is removed, but the service may still run: ${failures[0]}`)
  context.notice(`Stopped the service and removed ${file}.`)
  return EXIT.done
}

async function managerFor(context: Context, request: SyncRequest): Promise<Manager> {
  const { env } = context.io
  const { address } = await context.target()
  const folder = await realpath(request.folder)
  const service: Service = {
    folder,
    command: [process.execPath, process.argv[1] ?? '', ...argumentsOf(request, folder, address)],
    environment: Object.fromEntries(KEPT_VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]] as const] : []))),
  }
  const id = createHash('sha256')
    .update(JSON.stringify([folder, address, request.project]))
    .digest('hex')
    .slice(0, 8)
  const label = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  const name = ['docsearch-sync', label, id].filter(Boolean).join('-')
  const home = env['HOME'] || homedir()
  if (process.platform === 'linux') {
    const unit = `${name}.service`
    return {
      file: join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'systemd', 'user', unit),
      content: systemdUnit(service),
      start: [
        ['systemctl', '--user', 'daemon-reload'],
        ['systemctl', '--user', 'enable', '--now', unit],
      ],
      stop: [['systemctl', '--user', 'disable', '--now', unit]],
    }
  }
  if (process.platform === 'darwin') {
    const file = join(home, 'Library', 'LaunchAgents', `${name}.plist`)
    const domain = `gui/${process.getuid?.() ?? 0}`
    return {
      file,
      content: launchdAgent(name, service),
      start: [['launchctl', 'bootstrap', domain, file]],
      stop: [['launchctl', 'bootout', `${domain}/${name}`]],
    }
  }
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

/** Throws an error with what the program printed. */
function run(command: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(command, args, (error, _, stderr) => {
      if (error === null) resolve()
      else reject(new Error(stderr.trim() || reasonOf(error)))
    })
  })
}
