import { Kysely, sql, type Transaction } from 'kysely'
import type { Migration } from 'kysely/migration'
import { setTimeout } from 'node:timers/promises'
import { DocsearchError } from '../../../core/errors.ts'
import { MIGRATIONS, migrate, type Migrations, recordInitial } from '../migrations.ts'
import type { Tables } from '../tables.ts'
import { readState, storeVersion, upgraded, upgrading, type UpgradeOptions } from '../upgrade.ts'
import { postgresDialect, upgradeDialect } from './dialect.ts'
import { isConflict, isLockTimeout } from './errors.ts'
import { lockWrites } from './locks.ts'
import type { PostgresServer } from './server.ts'

/** The pause before the next attempt to lock the tables. Meanwhile, other processes can use them. */
const PAUSE_MS = 2_000
/** Shorter than `deadlock_timeout` of PostgreSQL, so that an upgrade gives way before the request of another process fails. */
const LOCK_MS = 500
/** Longer than `deadlock_timeout`, after which PostgreSQL cancels an autovacuum that blocks another process. */
const LONG_LOCK_MS = 1_500
/** Every fourth attempt waits for `LONG_LOCK_MS`. */
const LONG_EVERY = 4

/**
 * Creates the tables, or brings them to this version, in one transaction. If several processes call this, one does the work, and the
 * others wait as long as it takes. Processes of the last release keep working. While one of their transactions uses a table, for example
 * that of a backup, the upgrade waits. Throws `data_newer` if a newer version of docsearch has changed the tables,
 * and `data_unusable` for tables from before the first release, or a new database whose encoding can't store all characters.
 */
export async function upgradePostgres(
  server: PostgresServer,
  options: UpgradeOptions | undefined,
  migrations: Migrations = MIGRATIONS,
): Promise<void> {
  const db = new Kysely<Tables>({ dialect: postgresDialect(server) })
  const { version, notify = () => {} } = options ?? {}
  const read = () => readState(db, { migrations, version, holder: 'database' })
  const say = onlyOnce(notify)
  const found = await read()
  if (found.isNew) await requireUnicode(db)
  else await recordInitial(db)
  let attempts = 0
  for (let { pending } = found; pending.length > 0; { pending } = await read()) {
    const lockMs = ++attempts % LONG_EVERY === 0 ? LONG_LOCK_MS : LOCK_MS
    const begin = () => {
      if (!found.isNew && version !== undefined) say(upgrading('database', found.written, version))
    }
    try {
      const steps = await migrate(new Kysely({ dialect: upgradeDialect(server, lockMs) }), withLock(migrations, begin))
      if (!found.isNew) notify(steps > 0 ? upgraded(steps) : 'another process has upgraded the database')
    } catch (error) {
      if (isLockTimeout(error) || isConflict(error)) {
        say('waiting to upgrade the database while other processes use it')
        await setTimeout(PAUSE_MS)
        continue
      }
      // Throws if a newer version has upgraded the database since.
      await read()
      throw error
    }
  }
  if (version !== undefined && found.written !== version) await storeVersion(db, version)
}

async function requireUnicode(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ server_encoding: string }>`show server_encoding`.execute(db)
  const encoding = rows[0]!.server_encoding
  if (encoding !== 'UTF8')
    throw new DocsearchError(
      'data_unusable',
      `The PostgreSQL database has the encoding ${encoding}, which cannot store all characters. Create a database with the encoding UTF8.`,
    )
}

/** True for a database without tables of docsearch. Throws `data_newer`. */
export async function isNewDatabase(server: PostgresServer): Promise<boolean> {
  const db = new Kysely<Tables>({ dialect: postgresDialect(server) })
  return (await readState(db, { version: undefined, holder: 'database' })).isNew
}

function onlyOnce(notify: (line: string) => void): (line: string) => void {
  const said = new Set<string>()
  return (line) => {
    if (said.has(line)) return
    said.add(line)
    notify(line)
  }
}

/** Transactions that write wait at their beginning, before they have locks. So the upgrade and a transaction can't wait for each other. */
function withLock(migrations: Migrations, begin: () => void): Record<string, Migration> {
  const locked = (up: Migration['up']): Migration['up'] => {
    return async (tx) => {
      await lockWrites(tx as Transaction<Tables>)
      begin()
      await up(tx)
    }
  }
  return Object.fromEntries(Object.entries(migrations).map(([name, { up }]) => [name, { up: locked(up) }]))
}
