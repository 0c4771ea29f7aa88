import { DatabaseSync } from 'node:sqlite'
import type { SQLInputValue, StatementSync } from 'node:sqlite'
import { SqliteAdapter, SqliteDriver, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { Dialect, SqliteDatabase, SqliteStatement } from 'kysely'
import { translateSqlError } from './errors.ts'

/** Compiled statements kept. The queries here are few; lists of parameters make variants of some. */
const STATEMENTS_KEPT = 200

/** SQLite takes DDL into a transaction, so a migration that is killed leaves nothing half done. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** Kysely over node:sqlite. Errors of the database as a whole come out as DocsearchError (errors.ts). */
export function nodeSqliteDialect(database: DatabaseSync): Dialect {
  return {
    createAdapter: () => new TransactionalSqliteAdapter(),
    createDriver: () => new SqliteDriver({ database: wrap(database) }),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

/** The shape of better-sqlite3, which Kysely's driver was written for. */
function wrap(database: DatabaseSync): SqliteDatabase {
  const kept = new Map<string, SqliteStatement>()
  return {
    close: () => database.close(),
    prepare(sql) {
      // After a full disk SQLite has already rolled back by itself; a second rollback would hide the reason.
      if (sql === 'rollback' && !database.isTransaction) return NOTHING
      // `immediate`: a writer of another process (a backup, a local command) then makes us wait instead of fail half-way.
      const text = sql === 'begin' ? 'begin immediate' : sql
      let statement = kept.get(text)
      if (statement) {
        kept.delete(text)
      } else {
        statement = translating(() => statementOf(database.prepare(text)))
        if (kept.size >= STATEMENTS_KEPT) kept.delete(kept.keys().next().value!)
      }
      kept.set(text, statement)
      return statement
    },
  }
}

function statementOf(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => translating(() => statement.all(...(parameters as SQLInputValue[]))),
    run: (parameters) => translating(() => statement.run(...(parameters as SQLInputValue[]))),
    iterate: (parameters) => translating(() => statement.iterate(...(parameters as SQLInputValue[]))),
  }
}

const NOTHING: SqliteStatement = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [][Symbol.iterator](),
}

function translating<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw translateSqlError(error)
  }
}
