import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { killPoint } from '../../core/kill-point.ts'

/** By their names, in the order in which they run. */
export type Migrations = Readonly<Record<string, Migration>>

/** Makes all tables. */
const INITIAL = '0100_initial'

/**
 * Both databases run these. Never change a migration that was released: add another one, after the last.
 *
 * On PostgreSQL, processes of the last release keep working while a process of this version migrates, and afterwards. So a migration only
 * adds:
 *
 * - Add tables, indexes, and columns that are nullable or have a default. Don't drop, rename or narrow anything that the last release
 *   uses. A later release may do so, once no supported version uses it. `test/servers/records-additive.test.ts` compares the tables.
 * - A column of `documents` is also a column of `trash`, because rows move between these tables.
 * - A trigger or function that you replace must still do what the last release relies on.
 * - Write new values of a closed set (a status, an error code, the type of an event) only if the last release can read them.
 * - Writes, and reads of the tables that a migration alters, wait until it has committed. So fill large tables afterwards, in steps.
 */
export const MIGRATIONS: Migrations = {
  // Loaded only for a new database.
  [INITIAL]: { up: async (db) => (await import('./schema.ts')).createSchema(db) },
  '0101_registration_grants': {
    up: (db) => db.schema.alterTable('oauth_registrations').addColumn('grant_types', 'text').execute(),
  },
}

/** The last migrations of SQLite and PostgreSQL before the first release. They left the tables that `INITIAL` makes. */
const LAST_BEFORE_RELEASE = ['0027_mail', '0030_postgres']

/** Returns the migrations that a database has, given the names that it has recorded. */
export function presentMigrations(recorded: readonly string[]): string[] {
  if (!LAST_BEFORE_RELEASE.some((name) => recorded.includes(name))) return [...recorded]
  return [INITIAL, ...recorded.filter((name) => name > INITIAL)]
}

/** Returns the recorded migrations that this version does not know: `older` ones from before the first release, `newer` ones from later versions. */
export function unknownMigrations(
  recorded: readonly string[],
  migrations: Migrations = MIGRATIONS,
): { older: string[]; newer: string[] } {
  const unknown = presentMigrations(recorded).filter((name) => !Object.hasOwn(migrations, name))
  return { older: unknown.filter((name) => name < INITIAL), newer: unknown.filter((name) => name > INITIAL) }
}

/** Returns the names of the migrations that a database has recorded; null for a new database. */
export async function recordedMigrations<T>(db: Kysely<T>): Promise<string[] | null> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some((table) => table.name === 'kysely_migration')) return null
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return rows.length === 0 ? null : rows.map((row) => row.name)
}

/** Records `INITIAL` in a database that has its tables from before the first release. */
export async function recordInitial<T>(db: Kysely<T>): Promise<void> {
  const recorded = (await recordedMigrations(db)) ?? []
  if (recorded.includes(INITIAL) || !presentMigrations(recorded).includes(INITIAL)) return
  await db.transaction().execute(async (tx) => {
    await sql`delete from kysely_migration where name < ${INITIAL}`.execute(tx)
    await sql`insert into kysely_migration (name, timestamp) values (${INITIAL}, ${new Date().toISOString()}) on conflict do nothing`.execute(
      tx,
    )
  })
}

/**
 * Brings the tables to this version, in one transaction: a migration that is killed changes nothing. Returns how many migrations it has applied.
 */
export async function migrate<T>(db: Kysely<T>, migrations: Migrations = MIGRATIONS): Promise<number> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => withKillPoints(migrations) } })
  const { error, results = [] } = await migrator.migrateToLatest()
  if (error !== undefined) throw error as Error
  killPoint('upgraded')
  return results.length
}

function withKillPoints(migrations: Migrations): Record<string, Migration> {
  const passing = (up: Migration['up']): Migration['up'] => {
    return async (db) => {
      await up(db)
      killPoint('upgrade-step')
    }
  }
  return Object.fromEntries(Object.entries(migrations).map(([name, { up }]) => [name, { up: passing(up) }]))
}
