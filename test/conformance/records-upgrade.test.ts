import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import { expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../../src/core/logger.ts'
import { MAX_TITLE_CHARS } from '../../src/core/text-limits.ts'
import { nodeSqliteDialect } from '../../src/records/sql/dialect.ts'
import { openInspection } from '../../src/records/sql/inspect.ts'
import { MIGRATIONS } from '../../src/records/sql/migrations.ts'
import { openRecords } from '../../src/records/sql/open.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { testClock } from '../support/test-clock.ts'

const SHA256 = 'b'.repeat(64)
/** What Ann, the owner, may see. */
const ANNS = new Set(['prj_1'])

/** Returns a database of docsearch 0.1.0 with a row in every table, after the migrations up to `version`. */
async function databaseOf(version: string, now: number): Promise<string> {
  const file = join(await tempFolder(), 'docsearch.db')
  const database = new DatabaseSync(file)
  const db = new Kysely<never>({ dialect: nodeSqliteDialect(database) })
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } })
  const { error } = await migrator.migrateTo('0001_initial')
  expect(error).toBeUndefined()
  database.exec(`
    insert into users values ('usr_1', null, 'Ann', 'owner', null, 1), ('usr_2', 'Émile@Example.org', 'Émile', 'member', 'phc', 2);
    insert into setup_tokens values ('open', 'usr_1', 1, ${now + 1000}, null), ('used', 'usr_1', 1, ${now + 1000}, 2);
    insert into api_keys values ('key_1', 'usr_1', 'k', '${SHA256}', 'abcd', '["read:documents"]', 3, 4, null);
    insert into projects values ('prj_1', 'usr_1', 'default', '', 5, 5);
    insert into documents values ('doc_1', 'usr_1', 'prj_1', 'a.txt', 'a.txt', 'a.txt', 'text/plain', 3, '${SHA256}', 'ready', 2, 6, 7, 8, 1, 2,
      'builtin', null, null, '[]', '{"pages":1,"pagesWithText":1,"pagesWithoutText":0,"chunksSkipped":0}', 'T', '["x"]', '{}', 0, 6, null, 2, 1);
    insert into pages values ('doc_1', 1, 'abc', '[]');
    insert into tombstones values ('doc_0', 1);
    insert into events values (7, 'usr_1', 'doc_1', 'prj_1', 'document.ready', '{"name":"a.txt"}', 8);
    insert into generations values ('gen_1', 'print', 'builtin', 256, 1, 9);
  `)
  expect((await migrator.migrateTo(version)).error).toBeUndefined()
  await db.destroy()
  return file
}

test('upgrades a database of the first version without losing anything', async () => {
  const clock = testClock()
  const file = await databaseOf('0001_initial', clock.now().getTime())
  const records = await openRecords({ file, clock, log: silentLogger })
  onTestFinished(() => records.close())

  expect(await records.users.owner()).toEqual({
    id: 'usr_1',
    email: null,
    name: 'Ann',
    role: 'owner',
    createdAt: new Date(1),
    disabledAt: null,
    hasPassword: false,
    lastLoginAt: null,
    ownQuotas: { documents: null, bytes: null, passages: null },
  })
  expect(await records.users.findByEmail('émile@example.org')).toMatchObject({ id: 'usr_2', hasPassword: true })
  expect(await records.users.passwordHash('usr_2')).toBe('phc')
  expect(await records.links.find('open')).toMatchObject({ userId: 'usr_1', purpose: 'setup' })
  expect(await records.links.find('used')).toBeNull()
  expect(await records.keys.findByHash(SHA256)).toMatchObject({
    id: 'key_1',
    lastUsedAt: new Date(4),
    scopes: ['read:documents'],
  })
  expect(await records.projects.get('prj_1')).toMatchObject({ name: 'default', id: 'prj_1', counts: { documents: 1, chunks: 2 } })
  expect(await records.documents.get(ANNS, 'doc_1')).toMatchObject({ version: 2, status: 'ready', title: 'T', tags: ['x'] })
  expect(await records.documents.pages(ANNS, 'doc_1')).toEqual([{ number: 1, text: 'abc', blocks: [] }])
  // The document gets its words when it is indexed again.
  expect(await records.vocabulary.entries(ANNS, ['abc'])).toEqual([])
  expect(await records.queue.tombstones()).toEqual(['doc_0'])
  expect(await records.members.visibleTo('usr_1')).toMatchObject({ projects: [{ id: 'prj_1', role: 'manager' }], deletedIds: [] })
  expect(await records.members.visibleTo('usr_2')).toEqual({ projects: [], deletedIds: [] })
  expect(await records.indexes.active()).toMatchObject({ id: 'gen_1', dimensions: 256 })
})

test('cuts the long titles that an earlier version has stored', async () => {
  const clock = testClock()
  const file = await databaseOf('0006_counts', clock.now().getTime())
  const database = new DatabaseSync(file)
  const title = (length: number) => '😀'.repeat(length / 2)
  const titles = [title(1_000_000), title(MAX_TITLE_CHARS), title(MAX_TITLE_CHARS + 2), 'T', null]
  const document = database.prepare("select * from documents where id = 'doc_1'").get()!
  const insert = database.prepare(
    `insert into documents values (${Object.keys(document)
      .map(() => '?')
      .join()})`,
  )
  for (const [i, own] of titles.entries())
    insert.run(...Object.values({ ...document, id: `long_${i}`, path: `long_${i}`, title: own }))
  database.close()
  const records = await openRecords({ file, clock, log: silentLogger })
  onTestFinished(() => records.close())
  const stored = await Promise.all(titles.map(async (_, i) => (await records.documents.get(ANNS, `long_${i}`))!.title))
  expect(stored.slice(1)).toEqual([titles[1], `${title(MAX_TITLE_CHARS - 2)}…`, 'T', null])
  expect(stored[0]).toBe(stored[2])
})

test('subtracts the words that an earlier version has counted', async () => {
  const clock = testClock()
  const file = await databaseOf('0010_limits', clock.now().getTime())
  const database = new DatabaseSync(file)
  database.exec(`
    insert into vocabularies values (1, 'usr_1', 2, 2);
    insert into vocabulary_words values (1, 'rent', 'rent', 2, 3), (1, 'rents', 'rent', 1, 1);
    insert into document_words values ('doc_1', 2, '[["rent","rent",2],["rents","rent",1]]');
  `)
  database.close()
  const records = await openRecords({ file, clock, log: silentLogger })
  onTestFinished(() => records.close())
  const entries = () => records.vocabulary.entries(ANNS, ['rent', 'rents'])
  expect(await entries()).toEqual([
    { word: 'rent', term: 'rent', documents: 1 },
    { word: 'rents', term: 'rent', documents: 1 },
  ])
  await records.documents.delete(ANNS, 'doc_1')
  expect(await entries()).toEqual([])
})

/** Adds a project of the second user to a database of any version. */
function addProject(database: DatabaseSync, id: string, name: string): void {
  const hasUniqueName =
    database.prepare(`select 1 from pragma_table_info('projects') where name = 'unique_name'`).get() !== undefined
  const unique = hasUniqueName ? [['unique_name', id]] : []
  const row = [
    ['id', id],
    ['owner_id', 'usr_2'],
    ['name', name],
    ['description', ''],
    ['created_at', 5],
    ['updated_at', 5],
    ...unique,
  ]
  const columns = row.map(([column]) => column).join(', ')
  database
    .prepare(`insert into projects (${columns}) values (${row.map(() => '?').join(', ')})`)
    .run(...row.map(([, value]) => value!))
}

const EARLIER = Object.keys(MIGRATIONS).slice(0, -1)

test.each(EARLIER)('counts the documents of a database of %s, also after further changes', async (version) => {
  const clock = testClock()
  const file = await databaseOf(version, clock.now().getTime())
  const database = new DatabaseSync(file)
  database.exec(`
    create temp table copies (id, owner_id, project_id, status, chunk_count, size_bytes);
    insert into copies values ('doc_2', 'usr_1', 'prj_1', 'ready', 5, 10), ('doc_3', 'usr_1', 'prj_1', 'failed', null, 20),
      ('doc_4', 'usr_1', 'prj_1', 'queued', null, 30), ('doc_5', 'usr_2', 'prj_3', 'processing', 1, 40);
    create temp table copied as select * from documents;
  `)
  addProject(database, 'prj_2', 'empty')
  addProject(database, 'prj_3', 'second')
  for (const { id } of database.prepare('select id from copies').all()) {
    database.prepare('update copied set (id, path) = (?, ?)').run(id!, id!)
    database.prepare('insert into documents select * from copied').run()
    const set = 'owner_id, project_id, status, chunk_count, size_bytes'
    database.prepare(`update documents set (${set}) = (select ${set} from copies where id = ?) where id = ?`).run(id!, id!)
  }
  database.close()

  const records = await openRecords({ file, clock, log: silentLogger })
  onTestFinished(() => records.close())
  const countsOf = async (project: string) => (await records.projects.get(project))?.counts
  const none = { queued: 0, processing: 0, ready: 0, failed: 0 }
  expect(await countsOf('prj_1')).toEqual({
    documents: 4,
    chunks: 7,
    bytes: 63,
    statuses: { ...none, ready: 2, failed: 1, queued: 1 },
  })
  expect(await countsOf('prj_2')).toEqual({ documents: 0, chunks: 0, bytes: 0, statuses: none })
  expect(await countsOf('prj_3')).toEqual({ documents: 1, chunks: 1, bytes: 40, statuses: { ...none, processing: 1 } })
  expect(await records.documents.countPending(ANNS)).toBe(1)
  await records.queue.recover()
  await records.documents.delete(ANNS, 'doc_2')
  expect(await records.queue.counts()).toEqual({ queued: 2, processing: 0, ready: 1, failed: 1 })
  expect(await countsOf('prj_1')).toMatchObject({ documents: 3, chunks: 2, bytes: 53 })
})

test('listeners of an upgraded database hear that they have missed events', async () => {
  const clock = testClock()
  const file = await databaseOf('0006_counts', clock.now().getTime())
  const records = await openRecords({ file, clock, log: silentLogger })
  onTestFinished(() => records.close())
  for (const id of [0, 7, 100]) expect(await records.events.resumeAfter(ANNS, id)).toMatchObject({ hasMissed: true })
  await records.documents.delete(ANNS, 'doc_1')
  const [deleted] = await records.events.since(ANNS, 0, 10)
  expect(deleted).toMatchObject({ type: 'document.deleted', projectId: 'prj_1' })
  expect(await records.events.resumeAfter(ANNS, deleted!.id)).toEqual({ afterId: deleted!.id, hasMissed: false })
})

test('each project of an upgraded database gets the words of its own documents', async () => {
  const clock = testClock()
  const file = await databaseOf('0011_words', clock.now().getTime())
  const database = new DatabaseSync(file)
  database.exec(`
    insert into projects values ('prj_2', 'usr_1', 'second', '', 5, 5);
    create temp table copied as select * from documents;
    update copied set id = 'doc_2', project_id = 'prj_2', path = 'b.txt';
    insert into documents select * from copied;
    update copied set id = 'doc_3', path = 'c.txt';
    insert into documents select * from copied;
    insert into vocabularies values (1, 'usr_1', 3);
    insert into vocabulary_words values (1, 'rent', 'rent', 3), (1, 'rents', 'rent', 1), (1, 'pump', 'pump', 2);
    insert into document_words values ('doc_1', '["rent rent","rent rents"]'), ('doc_2', '["rent rent","pump pump"]'),
      ('doc_3', '["rent rent","pump pump"]');
  `)
  database.close()
  const records = await openRecords({ file, clock, log: silentLogger })
  onTestFinished(() => records.close())
  const entries = (project: string) => records.vocabulary.entries(new Set([project]), ['rent', 'rents', 'pump'])
  expect(await entries('prj_1')).toEqual([
    { word: 'rent', term: 'rent', documents: 1 },
    { word: 'rents', term: 'rent', documents: 1 },
  ])
  const second = [
    { word: 'pump', term: 'pump', documents: 2 },
    { word: 'rent', term: 'rent', documents: 2 },
  ]
  expect(await entries('prj_2')).toEqual(second)
  await records.documents.delete(new Set(['prj_2']), 'doc_2')
  expect(await entries('prj_2')).toEqual(second.map((entry) => ({ ...entry, documents: 1 })))
})

test('an event ID is not used again after a restore from a backup', async () => {
  const clock = testClock()
  const file = await databaseOf('0006_counts', clock.now().getTime())
  const backup = `${file}.backup`
  await (await openRecords({ file, clock, log: silentLogger })).close()
  await copyFile(file, backup)
  const deleteDocument = async (database: string) => {
    const records = await openRecords({ file: database, clock, log: silentLogger })
    await records.documents.delete(ANNS, 'doc_1')
    const id = await records.events.latestId(ANNS)
    const resumed = (afterId: number) => records.events.resumeAfter(ANNS, afterId)
    return { records, id, resumed }
  }
  const first = await deleteDocument(file)
  await first.records.close()
  clock.advance(60_000)
  const second = await deleteDocument(backup)
  onTestFinished(() => second.records.close())
  expect(second.id).toBeGreaterThan(first.id)
  // A listener that knows the lost event learns that it missed something.
  expect(await second.resumed(first.id)).toEqual({ afterId: 1, hasMissed: true })
})

test('gives an upgraded database the schema of a new one', async () => {
  const clock = testClock()
  const upgraded = await databaseOf('0001_initial', clock.now().getTime())
  const fresh = join(await tempFolder(), 'docsearch.db')
  for (const file of [upgraded, fresh]) await (await openRecords({ file, clock, log: silentLogger })).close()
  expect(schemaOf(upgraded)).toEqual(schemaOf(fresh))
})

function schemaOf(file: string): unknown[] {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    expect(database.prepare('pragma foreign_key_check').all()).toEqual([])
    return database.prepare('select type, name, tbl_name, sql from sqlite_schema order by type, name').all()
  } finally {
    database.close()
  }
}

test('pages of an earlier version get checksums, which reveal changes of their text', async () => {
  const clock = testClock()
  const file = await databaseOf('0024_backups', clock.now().getTime())
  await (await openRecords({ file, clock, log: silentLogger })).close()
  const damaged = async () => {
    const inspection = openInspection(file)
    try {
      return (await inspection.withDamagedText()).map(({ id }) => id)
    } finally {
      await inspection.close()
    }
  }
  expect(await damaged()).toEqual([])
  const database = new DatabaseSync(file)
  database.exec(`update pages set text = 'abd'`)
  expect(await damaged()).toEqual(['doc_1'])
  database.exec(`update pages set text = 'abc', blocks = '[ ]'`)
  expect(await damaged()).toEqual(['doc_1'])
  database.close()
})
