import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import {
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type Dialect,
  type SqliteDatabase,
  type SqliteStatement,
} from 'kysely'
import { LruCache } from '../../core/lru-cache.ts'
import { translateSqlError } from './errors.ts'
import { TableChanges } from './table-changes.ts'

/** Compiled statements to keep. There are few queries, but lists of parameters of different lengths make variants of them. */
const MAX_STATEMENTS = 200

/** SQLite can change tables in a transaction, so a migration that is killed changes nothing. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** Kysely over node:sqlite. Throws errors of the database as a whole as DocsearchError (errors.ts). */
export function nodeSqliteDialect(database: DatabaseSync, changes = new TableChanges(database)): Dialect {
  return {
    createAdapter: () => new TransactionalSqliteAdapter(),
    createDriver: () => new SqliteDriver({ database: wrap(database, changes) }),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

/** Gives a database the shape of better-sqlite3, which Kysely's driver expects. */
function wrap(database: DatabaseSync, changes: TableChanges): SqliteDatabase {
  const statements = new LruCache<SqliteStatement>(MAX_STATEMENTS)
  return {
    close: () => database.close(),
    prepare(sql) {
      // SQLite rolls back by itself when the disk is full. A second rollback would fail and hide the reason.
      if (sql === 'rollback' && !database.isTransaction) return EMPTY_STATEMENT
      // With `immediate`, a transaction waits for a writer in another process (a backup, a local command) instead of failing
      // half-way.
      const text = sql === 'begin' ? 'begin immediate' : sql
      let statement = statements.get(text)
      if (statement === undefined) {
        statement = withTranslatedErrors(() => wrapStatement(text, changes))
        statements.set(text, statement)
      }
      return statement
    },
  }
}

function wrapStatement(sql: string, changes: TableChanges): SqliteStatement {
  const { statement, writes } = changes.prepare(sql)
  const run = <T>(work: () => T, hasChanged: (result: T) => boolean): T => {
    const result = withTranslatedErrors(work)
    if (writes.size > 0 && hasChanged(result)) changes.count(writes)
    return result
  }
  return {
    reader: statement.columns().length > 0,
    all: (parameters) =>
      run(
        () => statement.all(...(parameters as SQLInputValue[])),
        (rows) => rows.length > 0,
      ),
    run: (parameters) =>
      run(
        () => statement.run(...(parameters as SQLInputValue[])),
        (result) => result.changes > 0,
      ),
    iterate: (parameters) =>
      run(
        () => statement.iterate(...(parameters as SQLInputValue[])),
        () => true,
      ),
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
