import { Kysely } from 'kysely'
import { DatabaseSync } from 'node:sqlite'
import type { FileInspection } from '../inspection.ts'
import { nodeSqliteDialect } from './dialect.ts'
import { translateSqlError } from './errors.ts'
import { createInspection } from './inspection.ts'
import type { Tables } from './tables.ts'

const BUSY_TIMEOUT_MS = 10_000
/** More problems of the same kind would tell the operator nothing new. */
const MAX_DAMAGE = 20

/** Opens a database file for reading. Throws `database_corrupt` and the other errors of a database as a whole. */
export function openInspection(file: string): FileInspection {
  const database = translated(() => {
    const opened = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
    // Opening reads nothing. This query does, so a file that is not a database fails here.
    opened.prepare('select count(*) from sqlite_schema').get()
    return opened
  })
  const rows = <T>(query: string) => translated(() => database.prepare(query).all() as T[])
  return {
    ...createInspection(new Kysely<Tables>({ dialect: nodeSqliteDialect(database) })),
    damage(isThorough) {
      const found = rows<Record<string, unknown>>(`pragma ${isThorough ? 'integrity_check' : 'quick_check'}(${MAX_DAMAGE})`)
      return found.map((row) => String(Object.values(row)[0])).filter((line) => line !== 'ok')
    },
    brokenReferences() {
      const found = rows<{ table: string; parent: string }>('pragma foreign_key_check')
      const groups = Map.groupBy(found, ({ table, parent }) => `${table} ${parent}`)
      return [...groups.values()].map((group) => ({
        table: group[0]!.table,
        refersTo: group[0]!.parent,
        rows: group.length,
      }))
    },
  }
}

/** Runs `work`. Throws errors of the database as a whole as DocsearchError (errors.ts). */
export function translated<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw translateSqlError(error)
  }
}
