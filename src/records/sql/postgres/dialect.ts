import {
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  sql,
  type Dialect,
  type Kysely,
  type PostgresPool,
  type PostgresPoolClient,
} from 'kysely'
import { TwoDialectsCompiler } from '../per-dialect.ts'
import { LOCKS, UPGRADE } from './locks.ts'
import { isBroken, translatePostgresError } from './errors.ts'
import { type PostgresServer, encodeText } from './server.ts'

/** Kysely over PostgreSQL. Throws errors of the database as a whole as DocsearchError (errors.ts). */
export function postgresDialect(server: PostgresServer): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PostgresDriver({ pool: poolOf(server) }),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new TwoDialectsCompiler(),
  }
}

/** For the process that upgrades the tables. Its statements wait for a lock no longer than `lockMs`. */
export function upgradeDialect(server: PostgresServer, lockMs: number): Dialect {
  const connect = () => server.connect({ upgradeLockMs: lockMs })
  return { ...postgresDialect({ ...server, connect }), createAdapter: () => new UpgradeAdapter() }
}

/** Kysely itself would wait for an hour, and the user would not learn why. */
class UpgradeAdapter extends PostgresAdapter {
  override async acquireMigrationLock(db: Kysely<unknown>): Promise<void> {
    await sql`select pg_advisory_lock(${LOCKS}, ${UPGRADE})`.execute(db)
  }

  override async releaseMigrationLock(db: Kysely<unknown>): Promise<void> {
    await sql`select pg_advisory_unlock(${LOCKS}, ${UPGRADE})`.execute(db)
  }
}

function poolOf(server: PostgresServer): PostgresPool {
  return {
    options: {},
    connect: () => withTranslatedErrors(() => connect(server)),
    end: () => server.end(),
  }
}

async function connect(server: PostgresServer): Promise<PostgresPoolClient> {
  const client = await server.connect()
  let isLost = false
  return {
    query: ((sql: string, parameters: readonly unknown[]) =>
      withTranslatedErrors(async () => {
        try {
          return await client.query(
            sql,
            parameters.map((value) => (typeof value === 'string' ? encodeText(value) : value)),
          )
        } catch (error) {
          isLost ||= isBroken(error)
          throw error
        }
      })) as PostgresPoolClient['query'],
    // Kysely discards a connection whose rollback has failed, because its transaction may still be open.
    release: (discard) => client.release(isLost || discard === true),
  }
}

async function withTranslatedErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    hideValues(error)
    throw translatePostgresError(error)
  }
}

/** Fields of PostgreSQL's errors that can have values of rows, which must not reach the log. */
const FIELDS_WITH_VALUES = ['detail', 'where', 'internalQuery', 'query', 'parameters', 'params']

function hideValues(error: unknown): void {
  if (error instanceof Error) for (const field of FIELDS_WITH_VALUES) if (field in error) Reflect.deleteProperty(error, field)
}
