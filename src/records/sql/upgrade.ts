import { sql, type Kysely } from 'kysely'
import { copyBeforeUpgrade, pruneCopies, type Copy } from './database-copy.ts'
import { DocsearchError } from '../../core/errors.ts'
import { migrate, type MIGRATIONS } from './migrations.ts'
import type { Tables } from './tables.ts'
import type { DatabaseSync } from 'node:sqlite'

export interface UpgradeOptions {
  /** The version of this docsearch. */
  version: string
  /** Tells the user what happens. */
  notify: (line: string) => void
  /** Throws if the database must not be changed now. */
  beforeUpgrade?: () => void
}

/** The name of the setting with the version of docsearch that last opened the database. Version 0.1.0 did not store it. */
const VERSION = 'version'

/**
 * Brings the tables of a data folder to this version, in one transaction, after it has copied the file of an earlier version. Throws `data_newer` when
 * a newer version of docsearch has changed the tables, and `disk_full` when there is no room for the copy.
 */
export async function upgradeDatabase(
  { db, migrations, database, file }: { db: Kysely<Tables>; migrations: typeof MIGRATIONS; database: DatabaseSync; file: string },
  options: UpgradeOptions | undefined,
): Promise<void> {
  const { pending, isNew, written } = await readState(db, { migrations, version: options?.version, place: 'data folder' })
  if (options === undefined) return void (await migrate(db, migrations))

  const { version, notify, beforeUpgrade } = options
  let copy: Copy | null = null
  if (!isNew && pending.length > 0) {
    beforeUpgrade?.()
    notify(upgrading('data folder', written, version))
    copy = await copyBeforeUpgrade(database, file, version)
    notify(`copied the database to ${copy.file} (${megabytes(copy.bytes)})`)
  }
  await migrate(db, migrations)
  if (written !== version) await storeVersion(db, version)
  if (copy === null) return
  const removed = await pruneCopies(file, copy.file)
  for (const name of removed) notify(`removed the older copy ${name}`)
  notify(upgraded(pending.length))
}

type Place = 'data folder' | 'database'

/** What a process finds before it upgrades. */
interface State {
  /** The migrations that are still to be applied. */
  pending: string[]
  /** True for a database without tables. */
  isNew: boolean
  /** The version of docsearch that last opened the database; null if it is not known. */
  written: string | null
}

/** Throws `data_newer` when a newer version of docsearch has changed the tables. */
export async function readState(
  db: Kysely<Tables>,
  { migrations, version, place }: { migrations: typeof MIGRATIONS; version: string | undefined; place: Place },
): Promise<State> {
  const done = await doneMigrations(db)
  if (done === null) return { pending: Object.keys(migrations), isNew: true, written: null }
  const written = await storedVersion(db)
  refuseNewer(done, { migrations, written, version, place })
  return { pending: Object.keys(migrations).filter((name) => !done.has(name)), isNew: false, written }
}

export function upgrading(place: Place, written: string | null, version: string): string {
  return `upgrading the ${place} from ${written === null ? 'an earlier version' : `docsearch ${written}`} to ${version}`
}

export function upgraded(steps: number): string {
  return `upgraded the database (${steps === 1 ? '1 step' : `${steps} steps`}); docs/upgrades.md says how to go back`
}

/** The names of the migrations that were applied; null for a new database. */
async function doneMigrations(db: Kysely<Tables>): Promise<Set<string> | null> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some((table) => table.name === 'kysely_migration')) return null
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return rows.length === 0 ? null : new Set(rows.map((row) => row.name))
}

function refuseNewer(
  done: ReadonlySet<string>,
  found: { migrations: typeof MIGRATIONS; written: string | null; version: string | undefined; place: Place },
): void {
  const { migrations, written, version, place } = found
  const unknown = [...done].filter((name) => !(name in migrations))
  if (unknown.length === 0) return
  const isNamed = written !== null && written !== version
  const newer = isNamed ? `docsearch ${written}, a newer version,` : 'A newer version of docsearch'
  const own = version === undefined ? '' : ` This is docsearch ${version}.`
  const install = `Install ${isNamed ? `docsearch ${written}` : 'that version'}`
  const advice =
    place === 'data folder'
      ? `${install}, or name another folder with --data. docs/upgrades.md says how to go back to an earlier version.`
      : `${install}, or restore a backup of the database from before the upgrade.`
  throw new DocsearchError('data_newer', `${newer} has written to this ${place}.${own} ${advice}`, {
    details: { unknown_migrations: unknown },
  })
}

async function storedVersion(db: Kysely<Tables>): Promise<string | null> {
  const tables = await db.introspection.getTables()
  if (!tables.some((table) => table.name === 'settings')) return null
  const row = await db.selectFrom('settings').select('value').where('name', '=', VERSION).executeTakeFirst()
  return row?.value ?? null
}

export async function storeVersion(db: Kysely<Tables>, version: string): Promise<void> {
  await db
    .insertInto('settings')
    .values({ name: VERSION, value: version })
    .onConflict((c) => c.column('name').doUpdateSet({ value: version }))
    .execute()
}

function megabytes(bytes: number): string {
  return `${Math.max(1, Math.round(bytes / 1e6)).toLocaleString('en')} MB`
}
