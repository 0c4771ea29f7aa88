import type { Client } from '../../client/client.ts'
import { lastLocalInstance } from '../../client/credentials/local.ts'
import { DocsearchError, isDocsearchError } from '../../core/errors.ts'
import type { Context } from '../context.ts'
import { usage } from '../exit.ts'
import { daemonOutput } from './serve.ts'

/** What `users` and `clients` need, whichever way it is done. */
export type Administration = Pick<Client, 'users' | 'clients'>

export interface AdministrationOptions {
  data?: string
  publicUrl?: string
}

/**
 * Runs `work` over the API as whoever is logged in, or on a data folder: the one of --data, or of DOCSEARCH_DATA where nothing names an
 * instance. `mayCreate`: a folder that is missing or empty becomes one.
 */
export async function administer<T>(
  context: Context,
  options: AdministrationOptions,
  work: (administration: Administration) => Promise<T>,
  { mayCreate = false } = {},
): Promise<T> {
  const data = dataFolder(context, options)
  if (data === undefined) {
    if (options.publicUrl !== undefined) throw usage('--public-url goes with --data; an instance knows its address.')
    return overApi(context, work)
  }
  const { openAdministration } = await import('../../serve/admin.ts')
  const { publicUrl } = options
  const local = await openAdministration({ data, ...(publicUrl !== undefined && { publicUrl }) }, daemonOutput(context), {
    mayCreate,
  })
  try {
    return await work(local)
  } finally {
    await local.close()
  }
}

function dataFolder({ globals, io: { env } }: Context, { data }: AdministrationOptions): string | undefined {
  const flag = globals.server !== undefined ? '--server' : globals.profile !== undefined ? '--profile' : undefined
  if (data !== undefined && flag !== undefined) throw usage(`${flag} names an instance and --data a folder; give one of them.`)
  if (data !== undefined) return data
  const named = flag !== undefined || env['DOCSEARCH_SERVER'] || env['DOCSEARCH_PROFILE']
  return named ? undefined : env['DOCSEARCH_DATA'] || undefined
}

async function overApi<T>(context: Context, work: (administration: Administration) => Promise<T>): Promise<T> {
  try {
    return await work(await context.client())
  } catch (error) {
    if (!isDocsearchError(error, 'unreachable')) throw error
    const local = await lastLocalInstance(context.io.env)
    if (local === null || local.address !== (await context.target()).address) throw error
    throw new DocsearchError('unreachable', `${error.message} Without the daemon: --data ${local.dataDir}`, {
      cause: error,
      details: { data: local.dataDir },
    })
  }
}
