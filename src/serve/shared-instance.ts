import { randomUUID } from 'node:crypto'
import type { Config } from '../config/config.ts'
import type { SharedPlace } from '../config/shared-place.ts'
import { type Clock, systemClock } from '../core/clock.ts'
import { DocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { claimStore, foreignStore, ownerOf, PROBES, probeStore } from '../objects/checks.ts'
import type { Postgres } from '../records/sql/postgres/open.ts'
import type { PostgresServer } from '../records/sql/postgres/server.ts'
import type { UpgradeOptions } from '../records/sql/upgrade.ts'
import { isDataFolder } from './data-folder.ts'
import type { OpenParts } from './open-parts.ts'

/** Replaces the lease of a process in tests, in milliseconds. */
const LEASE_VARIABLE = 'DOCSEARCH_TEST_LEASE_MS'

/** What the processes of an instance share. */
export interface SharedInstance extends Postgres {
  place: SharedPlace
  store: ObjectStore
  server: PostgresServer
}

/**
 * Opens the database and the object store. Loads the packages for them, which an instance in a data folder does not need. Throws
 * `invalid_configuration`, `database_busy`, `data_newer`, `store_unavailable`, `store_refused`, `store_unusable` for a store that would lose writes, and
 * `data_unusable` for the store of another instance.
 */
export async function openSharedInstance(options: {
  place: SharedPlace
  isAudited: boolean
  upgrade: UpgradeOptions
  clock: Clock
  log: Logger
  open: OpenParts
}): Promise<SharedInstance> {
  const { place, isAudited, upgrade, clock, log, open } = options
  const [{ openS3 }, { pgServer }, { openPostgres }] = await Promise.all([
    import('../objects/s3/open.ts'),
    import('../records/sql/postgres/pg-server.ts'),
    import('../records/sql/postgres/open.ts'),
  ])
  const store = await openS3({ address: place.store, log: log.child({ part: 'store' }) })
  open.add('object store', async () => store.close())
  await probeStore(store)
  const server = await pgServer({ url: place.database, log: log.child({ part: 'database' }) })
  const leaseMs = process.env['NODE_ENV'] === 'test' ? Number(process.env[LEASE_VARIABLE]) || undefined : undefined
  const postgres = await openPostgres({ server, clock, log, isAudited, upgrade, ...(leaseMs !== undefined && { leaseMs }) })
  try {
    await requireOwnStore({ server, objects: store })
  } catch (error) {
    await postgres.records.close()
    throw error
  }
  return { place, store, server, ...postgres }
}

/** Opens only the database, for a command. */
export async function openSharedDatabase(options: {
  place: SharedPlace
  isAudited: boolean
  version: string
  log: Logger
  say: (line: string) => void
}): Promise<Postgres> {
  const { place, isAudited, version, log, say } = options
  const [{ pgServer }, { openPostgres }] = await Promise.all([
    import('../records/sql/postgres/pg-server.ts'),
    import('../records/sql/postgres/open.ts'),
  ])
  const server = await pgServer({ url: place.database, log })
  return openPostgres({ server, clock: systemClock, log, isAudited, upgrade: { version, notify: say } })
}

/** Refuses what works only on a data folder. Throws `no_data_folder`. */
export function requireDataFolder({ shared }: Pick<Config, 'shared'>): void {
  if (shared !== null)
    throw new DocsearchError(
      'no_data_folder',
      'This instance keeps its data in a PostgreSQL database and an object store, and this command works only on a data folder. docs/scale.md says what to do instead.',
    )
}

/** Refuses the data folder of a single-process instance, because this instance would not have its documents. Throws `data_unusable`. */
export function refuseDataFolder(dir: string): void {
  if (!isDataFolder(dir)) return
  throw new DocsearchError(
    'data_unusable',
    `${dir} already holds the documents of a single-process instance. With --database and --store, each process needs another folder for its copies. Name one with --data.`,
  )
}

interface SharedStores {
  server: PostgresServer
  objects: ObjectStore
}

/**
 * Makes sure that the object store belongs to the instance in the database. The writer deletes objects that its database does not know, so with the
 * store of another instance, it would delete the documents of that instance. Throws `data_unusable`.
 */
async function requireOwnStore({ server, objects }: SharedStores): Promise<void> {
  const { hasDocuments, keepInstanceId, readInstanceId } = await import('../records/sql/postgres/secrets.ts')
  const owner = await ownerOf(objects)
  if (owner !== null && owner === (await readInstanceId(server))) return
  // Read the store before the database: another process of a new instance stores the ID in the database before it stores objects.
  const first = await firstKey(objects)
  if (first !== null && (await readInstanceId(server)) === null) {
    if (!(await hasDocuments(server)))
      throw new DocsearchError(
        'data_unusable',
        `The database has no documents, but the object store is not empty: it has objects such as ${first}. Nothing was deleted. ` +
          'Restore a backup of the database, name the database that these objects belong to, or name a prefix without objects.',
      )
    // The database, or the backup from which it was restored, is from an earlier version.
    if (owner !== null) await keepInstanceId(server, owner)
  }
  await claimOwnStore({ server, objects })
}

/** Claims the object store for the instance in the database. Throws `data_unusable` if it belongs to another instance. */
export async function claimOwnStore({ server, objects }: SharedStores): Promise<void> {
  const { keepInstanceId } = await import('../records/sql/postgres/secrets.ts')
  const id = await keepInstanceId(server, randomUUID())
  if ((await claimStore(objects, id)) !== id) throw foreignStore()
}

/** Like `requireOwnStore`, but changes nothing. An instance that only an earlier version has started has no ID. */
export async function checkOwnStore({ server, objects }: SharedStores): Promise<void> {
  const { readInstanceId } = await import('../records/sql/postgres/secrets.ts')
  const id = await readInstanceId(server)
  if (id !== null && (await ownerOf(objects)) !== id) throw foreignStore()
}

async function firstKey(objects: Pick<ObjectStore, 'list'>): Promise<string | null> {
  for await (const { key } of objects.list('')) if (!key.startsWith(PROBES)) return key
  return null
}
