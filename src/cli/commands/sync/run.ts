import { realpath } from 'node:fs/promises'
import type { Context } from '../../context.ts'
import { EXIT, usage } from '../../exit.ts'
import { chooseDestination } from '../upload/destination.ts'
import { DEFAULT_MAX_DELETE, formatMaxDelete, parseMaxDelete, type MaxDelete } from './max-delete.ts'
import { compare, type SyncRequest } from './comparison.ts'
import { apply, printChanges, reportPlan } from './sync.ts'

interface Options {
  project: string | undefined
  tags: readonly string[]
  prune: boolean
  maxDelete: MaxDelete | undefined
  wholeProject: boolean
  exclude: readonly string[]
  maxSize: number | undefined
  gitignore: boolean
  followLinks: boolean
  dryRun: boolean
  plan: string | undefined
  watch: boolean
  install: boolean
  uninstall: boolean
  wait: boolean
  verbose: boolean
}

/** Compares the folder with the project, and makes the changes unless they are only asked for. Returns the exit code. */
export async function runSync(context: Context, folder: string, options: Options): Promise<number> {
  const { client, settings } = await chooseDestination(context, options.project, { mayAsk: !options.watch })
  const { exclude, maxSize, gitignore, followLinks } = options
  const request: SyncRequest = {
    folder,
    project: settings.project ?? 'default',
    selection: { recursive: true, exclude, maxSize, gitignore, followLinks },
    tags: options.tags,
    prunes: options.prune,
    maxDelete: options.maxDelete ?? DEFAULT_MAX_DELETE,
    isWholeProject: options.wholeProject,
  }
  if (options.install || options.uninstall) {
    const { installService, uninstallService } = await import('./service.ts')
    return options.install ? installService(context, request) : uninstallService(context, request)
  }
  if (options.watch) {
    const { watchFolder } = await import('./watch.ts')
    return watchFolder(context, client, request, { waits: options.wait, isVerbose: options.verbose })
  }
  const comparison = await compare(context, client, request)
  if (options.plan !== undefined) {
    const { stateOf, writePlan } = await import('./plan-file.ts')
    await writePlan(options.plan, {
      server: client.address,
      project: request.project,
      folder: await realpath(folder),
      options: {
        prune: request.prunes,
        max_delete: formatMaxDelete(request.maxDelete),
        whole_project: request.isWholeProject,
        exclude: [...exclude],
        ...(maxSize !== undefined && { max_size: maxSize }),
        gitignore,
        follow_links: followLinks,
        tags: [...options.tags],
      },
      folder_state: stateOf(comparison.local.files),
      documents_state: stateOf(comparison.documents),
      changes: comparison.changes,
    })
  }
  if (options.plan !== undefined || options.dryRun) {
    printChanges(context, comparison, request)
    if (options.plan === undefined) context.notice('Nothing was changed.')
    else context.notice(`Nothing was changed. To make these changes, run \`docsearch sync --apply ${options.plan}\`.`)
    return EXIT.done
  }
  reportPlan(context, comparison, request)
  await apply(context, client, comparison, request, { waits: options.wait, isVerbose: options.verbose })
  return EXIT.done
}

/** Does what a plan says, unless the folder or the project has changed since. */
export async function runApply(
  context: Context,
  file: string,
  { wait, verbose }: Pick<Options, 'wait' | 'verbose'>,
): Promise<number> {
  const { readPlan, refuseOutdated, stateOf } = await import('./plan-file.ts')
  const plan = await readPlan(file)
  const client = await context.client()
  if (plan.server !== client.address)
    throw usage(`The plan is for ${plan.server}, not for ${client.address}. To apply it, add --server ${plan.server}.`)
  const { options } = plan
  const request: SyncRequest = {
    folder: plan.folder,
    project: plan.project,
    selection: {
      recursive: true,
      exclude: options.exclude,
      maxSize: options.max_size,
      gitignore: options.gitignore,
      followLinks: options.follow_links,
    },
    tags: options.tags,
    prunes: options.prune,
    maxDelete: parseMaxDelete(options.max_delete),
    isWholeProject: options.whole_project,
  }
  const comparison = await compare(context, client, request)
  const { local, documents, changes } = comparison
  refuseOutdated(plan, { folderState: stateOf(local.files), documentsState: stateOf(documents), changes })
  reportPlan(context, comparison, request)
  await apply(context, client, comparison, request, { waits: wait, isVerbose: verbose })
  return EXIT.done
}
