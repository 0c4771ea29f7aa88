import type { Client } from '../../client/client.ts'
import { dataVariable } from '../../config/data-dir.ts'
import { DocsearchError, isDocsearchError } from '../../core/errors.ts'
import type { Context } from '../context.ts'
import { usage } from '../exit.ts'
import { path, text } from '../options.ts'
import { daemonOutput } from './serve.ts'

/** What `users`, `clients`, `audit` and `status` call, over the API or on a data folder. */
export type Administration = Pick<Client, 'users' | 'clients' | 'audit' | 'status'>

/** The options of `audit`, `status`, `users`, `clients` and each of their commands. */
export const DATA_OPTIONS = {
  data: path(
    '--data <folder>',
    'Work directly on this data folder, even while a daemon runs on it (DOCSEARCH_DATA, unless you name an instance)',
  ),
}

/** For the commands that print a link. */
export const publicUrl = text('--public-url <url>', 'With --data: address for the link (default: the last address of the daemon)')

interface AdministrationOptions {
  data: string | undefined
  publicUrl?: string | undefined
}

/**
 * Runs `work` over the API as the logged-in user, or on a data folder: the one of --data, or of DOCSEARCH_DATA when nothing names an
 * instance. `mayCreate`: a missing or empty folder becomes a data folder.
 */
export async function administer<T>(
  context: Context,
  options: AdministrationOptions,
  work: (administration: Administration) => Promise<T>,
  { mayCreate = false } = {},
): Promise<T> {
  const { publicUrl } = options
  const data = dataFolder(context, options)
  if (data === undefined) {
    if (publicUrl !== undefined) throw usage('--public-url needs --data. An instance uses its own address.')
    return hintAtData(context, async () => work(await context.client()))
  }
  const { openAdministration } = await import('../../serve/admin.ts')
  const local = await openAdministration({ data, ...(publicUrl !== undefined && { publicUrl }) }, daemonOutput(context), {
    mayCreate,
  })
  try {
    return await work(local)
  } finally {
    await local.close()
  }
}

/** Returns the data folder to work on; undefined for an instance. */
export function dataFolder({ globals, io: { env } }: Context, { data }: { data: string | undefined }): string | undefined {
  const flag = globals.server !== undefined ? '--server' : globals.profile !== undefined ? '--profile' : undefined
  if (data !== undefined && flag !== undefined) throw usage(`Use either --data or ${flag}, not both.`)
  if (data !== undefined) return data
  const named = flag !== undefined || env['DOCSEARCH_SERVER'] || env['DOCSEARCH_PROFILE']
  return named ? undefined : dataVariable(env)
}

/** Runs `work` over the API. If the instance can't be reached and its data folder is here, the error says how to use the folder. */
export async function hintAtData<T>(context: Context, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isDocsearchError(error, 'unreachable')) throw error
    const { lastLocalInstance } = await import('../../client/credentials/local.ts')
    const local = await lastLocalInstance(context.io.env)
    if (local === null || local.address !== (await context.target()).address) throw error
    throw new DocsearchError('unreachable', `${error.message} To work without the daemon, pass --data ${local.dataDir}`, {
      cause: error,
      details: { data: local.dataDir },
    })
  }
}
