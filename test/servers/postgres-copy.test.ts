import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { beforeAll, expect, test as anyTest } from 'vitest'
import { silentLogger } from '../../src/core/logger.ts'
import { openRecords } from '../../src/records/sql/open.ts'
import { openPostgres } from '../../src/records/sql/postgres/open.ts'
import type { PostgresServer } from '../../src/records/sql/postgres/server.ts'
import { setMove } from '../../src/records/sql/postgres/move.ts'
import { errorCode } from '../support/codes.ts'
import { copyFromPostgres, copyToPostgres } from '../../src/records/sql/postgres/copy.ts'
import { snapshotPostgres } from '../../src/records/sql/postgres/snapshot.ts'
import { copyDatabase } from '../../src/records/sql/snapshot.ts'
import { fillEveryTable, readEveryTable } from '../support/every-table.ts'
import { unpackDataFolder } from '../support/old-data-folder.ts'
import { postgresOfFile } from '../support/postgres-of-file.ts'
import { hasPostgres } from '../support/postgres-server.ts'
import { postgresForTests } from '../support/postgres-records.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { testClock } from '../support/test-clock.ts'

const test = anyTest.skipIf(!hasPostgres)
const openServer = postgresOfFile()
const postgres = postgresForTests(openServer)
let server: PostgresServer
beforeAll(async () => {
  if (hasPostgres) server = await openServer()
})

async function newDatabase(): Promise<string> {
  const file = join(await tempFolder(), 'docsearch.db')
  await (await openRecords({ file, clock: testClock(), log: silentLogger })).close()
  return file
}

async function nextVocabulary(): Promise<unknown> {
  const client = await server.connect()
  const { rows } = await client.query(`select nextval(pg_get_serial_sequence('vocabularies', 'id')) as id`, [])
  client.release(false)
  return (rows[0] as { id: unknown }).id
}

async function roundTrip(file: string) {
  await postgres.openEmpty(testClock())
  const there = await copyToPostgres({ file, server, from: 'here' })
  const copy = await newDatabase()
  const back = await copyFromPostgres({ file: copy, server })
  return { there, back, copy }
}

test('every row of every table is the same after a move to PostgreSQL and back', async () => {
  const file = await newDatabase()
  fillEveryTable(file, 230)
  const before = readEveryTable(file)
  const { there, back, copy } = await roundTrip(file)
  expect(readEveryTable(copy)).toEqual(before)
  expect(Object.fromEntries(there)).toEqual(Object.fromEntries(Object.entries(before).map(([name, rows]) => [name, rows.length])))
  expect(back).toEqual(there)
  expect(await nextVocabulary()).toBe(231)
})

test('a repeated copy takes no more space in PostgreSQL than the first one', async () => {
  const file = await newDatabase()
  fillEveryTable(file, 200)
  const size = async () => {
    const client = await server.connect()
    const { rows } = await client.query(
      `select sum(pg_relation_size(oid))::int8 as bytes from pg_class where relname = any($1)`,
      [['users', 'documents', 'pages', 'events']],
    )
    client.release(false)
    return (rows[0] as { bytes: number }).bytes
  }
  await postgres.openEmpty(testClock())
  await copyToPostgres({ file, server, from: 'here' })
  const first = await size()
  await copyToPostgres({ file, server, from: 'here' })
  expect(await size()).toBe(first)
})

test('a copy of PostgreSQL is written only once, without a write-ahead log', async () => {
  const file = await newDatabase()
  fillEveryTable(file, 1)
  const { copy } = await roundTrip(file)
  const database = new DatabaseSync(copy)
  expect(database.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'delete' })
  database.close()
})

test('a data folder continues in PostgreSQL where it stopped', async () => {
  const folder = await tempFolder()
  await unpackDataFolder('version-0.1.0', folder)
  const file = join(folder, 'docsearch.db')
  const clock = testClock()
  const sqlite = await openRecords({ file, clock, log: silentLogger })
  const owner = (await sqlite.users.owner())!
  const { projects } = await sqlite.members.visibleTo(owner.id)
  await sqlite.close()
  await roundTrip(file)

  await setMove(server, null)
  const records = await postgres.openSame(clock)
  expect(await records.users.owner()).toEqual(owner)
  expect((await records.members.visibleTo(owner.id)).projects).toEqual(projects)
  const project = await records.projects.create({ ownerId: owner.id, name: 'new', description: '' })
  const facts = { name: 'a', path: 'a', mediaType: 'text/plain', sizeBytes: 1, sha256: 'f'.repeat(64), tags: [] }
  await records.documents.register({ uploaderId: owner.id, projectId: project.id, ...facts }, 'replace')
  expect((await records.queue.claim(1))[0]).toMatchObject({ document: { path: 'a' } })
  expect((await records.projects.get(project.id))!.counts.documents).toBe(1)
})

test('a snapshot of PostgreSQL has the same content as one of the data folder', async () => {
  const folder = await tempFolder()
  await unpackDataFolder('version-0.1.0', folder)
  const database = join(folder, 'docsearch.db')
  await (await openRecords({ file: database, clock: testClock(), log: silentLogger })).close()
  const ofFolder = await copyDatabase({ database, copy: join(folder, 'copy.db') })
  await postgres.openEmpty(testClock())
  await copyToPostgres({ file: database, server, from: 'here' })

  const copy = join(folder, 'of-postgres.db')
  expect(await snapshotPostgres({ server, copy, clock: testClock(), log: silentLogger })).toEqual(ofFolder)
  expect(ofFolder.documents).toBeGreaterThan(0)
  expect(readEveryTable(copy)).toEqual(readEveryTable(database))
})

test('while the records move, open processes can read but not write', async () => {
  const records = await postgres.openEmpty(testClock())
  const owner = await records.users.create({ name: 'Ann', email: null, role: 'owner' })
  await setMove(server, { state: 'leaving', place: '/new' })
  const write = () => records.projects.create({ ownerId: owner.id, name: 'p', description: '' })
  await expect(write()).rejects.toMatchObject({
    code: errorCode('unavailable'),
    message: "The documents of this instance are being moved to /new. You can't change anything here.",
  })
  expect(await records.users.owner()).toEqual(owner)
  await setMove(server, null)
  await expect(write()).resolves.toMatchObject({ name: 'p' })
})

test.each([
  { state: 'arriving', message: /has not finished: it moves documents here from \/place. Run it again/ },
  { state: 'left', message: /were moved to \/place. Start the instance there/ },
] as const)('no process opens records that are $state', async ({ state, message }) => {
  await postgres.openEmpty(testClock())
  await setMove(server, { state, place: '/place' })
  const opening = openPostgres({ server, clock: testClock(), log: silentLogger })
  await expect(opening).rejects.toMatchObject({ code: errorCode('data_unusable'), message: expect.stringMatching(message) })
})

test('a database with users stays as it is', async () => {
  const file = await newDatabase()
  fillEveryTable(file, 1)
  const records = await postgres.openEmpty(testClock())
  const { id } = await records.users.create({ name: 'Ann', email: null, role: 'owner' })
  await expect(copyToPostgres({ file, server, from: 'here' })).rejects.toMatchObject({ code: errorCode('data_unusable') })
  expect((await records.users.owner())?.id).toBe(id)
})

test('a copy that is interrupted leaves nothing in PostgreSQL', async () => {
  const file = await newDatabase()
  fillEveryTable(file, 3)
  // The copy fails in the middle of the tables, because the document of these pages is gone.
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  database.prepare(`update pages set document_id = 'gone' where number = (select max(number) from pages)`).run()
  database.close()
  const records = await postgres.openEmpty(testClock())
  await expect(copyToPostgres({ file, server, from: 'here' })).rejects.toThrow()
  expect(await records.users.owner()).toBeNull()
})
