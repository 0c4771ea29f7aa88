import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SearchAnswer } from '../../src/contract/search.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'

let app: TestApp
let id: string
const search = (json: object) => app.alice.post<SearchAnswer>('/api/v1/search', json)

beforeAll(async () => {
  app = await startTestApp()
  id = await app.alice.ready('refunds.txt', 'Refunds are paid within fourteen days.\n\nThe gatekeeper keeps the lantern.\n', {
    project: 'Terms',
    tags: 'legal, shop',
  })
  await app.alice.ready('gardens.txt', 'Roses want sun and a little lime in the ground.\n')
})
afterAll(() => app?.close())

test('returns a passage with its document, page, offsets and highlights', async () => {
  const { status, body } = await search({ query: 'when are refunds paid' })
  expect(status).toBe(200)
  const [best] = body.results
  expect(best).toMatchObject({
    rank: 1,
    document: { id, name: 'refunds.txt', project: { name: 'Terms' } },
    chunk: { page_start: 1, char_start: 0 },
  })
  const { body: text } = await app.alice.get<string>(`/api/v1/documents/${id}/text`)
  expect(text.slice(best!.chunk.char_start, best!.chunk.char_end)).toBe(best!.text)
  expect(best!.highlights.map(([start, end]) => best!.text.slice(start, end).toLowerCase())).toContain('refunds')
  expect(best!.url).toMatch(
    new RegExp(`^${app.url}/documents/${id}\\?page=1&passage=0-${best!.chunk.char_end}-[0-9a-f]{8}#passage$`),
  )
  expect(body).toMatchObject({ query: 'when are refunds paid', mode: 'hybrid', pending_documents: 0, rerank: { applied: false } })
  expect(best).not.toHaveProperty('explain')
  expect(best).not.toHaveProperty('matching_chunks')
})

test.each([
  ['a project by name', { project: 'Terms' }, ['refunds.txt']],
  ['several projects', { project: ['Terms', 'default'] }, ['refunds.txt', 'gardens.txt']],
  ['a tag', { filter: { tags: ['shop'] } }, ['refunds.txt']],
  ['a path', { filter: { path_prefix: 'gar' } }, ['gardens.txt']],
  ['a media type without documents', { filter: { media_types: ['application/pdf'] } }, []],
  ['a media type', { filter: { media_types: ['text/plain'] } }, ['refunds.txt', 'gardens.txt']],
  ['a time before all documents', { filter: { created_before: '2000-01-01T00:00:00Z' } }, []],
  ['a time after all documents', { filter: { created_after: '2200-01-01T00:00:00Z' } }, []],
  ['a time that includes all documents', { filter: { created_after: '2000-01-01T00:00:00Z' } }, ['refunds.txt', 'gardens.txt']],
])('can be limited to %s', async (_what, narrow, names) => {
  const { body } = await search({ query: 'refunds lantern roses sun', ...narrow })
  expect([...new Set(body.results.map(({ document }) => document.name))].toSorted()).toEqual((names as string[]).toSorted())
})

test('applies document_ids, limit, offset, mode and rerank', async () => {
  const query = 'refunds lantern roses sun'
  const names = async (more: object) => (await search({ query, ...more })).body.results.map(({ document }) => document.name)
  expect(new Set(await names({ filter: { document_ids: [id] } }))).toEqual(new Set(['refunds.txt']))
  const all = await names({})
  expect(all.length).toBeGreaterThan(1)
  expect([await names({ limit: 1 }), await names({ offset: 1 })]).toEqual([all.slice(0, 1), all.slice(1)])
  const answer = (await search({ query, mode: 'keyword', rerank: false, explain: true })).body
  expect(answer).toMatchObject({ mode: 'keyword', rerank: { applied: false }, results: [{ explain: { vector: null } }, {}] })
})

test('returns the next best passages of each document, each with its own address', async () => {
  const text = ['one', 'two', 'three', 'four'].map((n) => `# ${n}\n\n${`The ${n} lemur sleeps. `.repeat(80)}`).join('\n\n')
  await app.alice.ready('lemurs.md', text)
  const { body } = await app.alice.post<SearchAnswer>('/api/v1/search', { query: 'lemur', group_by: 'document', passages: 3 })
  const [{ chunk, more_passages: more = [], matching_chunks: matching }] = body.results as [SearchAnswer['results'][number]]
  expect(more).toHaveLength(2)
  expect(matching).toBeGreaterThan(2)
  expect(new Set([chunk.id, ...more.map((other) => other.chunk.id)]).size).toBe(3)
  for (const { text, highlights, url } of more) {
    expect(text.slice(...highlights[0]!)).toBe('lemur')
    expect(new URL(url).searchParams.get('passage')).toMatch(/^\d+-\d+-/)
  }
  const { body: alone } = await app.alice.post<SearchAnswer>('/api/v1/search', { query: 'lemur', group_by: 'document' })
  expect(alone.results[0]).not.toHaveProperty('more_passages')
})

test('adds scores with explain and groups with group_by', async () => {
  const { body } = await search({ query: 'refunds', explain: true, group_by: 'document' })
  expect(body.results[0]).toMatchObject({ matching_chunks: expect.any(Number), explain: { fused: { rank: 1 } } })
})

test.each([
  ['nothing', {}, ['query']],
  ['a blank query', { query: '  ' }, ['query']],
  ['a query that is too long', { query: 'x'.repeat(4001) }, ['query']],
  ['limits out of range', { query: 'x', limit: 101, offset: 1001 }, ['limit', 'offset']],
  ['unknown fields, all of them named', { query: 'x', lmit: 3, filter: { tag: ['a'] } }, ['filter.tag', 'lmit']],
  ['wrong types', { query: 7, rerank: 'yes', project: 3, filter: { tags: 'a' } }, ['filter.tags', 'project', 'query', 'rerank']],
])('answers 400 with every fault to %s', async (_what, json, paths) => {
  const { status, body } = await app.alice.post<{ code: string; errors: { path: string; message: string }[] }>(
    '/api/v1/search',
    json,
  )
  expect([status, body.code]).toEqual([400, errorCode('invalid_request')])
  expect(body.errors.map(({ path }) => path).toSorted()).toEqual(paths)
})

test('names the limit and what was sent', async () => {
  const { body } = await app.alice.post<{ detail: string }>('/api/v1/search', { query: 'x'.repeat(4321) })
  expect(body.detail).toContain('4321')
  expect(body.detail).toContain('4000')
})

test.each([
  [{ query: '😀'.repeat(4001) }, 'query has 4001 characters; the limit is 4000.'],
  [{ query: 'x', limit: 101 }, 'limit is 101; the limit is 100.'],
  [{ query: 'x', offset: -1 }, 'offset is -1; the minimum is 0.'],
  [{ query: ' ' }, 'query must not be blank.'],
  [{ query: '' }, 'query must not be empty.'],
  [{ query: 7 }, 'query must be a string, not 7.'],
  [{ query: 'x', limit: 1.5 }, 'limit must be a whole number, not 1.5.'],
  [{ query: 'x', limit: null }, 'limit must be a number, not null.'],
  [{ query: 'x', mode: 'semantic' }, 'mode must be one of hybrid, vector, keyword, not "semantic".'],
  [{ query: 'x', project: 3 }, 'project must be a string, not 3 or must be a list, not 3.'],
  [{ query: 'x', filter: { tags: [] } }, 'filter.tags must not be empty.'],
  [
    { query: 'x', filter: { created_after: 'yesterday' } },
    'filter.created_after must be a time such as 2026-01-31T12:00:00Z, not "yesterday".',
  ],
  [[], 'The body must be an object, not a list.'],
  [{ query: 'half \ud83d' }, 'query is not well-formed Unicode: half a surrogate pair.'],
])('explains why it refuses %j', async (json, detail) => {
  expect(await app.alice.post('/api/v1/search', json)).toMatchObject({ status: 400, body: { detail } })
})

test('corrects misspelled words, unless the request forbids it', async () => {
  const { body } = await search({ query: 'when are refnuds piad?' })
  expect(body).toMatchObject({
    query: 'when are refnuds piad?',
    corrected_query: 'when are refunds paid?',
    results: [{ document: { id } }],
  })
  const insisted = await search({ query: 'Refnuds', mode: 'keyword', correct: false })
  expect(insisted.body).toMatchObject({ corrected_query: null, results: [] })
  expect((await search({ query: 'refunds' })).body.corrected_query).toBeNull()
})

test('finds synonyms, ranks them below the words themselves, and explains them', async () => {
  const ask = (json: object) => app.bob.post<SearchAnswer>('/api/v1/search', json)
  await app.bob.ready('costs.txt', 'The cost of goods sold rose in the second quarter, since wood is expensive.\n')
  await app.bob.ready('cogs.txt', 'COGS fell in the third quarter, since wood is cheap now and then, as it was.\n')
  const { body } = await ask({ query: 'why did COGS change', mode: 'keyword', explain: true })
  expect(body.results.map(({ document, explain }) => [document.name, explain!.expansions])).toEqual([
    ['cogs.txt', []],
    ['costs.txt', [{ words: 'COGS', found: 'cost of goods sold', source: 'built_in' }]],
  ])
  const [, { text, highlights }] = body.results as [unknown, (typeof body.results)[0]]
  expect(highlights.map(([start, end]) => text.slice(start, end))).toContain('cost')
  const quoted = await ask({ query: '"COGS" change', mode: 'keyword' })
  expect(quoted.body.results.map(({ document }) => document.name)).toEqual(['cogs.txt'])
})

test('leaves known words and names as typed', async () => {
  for (const query of ['limp roses', 'when does Refnuds pay']) expect((await search({ query })).body.corrected_query).toBeNull()
})

test('searches for the words of a quoted phrase that no passage has, unless the request forbids it', async () => {
  const query = '"paid within fifteen days"'
  const { body } = await search({ query })
  expect(body).toMatchObject({
    relaxed_phrases: ['paid within fifteen days'],
    corrected_query: null,
    results: [{ document: { id } }],
  })
  expect((await search({ query, correct: false })).body).toMatchObject({ relaxed_phrases: [], results: [] })
  expect((await search({ query: '"fourteen days"' })).body.relaxed_phrases).toEqual([])
})

test.each([
  ['"fourteen days" refunds roses', ['refunds.txt']],
  ['refunds roses -"fourteen days"', ['gardens.txt']],
  ['refunds roses -lime', ['refunds.txt']],
  ['refunds roses name:GARD', ['gardens.txt']],
])('%s', async (query, names) => {
  const { body } = await search({ query })
  expect([...new Set(body.results.map(({ document }) => document.name))]).toEqual(names)
})

test('explains why it refuses a query with only exclusions', async () => {
  expect(await app.alice.post('/api/v1/search', { query: '-refunds name:gardens' })).toMatchObject({
    status: 400,
    body: { code: errorCode('invalid_query'), detail: expect.stringContaining('Add a word to look for') },
  })
})

test('answers 404 to an unknown project instead of an empty list', async () => {
  expect(await search({ query: 'refunds', project: 'Trems' })).toMatchObject({
    status: 404,
    body: { code: errorCode('project_not_found') },
  })
})
