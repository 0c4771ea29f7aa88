import { Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { describe, expect, test as anyTest } from 'vitest'
import { MIGRATIONS, migrate } from '../../src/records/sql/migrations.ts'
import { postgresDialect } from '../../src/records/sql/postgres/dialect.ts'
import { postgresOfFile } from '../support/postgres-of-file.ts'
import { hasPostgres } from '../support/postgres-server.ts'
import { run } from '../support/empty-postgres.ts'

interface Column {
  name: string
  type: string
  isNullable: boolean
  hasDefault: boolean
}

type Columns = ReadonlyMap<string, Column>

const test = anyTest.skipIf(!hasPostgres)
const openServer = postgresOfFile()
const [BASE] = Object.keys(MIGRATIONS)

async function columnsOf(db: Kysely<never>): Promise<Columns> {
  const { rows } = await sql<Column>`select table_name || '.' || column_name as name, data_type as type,
    is_nullable = 'YES' as "isNullable", column_default is not null or is_identity = 'YES' as "hasDefault"
    from information_schema.columns where table_schema = 'public'`.execute(db)
  return new Map(rows.map((row) => [row.name, row]))
}

/** Returns what a process that was made for `before` could no longer do on `after`. */
function broken(before: Columns, after: Columns): string[] {
  const tableOf = (name: string) => name.split('.')[0]
  const tables = new Set([...before.keys()].map(tableOf))
  const lost = [...before].flatMap(([name, { type, isNullable, hasDefault }]) => {
    const now = after.get(name)
    if (now === undefined) return [`${name} is gone`]
    if (now.type !== type) return [`${name} is ${now.type} instead of ${type}`]
    if (isNullable && !now.isNullable) return [`${name} is not nullable any more`]
    return hasDefault && !now.hasDefault && !now.isNullable ? [`${name} has no default any more`] : []
  })
  const required = [...after.values()].filter(
    ({ name, isNullable, hasDefault }) => !before.has(name) && tables.has(tableOf(name)) && !isNullable && !hasDefault,
  )
  return [...lost, ...required.map(({ name }) => `${name} is new and has no default`)]
}

/** Returns what these migrations break, on a new database. */
async function brokenBy(later: Record<string, Migration>): Promise<string[]> {
  const server = await openServer()
  await run(server, 'drop schema public cascade')
  await run(server, 'create schema public')
  const db = new Kysely<never>({ dialect: postgresDialect(server) })
  await migrate(db, { [BASE!]: MIGRATIONS[BASE!]! })
  const before = await columnsOf(db)
  expect(before.size).toBeGreaterThan(200)
  await migrate(db, { [BASE!]: MIGRATIONS[BASE!]!, ...later })
  return broken(before, await columnsOf(db))
}

const statement = (text: string): Record<string, Migration> => ({
  '9000_later': {
    async up(db) {
      await sql.raw(text).execute(db)
    },
  },
})

test('a process of the former version can use the tables after each later migration', async () => {
  expect(await brokenBy(MIGRATIONS)).toEqual([])
})

describe('what a migration must not do', () => {
  test.each([
    ['alter table users drop column quota_bytes', 'users.quota_bytes is gone'],
    ['alter table users rename column name to full_name', 'users.name is gone'],
    ['alter table users alter column name type varchar', 'users.name is character varying instead of text'],
    ['alter table users alter column email set not null', 'users.email is not nullable any more'],
    ['alter table users add column theme text not null', 'users.theme is new and has no default'],
    ['drop table backups', 'backups.id is gone'],
  ])('%s', async (text, expected) => {
    expect(await brokenBy(statement(text))).toContain(expected)
  })

  test('what only adds is allowed', async () => {
    const added = `alter table users add column theme text not null default 'light', add column note text`
    expect(await brokenBy(statement(added))).toEqual([])
    expect(await brokenBy(statement('create table notes (id text primary key, text text not null)'))).toEqual([])
  })
})
