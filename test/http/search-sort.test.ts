import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SearchAnswer } from '../../src/contract/search.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'
import { testClock } from '../support/test-clock.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const ALL = ['project', 'folder', 'media_type', 'tag', 'year'] as const

let app: TestApp
beforeAll(async () => {
  const clock = testClock('2024-12-31T12:00:00Z')
  app = await startTestApp({ clock })
  const add = async (path: string, text: string, fields: Record<string, string>) => {
    await app.alice.ready(path.slice(path.lastIndexOf('/') + 1), text, { path, ...fields })
    clock.advance(DAY_MS)
  }
  await add('legal/Refund 10.md', '# Refunds\n\nRefunds, refunds and more refunds. Refunds are paid.', {
    project: 'Terms',
    tags: 'legal, shop',
  })
  await add('legal/old/refund 9.txt', 'Refunds were paid late in those years.', { project: 'Terms', tags: 'legal' })
  await add('Zebras.txt', 'Nobody spoke of refunds or lanterns, only of apples and pears and other fruit.', {})
  await app.bob.ready('bob.txt', 'Refunds of another user.', { project: 'Private', tags: 'legal, secret' })
})
afterAll(() => app?.close())

async function search(json: object = {}): Promise<SearchAnswer> {
  const { status, body } = await app.alice.post<SearchAnswer>('/api/v1/search', { query: 'refunds', ...json })
  expect(status).toBe(200)
  return body
}
const namesIn = ({ results }: SearchAnswer) => results.map(({ document }) => document.name)

test.each([
  ['newest', ['Zebras.txt', 'refund 9.txt', 'Refund 10.md']],
  ['name', ['refund 9.txt', 'Refund 10.md', 'Zebras.txt']],
  ['relevance', ['Refund 10.md', 'refund 9.txt', 'Zebras.txt']],
])('sort: %s, with the scores and ranks of the answer', async (sort, names) => {
  for (const group_by of ['chunk', 'document']) {
    const answer = await search({ sort, group_by })
    expect(namesIn(answer)).toEqual(names)
    expect(answer.results.map(({ rank }) => rank)).toEqual([1, 2, 3])
    const scores = answer.results.map(({ score }) => score)
    expect(Math.max(...scores)).toBe(scores[names.indexOf('Refund 10.md')])
    const pages = await Promise.all([0, 1, 2].map((offset) => search({ sort, group_by, limit: 1, offset })))
    expect(pages.flatMap(namesIn)).toEqual(names)
  }
})

test('a search in another order than relevance is not reranked, and says so', async () => {
  const { rerank } = await search({ sort: 'newest' })
  expect(rerank).toMatchObject({ applied: false, model: null, reason: expect.stringContaining('`sort` is `newest`') })
  expect((await search({ sort: 'newest', rerank: false })).rerank.reason).toBe((await search({ rerank: false })).rerank.reason)
})

test('facets count all documents found, not only the documents on the result page', async () => {
  const { facets } = await search({ facets: ALL })
  expect(facets).toEqual({
    project: [
      { value: 'Terms', count: 2 },
      { value: 'default', count: 1 },
    ],
    folder: [
      { value: 'legal/', count: 2 },
      { value: 'legal/old/', count: 1 },
    ],
    media_type: [
      { value: 'text/plain', count: 2 },
      { value: 'text/markdown', count: 1 },
    ],
    tag: [
      { value: 'legal', count: 2 },
      { value: 'shop', count: 1 },
    ],
    year: [
      { value: '2025', count: 2 },
      { value: '2024', count: 1 },
    ],
  })
  for (const more of [{ limit: 1 }, { offset: 2 }, { offset: 1000 }, { sort: 'name' }, { group_by: 'document' }])
    expect((await search({ facets: ALL, ...more })).facets).toEqual(facets)
})

test('each facet value works as a filter, which finds the counted number of documents', async () => {
  const { facets } = await search({ facets: ALL })
  const narrow: Record<(typeof ALL)[number], (value: string) => object> = {
    project: (project) => ({ project }),
    folder: (path_prefix) => ({ filter: { path_prefix } }),
    media_type: (type) => ({ filter: { media_types: [type] } }),
    tag: (tag) => ({ filter: { tags: [tag] } }),
    year: (year) => ({
      filter: { created_after: `${year}-01-01T00:00:00Z`, created_before: `${Number(year) + 1}-01-01T00:00:00Z` },
    }),
  }
  for (const name of ALL) {
    for (const { value, count } of facets![name]!)
      expect((await search({ group_by: 'document', ...narrow[name](value) })).results, `${name} ${value}`).toHaveLength(count)
  }
})

test('filters and operators apply before facets count', async () => {
  expect((await search({ facets: ['tag'], filter: { tags: ['shop'] } })).facets).toEqual({
    tag: [
      { value: 'legal', count: 1 },
      { value: 'shop', count: 1 },
    ],
  })
  expect((await search({ query: 'refunds -late', facets: ['folder'] })).facets).toEqual({
    folder: [{ value: 'legal/', count: 1 }],
  })
  expect((await search({ query: 'refunds name:nothing', facets: ['tag', 'year'] })).facets).toEqual({ tag: [], year: [] })
})

test('an answer has facets only if the request asks for them', async () => {
  expect(await search()).not.toHaveProperty('facets')
  expect((await search({ facets: [] })).facets).toEqual({})
})

test.each([
  [{ sort: 'date' }, 'sort must be one of relevance, newest, name, not "date".'],
  [{ facets: ['tag', 'size'] }, 'facets.1 must be one of project, folder, media_type, tag, year, not "size".'],
  [{ facets: 'tag' }, 'facets must be a list, not "tag".'],
  [{ facets: [...ALL, 'tag'] }, 'facets has 6 entries; the limit is 5.'],
])('answers 400 to %j', async (json, detail) => {
  expect(await app.alice.post('/api/v1/search', { query: 'x', ...json })).toMatchObject({
    status: 400,
    body: { code: errorCode('invalid_request'), detail },
  })
})
