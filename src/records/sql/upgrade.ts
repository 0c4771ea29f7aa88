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
 * Brings the tables to this version, in one transaction, after it has copied the file of an earlier version, if the database is a file. Throws
 * `data_newer` when a newer version of docsearch has changed the tables, and `disk_full` when there is no room for the copy.
 */
export async function upgradeDatabase(
  {
    db,
    migrations,
    copied,
  }: { db: Kysely<Tables>; migrations: typeof MIGRATIONS; copied?: { database: DatabaseSync; file: string } },
  options: UpgradeOptions | undefined,
): Promise<void> {
  const done = await doneMigrations(db)
  const written = done === null ? null : await storedVersion(db)
  if (done !== null) refuseNewer(done, { migrations, written, version: options?.version, isFolder: copied !== undefined })
  const pending = Object.keys(migrations).filter((name) => done?.has(name) !== true)
  if (options === undefined) return migrate(db, migrations)

  const { version, notify, beforeUpgrade } = options
  let copy: Copy | null = null
  const place = copied === undefined ? 'the database' : 'the data folder'
  if (done !== null && pending.length > 0) {
    beforeUpgrade?.()
    notify(`upgrading ${place} from ${written === null ? 'an earlier version' : `docsearch ${written}`} to ${version}`)
    if (copied !== undefined) {
      copy = await copyBeforeUpgrade(copied.database, copied.file, version)
      notify(`copied the database to ${copy.file} (${megabytes(copy.bytes)})`)
    }
  }
  await migrate(db, migrations)
  if (written !== version) await storeVersion(db, version)
  if (copy === null || copied === undefined) return
  const removed = await pruneCopies(copied.file, copy.file)
  for (const name of removed) notify(`removed the older copy ${name}`)
  notify(
    `upgraded the database (${pending.length === 1 ? '1 step' : `${pending.length} steps`}); docs/upgrades.md says how to go back`,
  )
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
  found: { migrations: typeof MIGRATIONS; written: string | null; version: string | undefined; isFolder: boolean },
): void {
  const { migrations, written, version, isFolder } = found
  const unknown = [...done].filter((name) => !(name in migrations))
  if (unknown.length === 0) return
  const isNamed = written !== null && written !== version
  const newer = isNamed ? `docsearch ${written}, a newer version,` : 'A newer version of docsearch'
  const own = version === undefined ? '' : ` This is docsearch ${version}.`
  const install = `Install ${isNamed ? `docsearch ${written}` : 'that version'}`
  const place = isFolder ? 'data folder' : 'database'
  const advice = isFolder
    ? `${install}, or name another folder with --data. docs/upgrades.md says how to go back to an earlier version.`
    : `${install}, or restore a backup of the database from before.`
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

async function storeVersion(db: Kysely<Tables>, version: string): Promise<void> {
  await db
    .insertInto('settings')
    .values({ name: VERSION, value: version })
    .onConflict((c) => c.column('name').doUpdateSet({ value: version }))
    .execute()
}

function megabytes(bytes: number): string {
  return `${Math.max(1, Math.round(bytes / 1e6)).toLocaleString('en')} MB`
}
