import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SearchAnswer, SearchRequest } from '../../src/contract/search.ts'
import { startTestApp, type TestApp } from '../support/app.ts'

let app: TestApp

/** Returns the names of the documents found, best first. */
async function found(query: string, more: Partial<SearchRequest> = {}): Promise<string[]> {
  const { status, body } = await app.alice.post<SearchAnswer>('/api/v1/search', { query, group_by: 'document', ...more })
  expect(status).toBe(200)
  return body.results.map(({ document }) => document.name)
}

const page = (title: string, text: string) => `<!doctype html><title>${title}</title><main><p>${text}</p></main>`

/** Each text that a question asks for exactly, among texts that have the words of the question more often. */
const PARTS: [name: string, text: string][] = [
  [
    'exact.txt',
    'Order the valve 4711-B from the central store. It needs a gasket, two bolts and a week of time before it arrives.',
  ],
  ['near.txt', '4711 valves, part B. 4711 of them, all part B. B 4711 B 4711 B.'],
  ['longer.txt', 'The valve 4711-B-2. The valve 4711-B-3. The valve 4711-B-4.'],
  ['doi.txt', 'This work follows an earlier study (10.1016/j.cell.2018), which many other authors have cited since.'],
  ['doi-near.txt', 'Cell 2018, j. 10.1016 and 1016 in cell j of 2018: cell 10.1016, cell 2018.'],
  [
    'many.txt',
    Array.from({ length: 9 }, (_, i) => `The exact exact.txt, part ${i}. ${`It fills page ${i}. `.repeat(40)}`).join('\f'),
  ],
  ['notes.txt', 'See exact.txt, or exact, or EXACT. The file exact.txt is exact.'],
]

beforeAll(async () => {
  app = await startTestApp()
  const upload = (name: string, title: string, text: string) => app.alice.ready(name, page(title, text), { project: 'Reports' })
  await upload('ANNUALREPORT_2018.html', 'Form 10-K', 'Sales rose by four percent, and costs fell.')
  await upload('AMCOR_2020Q2_10K.html', 'Form 10-K', 'Sales fell by two percent, and costs rose.')
  await upload('minutes.html', 'Minutes', 'The board discussed the sales of the second quarter.')
  await app.alice.ready('of the.txt', 'Nothing else is in this file.', { project: 'Parts' })
  for (const [name, text] of PARTS) await app.alice.ready(name, text, { project: 'Parts' })
})
afterAll(() => app?.close())

test.each([
  ['annual report', 'ANNUALREPORT_2018.html'],
  ['annual sales of 2018', 'ANNUALREPORT_2018.html'],
  ['amcor sales', 'AMCOR_2020Q2_10K.html'],
  ['sales in q2 2020', 'AMCOR_2020Q2_10K.html'],
])('the words of a name are searched next to the title: %s', async (query, name) => {
  for (const mode of ['hybrid', 'keyword'] as const) {
    expect((await found(query, { mode }))[0]).toBe(name)
    expect((await found(query, { mode, rerank: false }))[0]).toBe(name)
  }
})

test.each([
  ['4711-B', 'exact.txt'],
  ['4711-b', 'exact.txt'],
  ['„4711-B“.', 'exact.txt'],
  ['10.1016/j.cell.2018', 'doi.txt'],
])('the passage with exactly the number %s comes first', async (query, name) => {
  for (const mode of ['hybrid', 'keyword'] as const)
    for (const rerank of [true, false]) expect((await found(query, { mode, rerank, project: 'Parts' }))[0]).toBe(name)
})

test.each(['exact.txt', 'exact', 'EXACT.TXT', ' Exact '])('the document with the name %j comes first', async (query) => {
  for (const mode of ['hybrid', 'keyword', 'vector'] as const)
    for (const group_by of ['document', 'chunk'] as const)
      expect((await found(query, { mode, group_by, project: 'Parts' }))[0]).toBe('exact.txt')
})

test('a document is found by a name whose words nothing else would find', async () => {
  expect((await found('of the', { mode: 'keyword' }))[0]).toBe('of the.txt')
  expect((await found('OF THE.TXT', { limit: 1 }))[0]).toBe('of the.txt')
})

test('explain says why a document comes first, and every document comes once', async () => {
  const { body } = await app.alice.post<SearchAnswer>('/api/v1/search', { query: 'exact', explain: true, limit: 100 })
  const [best, ...others] = body.results
  expect(best!.explain!.reserved).toEqual({ rank: 1, reason: 'The question is the name of the document.' })
  expect(others.map(({ chunk }) => chunk.id)).not.toContain(best!.chunk.id)
  expect(body.results.map(({ score }) => score)).toEqual(body.results.map(({ score }) => score).toSorted((a, b) => b - a))
})

test('a name counts only where the filter allows its document', async () => {
  expect(await found('exact.txt', { project: 'Reports' })).not.toContain('exact.txt')
  expect(await found('exact.txt', { project: 'Parts', filter: { path_prefix: 'doi' } })).not.toContain('exact.txt')
})

test('a quoted phrase comes first', async () => {
  expect((await found('"gasket, two bolts"', { project: 'Parts' }))[0]).toBe('exact.txt')
})
