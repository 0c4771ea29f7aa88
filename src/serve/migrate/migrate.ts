import { resolve } from 'node:path'
import { loadConfig } from '../../config/load.ts'
import { withHiddenPassword } from '../../config/shared-place.ts'
import type { MigrateHooks } from './steps.ts'
import type { Migrated } from '../../contract/migrate.ts'
import { DocsearchError } from '../../core/errors.ts'
import { keepFilesPrivate } from '../data-folder.ts'
import type { ServeOutput } from '../main.ts'
import { moveToFolder } from './to-folder.ts'
import { moveToShared } from './to-shared.ts'

export interface MigrateOptions extends MigrateHooks {
  /** The address of a PostgreSQL database, or a folder. */
  to: string
  /** The data folder that the documents leave. */
  data: string | undefined
  /** The database that the documents leave. */
  database: string | undefined
  /** The object store that belongs to the database of either side. */
  store: string | undefined
}

/** Moves all documents of an instance to another place. Throws `data_unusable`, `data_in_use` and `invalid_configuration`. */
export async function migrate({ to, data, database, store, ...hooks }: MigrateOptions, output: ServeOutput): Promise<Migrated> {
  keepFilesPrivate()
  const isToDatabase = /^postgres(ql)?:\/\//.test(to)
  // Every user of the machine can list the arguments of processes.
  if (isToDatabase && withHiddenPassword(to) !== to)
    throw new DocsearchError('usage', '--to must not contain a password: put it into PGPASSWORD or a service file.')
  if (isToDatabase && database !== undefined)
    throw new DocsearchError(
      'usage',
      'Name only one database: --to names the database to which the documents of a data folder move.',
    )
  if (!isToDatabase && data !== undefined)
    throw new DocsearchError('usage', 'Name the folder only with --to. --data names a folder whose documents move to a database.')
  const flags = isToDatabase ? { data, database: to, store } : { database, store }
  const { config } = await loadConfig(flags, output.env)
  if (config.shared === null)
    throw new DocsearchError(
      'usage',
      isToDatabase ? 'Name the object store of the new instance with --store.' : 'Name the instance with --database and --store.',
    )
  return isToDatabase
    ? moveToShared({ dir: config.dataDir, place: config.shared, ...hooks }, output)
    : moveToFolder({ dir: resolve(to), place: config.shared, ...hooks }, output)
}
