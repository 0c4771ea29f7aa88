import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { silentLogger } from '../../src/core/logger.ts'
import { MIGRATIONS } from '../../src/records/sql/migrations.ts'
import { openPostgres } from '../../src/records/sql/postgres/open.ts'
import { pgServer } from '../../src/records/sql/postgres/pg-server.ts'
import { snapshotPostgres } from '../../src/records/sql/postgres/snapshot.ts'
import { errorCode } from '../support/codes.ts'
import { hasPostgres, startPostgres, withClient, type RunningPostgres } from '../support/postgres-server.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { until } from '../support/until.ts'

/** Adds a column, a table and an index, as later migrations will. */
async function add(db: Kysely<never>): Promise<void> {
  await sql`alter table documents add column note text`.execute(db)
  await sql`create table notes (id text primary key, document_id text not null references documents on delete cascade)`.execute(
    db,
  )
  await sql`create index documents_by_note on documents (note)`.execute(db)
}

const NEXT: Record<string, Migration> = { ...MIGRATIONS, '9000_notes': { up: add } }

describe.skipIf(!hasPostgres)('an upgrade of a database that processes share', () => {
  let postgres: RunningPostgres
  beforeAll(async () => {
    postgres = await startPostgres(['autovacuum_naptime=1'])
  })
  afterAll(() => postgres.stop())

  /** Opens the database as a process of a version with these migrations. */
  async function open(url: string, migrations = MIGRATIONS, version = '1.0.0') {
    const server = await pgServer({ url, log: silentLogger })
    const said: string[] = []
    const upgrade = { version, notify: (line: string) => void said.push(line) }
    const opening = openPostgres({ server, clock: systemClock, log: silentLogger, migrations, upgrade })
    const opened = opening.then(({ records }) => {
      onTestFinished(() => records.close())
      return records
    })
    return { server, said, opened }
  }

  const addUser = async (records: Awaited<Awaited<ReturnType<typeof open>>['opened']>, name: string) =>
    records.users.create({ name, email: `${name}@example.org`, role: 'member' })

  test('a user who may not create tables learns what to do', async () => {
    const url = await postgres.database()
    await withClient(postgres.admin, (client) => client.query('create role limited login'))
    const { opened } = await open(url.replace('docsearch@', 'limited@'))
    await expect(opened).rejects.toMatchObject({
      code: 'data_readonly',
      message: expect.stringContaining('Make the user the owner of the database') as string,
    })
  })

  test('a read-only database, or one whose encoding lacks characters, is refused with the reason', async () => {
    const url = await postgres.database()
    await withClient(postgres.admin, async (client) => {
      await client.query(`alter database ${url.split('/').at(-1)} set default_transaction_read_only = on`)
      await client.query(`create database latin encoding 'LATIN1' template template0`)
    })
    await expect((await open(url)).opened).rejects.toMatchObject({
      code: 'data_readonly',
      message: expect.stringContaining('PostgreSQL allows only reading') as string,
    })
    await expect((await open(postgres.admin.replace(/postgres$/, 'latin'))).opened).rejects.toMatchObject({
      code: 'data_unusable',
      message: expect.stringContaining('has the encoding LATIN1') as string,
    })
  })

  test('a database with the tables from before the first release is taken over as it is, an older one is refused', async () => {
    const url = await postgres.database()
    const user = await addUser(await (await open(url)).opened, 'ann')
    await withClient(url, (client) =>
      client.query(`update kysely_migration set name = '0030_postgres' where name = '0100_initial'`),
    )
    const { said, opened } = await open(url)
    expect(await (await opened).users.get(user.id)).toMatchObject({ name: 'ann' })
    expect(said).toEqual([])
    await withClient(url, async (client) => {
      expect((await client.query('select name from kysely_migration order by name')).rows).toEqual(
        Object.keys(MIGRATIONS).map((name) => ({ name })),
      )
      await client.query(`update kysely_migration set name = '0029_older' where name = '0100_initial'`)
    })
    await expect((await open(url)).opened).rejects.toMatchObject({
      code: errorCode('data_unusable'),
      message: expect.stringContaining('from before the first release has written to this database') as string,
    })
  })

  test('one process upgrades, the others wait, and a process of the former version goes on', async () => {
    const url = await postgres.database()
    const former = await (await open(url)).opened
    const processes = await Promise.all([1, 2, 3].map(() => open(url, NEXT, '2.0.0')))
    const all = await Promise.all(processes.map(({ opened }) => opened))
    const said = processes.flatMap((process) => process.said)
    expect(said.filter((line) => line === 'upgrading the database from docsearch 1.0.0 to 2.0.0')).toHaveLength(1)
    expect(said.filter((line) => line.startsWith('upgraded the database (1 step)'))).toHaveLength(1)
    const user = await addUser(former, 'ann')
    const other = await addUser(all[0]!, 'ben')
    expect(await all[1]!.users.get(user.id)).toMatchObject({ name: 'ann' })
    expect(await former.users.get(other.id)).toMatchObject({ name: 'ben' })
  })

  test('it waits while a transaction uses a table, and requests need not wait for it', async () => {
    const url = await postgres.database()
    const former = await (await open(url)).opened
    await withClient(url, async (backup) => {
      await backup.query('begin isolation level repeatable read read only; select * from documents')
      const next = await open(url, NEXT, '2.0.0')
      await until('it waits', () => next.said.includes('waiting to upgrade the database while other processes use it'))
      await addUser(former, 'ann')
      expect(await former.documents.list(new Set(['prj_1']), { limit: 1 })).toMatchObject({ items: [] })
      await backup.query('commit')
      await next.opened
      expect(next.said.at(-1)).toMatch(/^upgraded the database/)
    })
  })

  test('it does not wait for an autovacuum of a large table', async () => {
    const url = await postgres.database()
    const large = async (db: Kysely<never>) => {
      const settings = ['insert_threshold=1', 'insert_scale_factor=0', 'cost_delay=100', 'cost_limit=1']
      const slowly = sql.raw(settings.map((setting) => `autovacuum_vacuum_${setting}`).join(', '))
      await sql`create table large (id bigint) with (${slowly})`.execute(db)
      await sql`insert into large select generate_series(1, 100000)`.execute(db)
    }
    const alter = async (db: Kysely<never>) => void (await sql`alter table large add column note text`.execute(db))
    const former = { ...MIGRATIONS, '9000_large': { up: large } }
    await (
      await open(url, former)
    ).opened
    await withClient(url, async (client) => {
      const isRunning = async () =>
        (await client.query(`select from pg_stat_progress_vacuum where relid = 'large'::regclass`)).rowCount === 1
      await until('an autovacuum runs', isRunning)
    })
    const next = await open(url, { ...former, '9001_alter': { up: alter } }, '2.0.0')
    await next.opened
    expect(next.said).toContain('waiting to upgrade the database while other processes use it')
    expect(next.said.at(-1)).toMatch(/^upgraded the database/)
  })

  test('a process that waits while a newer version upgrades is refused', async () => {
    const url = await postgres.database()
    await (
      await open(url)
    ).opened
    const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = async (db: Kysely<never>) => {
      begun.resolve()
      await go.promise
      await sql`create table later (id text primary key)`.execute(db)
    }
    const newest = await open(url, { ...NEXT, '9001_later': { up: slow } }, '3.0.0')
    await begun.promise
    const waiting = await open(url, NEXT, '2.0.0')
    const refused = expect(waiting.opened).rejects.toMatchObject({
      code: errorCode('data_newer'),
      message: expect.stringContaining('has written to this database. This is docsearch 2.0.0.'),
    })
    await until('it waits', () => waiting.said.length > 0)
    go.resolve()
    await newest.opened
    await refused
  })

  test('a process of the former version takes no backup, because it does not know all tables', async () => {
    const url = await postgres.database()
    const former = await open(url)
    await former.opened
    const copy = join(await tempFolder(), 'copy.db')
    const snapshot = () => snapshotPostgres({ server: former.server, copy, clock: systemClock, log: silentLogger })
    await (
      await open(url, NEXT, '2.0.0')
    ).opened
    await expect(snapshot()).rejects.toMatchObject({
      code: errorCode('data_newer'),
      message: expect.stringContaining('docsearch 2.0.0'),
    })
  })
})
