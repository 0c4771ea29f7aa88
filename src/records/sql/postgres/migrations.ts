import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import { randomBytes } from 'node:crypto'
import { MIGRATIONS } from '../migrations.ts'
import { ACCOUNT_TABLES } from './account-tables.ts'
import { DOCUMENT_TABLES } from './document-tables.ts'
import { MOVE_FUNCTION } from './move.ts'
import { PROCESS_TABLES } from './process-tables.ts'
import { TRIGGER_STATEMENTS } from './triggers.ts'

/** Makes the tables as SQLite has them after its migrations up to this name. */
const BASE = '0030_postgres'

/** The migrations of PostgreSQL: one that makes all tables, and those that came later, which both databases run. */
export const POSTGRES_MIGRATIONS: Record<string, Migration> = {
  [BASE]: { up: makeTables },
  ...Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name > BASE)),
}

async function makeTables(db: Kysely<never>): Promise<void> {
  const tables = [ACCOUNT_TABLES, DOCUMENT_TABLES, PROCESS_TABLES].join('').split(';\n')
  for (const statement of [...tables, ...TRIGGER_STATEMENTS, MOVE_FUNCTION])
    if (statement.trim() !== '') await sql.raw(compareByCodePoints(statement)).execute(db)
  for (const name of ['event_id_key', 'audit_id_key'])
    await sql`insert into settings (name, value) values (${name}, ${randomBytes(32).toString('hex')})`.execute(db)
}

/** Texts compare and sort as in SQLite, whatever the language of the database is. */
function compareByCodePoints(statement: string): string {
  return statement.replaceAll(/^( {2}\w+ text)\b/gm, '$1 collate "C"')
}
