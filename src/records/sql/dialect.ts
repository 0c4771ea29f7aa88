import { SqliteAdapter, SqliteDriver, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { Dialect, SqliteDatabase, SqliteStatement } from 'kysely'
import { DatabaseSync } from 'node:sqlite'
import type { SQLInputValue, StatementSync } from 'node:sqlite'
import { translateSqlError } from './errors.ts'

/** Compiled statements to keep. There are few queries, but lists of parameters of different lengths make variants of them. */
const MAX_STATEMENTS = 200

/** SQLite can change tables in a transaction, so a migration that is killed changes nothing. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** Kysely over node:sqlite. Throws errors of the database as a whole as DocsearchError (errors.ts). */
export function nodeSqliteDialect(database: DatabaseSync): Dialect {
  return {
    createAdapter: () => new TransactionalSqliteAdapter(),
    createDriver: () => new SqliteDriver({ database: wrap(database) }),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

/** Gives a database the shape of better-sqlite3, which Kysely's driver expects. */
function wrap(database: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>()
  return {
    close: () => database.close(),
    prepare(sql) {
      // SQLite rolls back by itself when the disk is full. A second rollback would fail and hide the reason.
      if (sql === 'rollback' && !database.isTransaction) return EMPTY_STATEMENT
      // With `immediate`, a transaction waits for a writer in another process (a backup, a local command) instead of failing
      // half-way.
      const text = sql === 'begin' ? 'begin immediate' : sql
      let statement = statements.get(text)
      if (statement) {
        statements.delete(text)
      } else {
        statement = withTranslatedErrors(() => wrapStatement(database.prepare(text)))
        if (statements.size >= MAX_STATEMENTS) statements.delete(statements.keys().next().value!)
      }
      statements.set(text, statement)
      return statement
    },
  }
}

function wrapStatement(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => withTranslatedErrors(() => statement.all(...(parameters as SQLInputValue[]))),
    run: (parameters) => withTranslatedErrors(() => statement.run(...(parameters as SQLInputValue[]))),
    iterate: (parameters) => withTranslatedErrors(() => statement.iterate(...(parameters as SQLInputValue[]))),
  }
}

const EMPTY_STATEMENT: SqliteStatement = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [][Symbol.iterator](),
}

function withTranslatedErrors<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw translateSqlError(error)
  }
}
