import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { silentLogger } from '../../src/core/logger.ts'
import type { DocumentQuery, Records } from '../../src/records/records.ts'
import { openRecords } from '../../src/records/sql/open.ts'
import { testClock } from '../support/test-clock.ts'

// What SQLite reads for a list decides how long the list takes with ten thousand documents. SQLite tells its plan without any
// documents.

let records: Records
let ownerId: string
let projectId: string
let folder: string
/** Not from a list: a statement is prepared on its first use, and that has to happen inside the test. */
const cursor = Buffer.from(JSON.stringify([1, 'doc_1'])).toString('base64url')

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docsearch-test-'))
  records = await openRecords({ file: join(folder, 'docsearch.db'), clock: testClock(), log: silentLogger })
  ownerId = (await records.users.create({ name: 'A', email: null, role: 'owner' })).id
  projectId = (await records.projects.create({ ownerId, name: 'default', description: '' })).id
})
afterAll(async () => {
  await records.close()
  await rm(folder, { recursive: true })
})

/** Returns what SQLite reads of the documents for the work, one line for each step. */
async function plansOf(work: () => Promise<unknown>): Promise<string[]> {
  const plans = await allPlansOf(work)
  return plans.filter((detail) => /\bdocuments\b|document_counts|queue_turns|\bentry\b|synonyms|TEMP B-TREE/.test(detail))
}

/** Returns what SQLite reads of the events. */
async function eventPlansOf(work: () => Promise<unknown>): Promise<string[]> {
  return (await allPlansOf(work)).filter((detail) => /\bevents\b|\beach\b/.test(detail))
}

async function allPlansOf(work: () => Promise<unknown>): Promise<string[]> {
  const statements: { database: DatabaseSync; text: string }[] = []
  const prepare = DatabaseSync.prototype.prepare
  const spy = vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, text, ...options) {
    statements.push({ database: this, text })
    return prepare.call(this, text, ...options)
  })
  await work().finally(() => spy.mockRestore())
  return statements
    .filter(({ text }) => /^(select|update|insert|delete|with)/.test(text))
    .flatMap(({ database, text }) => database.prepare(`explain query plan ${text}`).all())
    .map(({ detail }) => String(detail))
}

const after = () => ({ cursor })
const PAGE = '(created_at,id)<(?,?)'
const LISTS: [query: DocumentQuery, of: (() => object)[], plan: string][] = [
  [{ limit: 2 }, [], 'documents_newest_in_project (project_id=?)'],
  [{ limit: 2, name: 'a' }, [after], `documents_newest_in_project (project_id=? AND ${PAGE})`],
  [{ limit: 2, status: 'failed' }, [], 'documents_by_status_in_project (project_id=? AND status=?)'],
  [{ limit: 2, status: 'failed' }, [after], `documents_by_status_in_project (project_id=? AND status=? AND ${PAGE})`],
  [{ limit: 2, warnings: true }, [], 'documents_with_warnings_in_project (project_id=?)'],
  [
    { limit: 2, warnings: true, status: 'ready' },
    [after],
    `documents_with_warnings_by_status_in_project (project_id=? AND status=? AND ${PAGE})`,
  ],
  [{ limit: 2, sha256: 'b'.repeat(64) }, [], 'documents_by_hash (sha256=?)'],
  [{ limit: 2, sort: 'name' }, [], 'documents_by_name (project_id=?)'],
  [{ limit: 2, sort: 'size', order: 'asc' }, [after], 'documents_by_size (project_id=? AND (size_bytes,id)>(?,?))'],
  [{ limit: 2, sort: 'pages' }, [], 'documents_by_pages (project_id=?)'],
  [{ limit: 2, sort: 'status' }, [], 'documents_by_state (project_id=?)'],
]

test.each(LISTS)('reads a list of %j of a project from an index of its own, in order', async (query, of, plan) => {
  const filter = of.reduce((sum, part) => ({ ...sum, ...part() }), query)
  expect(await plansOf(() => records.documents.list(new Set([projectId]), filter))).toEqual([
    `SEARCH documents USING INDEX ${plan}`,
  ])
})

test.each(LISTS)('reads a list of %j of several projects from an index of each project', async (query, of, plan) => {
  const filter = of.reduce((sum, part) => ({ ...sum, ...part() }), query)
  const plans = await plansOf(() => records.documents.list(new Set([projectId, 'prj_2']), filter))
  const inEach = plans.filter((step) => /documents_(newest|by|with)/.test(step))
  expect(inEach).toHaveLength(2)
  for (const step of inEach) expect(step).toContain(plan)
  expect(plans).not.toContainEqual(expect.stringContaining('SCAN documents'))
})

test('finds documents by path, or by the beginning of the path, in the index of paths', async () => {
  const paths = 'sqlite_autoindex_documents_2'
  expect(await plansOf(() => records.documents.list(new Set([projectId]), { limit: 2, pathPrefix: 'a/' }))).toEqual([
    `SEARCH documents USING INDEX ${paths} (project_id=? AND path>? AND path<?)`,
    'USE TEMP B-TREE FOR ORDER BY',
  ])
  expect(await plansOf(() => records.documents.atPaths(projectId, ['a', 'b']))).toEqual([
    `SEARCH documents USING INDEX ${paths} (project_id=? AND path=?)`,
  ])
})

test('reads the events of several projects from the events of each', async () => {
  const plans = await eventPlansOf(async () => {
    await records.events.since(new Set([projectId, 'prj_2']), 7, 100)
    await records.events.latestId(new Set([projectId, 'prj_2']))
  })
  expect(plans.length).toBeGreaterThan(2)
  for (const plan of plans) expect(plan).toMatch(/^SEARCH (events|each) USING (COVERING INDEX|PRIMARY KEY|INDEX)/)
})

test('reads only events of the audit log that the reader may see, from an index', async () => {
  const nobody = { userId: ownerId, projects: new Set<string>(), limit: null, accounts: 'none' } as const
  const projects = new Set([projectId, 'prj_2'])
  const plansFor = async (work: () => Promise<unknown>) =>
    (await allPlansOf(work)).filter((detail) => /\b(?:audit_events|each)\b/.test(detail))
  const sights = {
    projects: () => records.audit.list({ ...nobody, projects }, {}),
    accounts: () => records.audit.list({ ...nobody, accounts: 'all' }, {}),
    own: () => records.audit.list({ ...nobody, accounts: 'own' }, { beforeId: 7 }),
    limited: () => records.audit.list({ ...nobody, limit: projects }, { after: new Date(0) }),
    document: () => records.audit.list({ ...nobody, projects }, { documentId: 'doc_1' }),
  }
  const indexes = []
  for (const [name, work] of Object.entries(sights)) {
    const plans = await plansFor(work)
    for (const plan of plans) expect(plan, name).toMatch(/^SEARCH (?:audit_events|each) USING (?:COVERING )?INDEX/)
    indexes.push(...plans.flatMap((plan) => /audit_events_\w+ .*/.exec(plan)?.[0] ?? []))
  }
  expect(new Set(indexes)).toMatchInlineSnapshot(`
    Set {
      "audit_events_1 (id=?)",
      "audit_events_by_project (project_id=? AND id>? AND id<?)",
      "audit_events_by_actor (actor_id=? AND id>? AND id<?)",
      "audit_events_of_accounts (id>? AND id<?)",
      "audit_events_by_user (user_id=? AND id>? AND id<?)",
      "audit_events_by_actor_in_project (actor_id=? AND project_id=? AND id>? AND id<?)",
      "audit_events_by_document (document_id=? AND id>? AND id<?)",
    }
  `)
})

test('reads only the listed synonyms, and no rule to check the limit', async () => {
  const list = (page: object) => plansOf(() => records.synonyms.list(projectId, { limit: 2, ...page }))
  const index = 'SEARCH synonyms USING INDEX sqlite_autoindex_synonyms_2'
  expect(await list({})).toEqual([`${index} (project_id=?)`])
  expect(await list({ cursor })).toEqual([`${index} (project_id=? AND position>?)`])
  const rules = [{ words: ['a', 'b'], expandsTo: null }]
  const plans = await plansOf(() => records.synonyms.add({ projectId, rules, maxSynonyms: 10 }))
  expect(plans).toContain('SEARCH synonyms USING COVERING INDEX synonyms_by_owner (owner_id=?)')
})

test('reads no document for counts', async () => {
  const plans = await plansOf(async () => {
    await records.projects.list(new Set([projectId]), { limit: 10 })
    await records.documents.countPending(new Set([projectId]))
    await records.queue.counts()
  })
  expect(plans.filter((plan) => /\bdocuments\b/.test(plan))).toEqual([])
  expect(plans.length).toBeGreaterThan(2)
})

test('reads only the head of the queue for a claim', async () => {
  const file = {
    uploaderId: ownerId,
    projectId,
    name: 'a',
    path: 'a',
    mediaType: 'text/plain',
    sizeBytes: 1,
    sha256: 'a'.repeat(64),
    tags: null,
  }
  await records.documents.register(file, 'replace')
  const plans = await plansOf(() => records.queue.claim(3, { except: ['usr_1'] }))
  expect(plans).not.toContainEqual(expect.stringContaining('TEMP B-TREE'))
  expect(plans.filter((plan) => /documents_queue|queue_turns/.test(plan))).toEqual([
    // Ends at the first owner with a document that is due.
    'SCAN queue_turns USING INDEX queue_turns_waiting',
    'SEARCH documents USING COVERING INDEX documents_queue (status=? AND owner_id=?)',
    'SEARCH documents USING COVERING INDEX documents_queue (status=? AND owner_id=?)',
    'SEARCH queue_turns USING INDEX sqlite_autoindex_queue_turns_1 (owner_id=?)',
    'SEARCH queue_turns USING COVERING INDEX queue_turns_last',
  ])
})

test('finds the number of a second document of the same path with one statement, however many there are', async () => {
  const file = { uploaderId: ownerId, projectId, name: 'same', path: 'same', mediaType: 'text/plain', sizeBytes: 1, tags: null }
  const keep = (number: number) => records.documents.register({ ...file, sha256: String(number).padStart(64, '0') }, 'keep')
  await keep(1)
  const plans = await plansOf(() => keep(2))
  expect(plans).toEqual(['SEARCH documents EXISTS USING INDEX sqlite_autoindex_documents_2 (project_id=? AND path=?)'])
  const run = vi.spyOn(StatementSync.prototype, 'all')
  await keep(3)
  const statements = run.mock.calls.length
  for (let number = 4; number < 30; number++) await keep(number)
  run.mockClear()
  expect((await keep(30)).document.path).toBe('same (30)')
  expect(run).toHaveBeenCalledTimes(statements)
  run.mockRestore()
})

test('continues reading what a building index lacks without sorting for each call', async () => {
  const plans = await plansOf(() => records.indexes.missing('gen_1', { after: 'doc_1', limit: 2 }))
  expect(plans).toEqual([expect.stringMatching(/^SEARCH documents USING INDEX \w+ \(id>\?\)$/)])
})

test('the words of a query are found by project, without reading a whole vocabulary', async () => {
  const database = new DatabaseSync(join(folder, 'docsearch.db'))
  database.prepare('insert into vocabularies (project_id, words) values (?, 0)').run(projectId)
  database.close()
  const ids = new Set([projectId])
  const plans = await plansOf(async () => {
    await records.vocabulary.entries(ids, ['rent', 'deposit'])
    await records.vocabulary.wordsFrom(ids, 'r', '1 rent')
  })
  expect(plans).toEqual([
    'SEARCH entry USING PRIMARY KEY (vocabulary_id=? AND word=?)',
    // At most the rows that one call reads.
    'USE TEMP B-TREE FOR GROUP BY',
    'SEARCH entry USING PRIMARY KEY (vocabulary_id=? AND word>? AND word<?)',
    'USE TEMP B-TREE FOR GROUP BY',
  ])
})

test('looks up the oldest unfinished document in the index of the queue, whatever the length of the queue', async () => {
  const plans = (await plansOf(() => records.queue.oldest())).filter((plan) => /documents/.test(plan))
  expect(plans).toEqual([
    expect.stringContaining('documents_queue (status=? AND owner_id=? AND attempts=?)'),
    expect.stringMatching(/documents_queue \(status=\?\)|documents_by_state/),
  ])
})
