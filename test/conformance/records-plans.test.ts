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
    .filter((detail) => /\bdocuments\b|document_counts|queue_turns|vocabulary_words|synonyms|TEMP B-TREE/.test(detail))
}

const project = () => ({ projectId })
const after = () => ({ cursor })
const PAGE = '(created_at,id)<(?,?)'
const LISTS: [query: DocumentQuery, of: (() => object)[], plan: string][] = [
  [{ limit: 2 }, [], 'documents_newest (owner_id=?)'],
  [{ limit: 2 }, [after], `documents_newest (owner_id=? AND ${PAGE})`],
  [{ limit: 2 }, [project], 'documents_newest_in_project (project_id=?)'],
  [{ limit: 2, name: 'a' }, [project, after], `documents_newest_in_project (project_id=? AND ${PAGE})`],
  [{ limit: 2, status: 'failed' }, [], 'documents_by_status (owner_id=? AND status=?)'],
  [{ limit: 2, status: 'failed' }, [after], `documents_by_status (owner_id=? AND status=? AND ${PAGE})`],
  [{ limit: 2, status: 'failed' }, [project], 'documents_by_status_in_project (project_id=? AND status=?)'],
  [{ limit: 2, status: 'failed' }, [project, after], `documents_by_status_in_project (project_id=? AND status=? AND ${PAGE})`],
  [{ limit: 2, warnings: true }, [], 'documents_with_warnings (owner_id=?)'],
  [{ limit: 2, warnings: true }, [project], 'documents_with_warnings_in_project (project_id=?)'],
  [{ limit: 2, warnings: true, status: 'ready' }, [], 'documents_with_warnings_by_status (owner_id=? AND status=?)'],
  [
    { limit: 2, warnings: true, status: 'ready' },
    [project, after],
    `documents_with_warnings_by_status_in_project (project_id=? AND status=? AND ${PAGE})`,
  ],
  [{ limit: 2, sha256: 'b'.repeat(64) }, [], 'documents_by_hash (sha256=?)'],
]

test.each(LISTS)('reads a list of %j from an index of its own, in order', async (query, of, plan) => {
  const filter = of.reduce((sum, part) => ({ ...sum, ...part() }), query)
  expect(await plansOf(() => records.documents.list(ownerId, filter))).toEqual([`SEARCH documents USING INDEX ${plan}`])
})

test('finds documents by path, or by the beginning of the path, in the index of paths', async () => {
  const paths = 'sqlite_autoindex_documents_2'
  expect(await plansOf(() => records.documents.list(ownerId, { limit: 2, projectId, pathPrefix: 'a/' }))).toEqual([
    `SEARCH documents USING INDEX ${paths} (project_id=? AND path>? AND path<?)`,
    'USE TEMP B-TREE FOR ORDER BY',
  ])
  expect(await plansOf(() => records.documents.atPaths(ownerId, projectId, ['a', 'b']))).toEqual([
    `SEARCH documents USING INDEX ${paths} (project_id=? AND path=?)`,
  ])
  expect(await plansOf(() => records.documents.list(ownerId, { limit: 2, pathPrefix: 'a/' }))).toEqual([
    'SEARCH documents USING INDEX documents_newest (owner_id=?)',
  ])
})

test('reads only the listed synonyms, and no rule to check the limit', async () => {
  const list = (page: object) => plansOf(() => records.synonyms.list(ownerId, projectId, { limit: 2, ...page }))
  const index = 'SEARCH synonyms USING INDEX sqlite_autoindex_synonyms_2'
  expect(await list({})).toEqual([`${index} (project_id=?)`])
  expect(await list({ cursor })).toEqual([`${index} (project_id=? AND position>?)`])
  const rules = [{ words: ['a', 'b'], expandsTo: null }]
  const plans = await plansOf(() => records.synonyms.add({ ownerId, projectId, rules, maxSynonyms: 10 }))
  expect(plans).toContain('SEARCH synonyms USING COVERING INDEX synonyms_by_owner (owner_id=?)')
})

test('reads no document for counts', async () => {
  const plans = await plansOf(async () => {
    await records.projects.list(ownerId, { limit: 10 })
    await records.documents.countPending(ownerId)
    await records.documents.countPending(ownerId, [projectId])
    await records.queue.counts()
  })
  expect(plans.filter((plan) => /\bdocuments\b/.test(plan))).toEqual([])
  expect(plans.length).toBeGreaterThan(3)
})

test('reads only the head of the queue for a claim', async () => {
  const file = {
    ownerId,
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
  const file = { ownerId, projectId, name: 'same', path: 'same', mediaType: 'text/plain', sizeBytes: 1, tags: null }
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

test('the words of a query are found by owner, without reading a whole vocabulary', async () => {
  const database = new DatabaseSync(join(folder, 'docsearch.db'))
  database.prepare('insert into vocabularies (owner_id, words) values (?, 0)').run(ownerId)
  database.close()
  const plans = await plansOf(async () => {
    await records.vocabulary.entries(ownerId, ['rent', 'deposit'])
    await records.vocabulary.wordsFrom(ownerId, 'r', 'rent')
  })
  expect(plans).toEqual([
    'SEARCH vocabulary_words USING PRIMARY KEY (vocabulary_id=? AND word=?)',
    'SEARCH vocabulary_words USING PRIMARY KEY (vocabulary_id=? AND word>? AND word<?)',
  ])
})
