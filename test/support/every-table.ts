import { DatabaseSync } from 'node:sqlite'

type Row = Record<string, string | number | null>

/** Values that have a meaning for the tables themselves. All other values only have to be different. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  'users.role': ['owner', 'member'],
  'project_members.role': ['reader', 'writer', 'manager'],
  'documents.status': ['ready', 'queued', 'failed', 'processing'],
  'document_counts.status': ['ready', 'queued', 'failed', 'processing'],
  'webhook_deliveries.state': ['waiting', 'delivered', 'failed'],
}

/** Texts that a copy could change. */
const HARD = ['\u0000', '\u{10ffff}', '\u{10ffff}0', "'; --", '\\', '🙂', '\r\n', 'é']

/** Puts rows into every table of a database, so that a copy that leaves out a column or a table is noticed. */
export function fillEveryTable(file: string, rowsEach: number): void {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true })
  database.exec('begin')
  for (const table of inOrderOfReferences(database)) for (let i = 0; i < rowsEach; i++) insert(database, table, i)
  database.exec('commit')
  database.close()
}

/** Returns the rows of every table in the order in which SQLite reads them. */
export function readEveryTable(file: string): Record<string, Row[]> {
  const database = new DatabaseSync(file, { readOnly: true })
  const read = (table: string) =>
    database
      .prepare(`select * from ${table} order by ${primaryKey(database, table).join(', ')}`)
      .all()
      .map((row) => ({ ...row }) as Row)
  const rows = Object.fromEntries(tablesOf(database).map((table) => [table, read(table)]))
  database.close()
  return rows
}

function tablesOf(database: DatabaseSync): string[] {
  const tables = database.prepare(
    `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name`,
  )
  return tables.all().flatMap(({ name }) => (String(name).startsWith('kysely_') ? [] : [String(name)]))
}

function primaryKey(database: DatabaseSync, table: string): string[] {
  const columns = database.prepare('select name from pragma_table_info(?) where pk > 0 order by pk').all(table)
  return columns.length === 0 ? ['rowid'] : columns.map(({ name }) => String(name))
}

function referencesOf(database: DatabaseSync, table: string): Map<string, string> {
  const rows = database.prepare('select "from" as own, "table" as other from pragma_foreign_key_list(?)').all(table)
  return new Map(rows.map(({ own, other }) => [String(own), String(other)]))
}

function inOrderOfReferences(database: DatabaseSync): string[] {
  const done = new Set<string>()
  const visit = (table: string) => {
    if (done.has(table)) return
    for (const other of referencesOf(database, table).values()) if (other !== table) visit(other)
    done.add(table)
  }
  // Triggers of documents write to other tables, so documents come first.
  for (const table of ['documents', 'trash', ...tablesOf(database)]) visit(table)
  return [...done]
}

function insert(database: DatabaseSync, table: string, i: number): void {
  const columns = database.prepare('select name, type from pragma_table_info(?)').all(table) as { name: string; type: string }[]
  const references = referencesOf(database, table)
  const value = ({ name, type }: { name: string; type: string }) => {
    const other = references.get(name)
    if (other !== undefined) return keyOf(database, other, i)
    const known = VALUES[`${table}.${name}`]
    // Only one user can be the owner.
    if (table === 'users' && name === 'role') return i === 0 ? 'owner' : 'member'
    if (known !== undefined) return known[i % known.length]!
    return type === 'text' ? `${table}.${name} ${i} ${HARD[i % HARD.length]}` : i + 1
  }
  const names = columns.map(({ name }) => name).join(', ')
  const places = columns.map(() => '?').join(', ')
  database.prepare(`insert or replace into ${table} (${names}) values (${places})`).run(...columns.map(value))
}

function keyOf(database: DatabaseSync, table: string, i: number): string | number {
  const [key] = primaryKey(database, table)
  const row = database.prepare(`select ${key} as key from ${table} order by rowid limit 1 offset ?`).get(i)!
  return row['key'] as string | number
}
