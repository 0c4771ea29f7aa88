import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SearchAnswer, SearchRequest } from '../../src/contract/search.ts'
import { startTestApp, type TestApp } from '../support/app.ts'

let app: TestApp

beforeAll(async () => {
  app = await startTestApp()
  const text = 'The rent is due on the third working day.'
  await app.alice.ready('lease.txt', text, { path: 'contracts/2026/lease.txt', tags: 'signed,home' })
  await app.alice.ready('draft.md', text, { path: 'contracts/drafts/draft.md', tags: 'home' })
  await app.alice.ready('notes.txt', text, { path: 'notes/notes.txt', tags: 'to do' })
})
afterAll(() => app?.close())

async function found(query: string, more: Partial<SearchRequest> = {}): Promise<string[]> {
  const answer = await app.alice.post<SearchAnswer>('/api/v1/search', { query, group_by: 'document', ...more })
  expect(answer.status).toBe(200)
  return answer.body.results.map(({ document }) => document.name).toSorted()
}

test.each([
  ['rent path:contracts/', ['draft.md', 'lease.txt']],
  ['rent path:contracts/2026/ path:notes/', ['lease.txt', 'notes.txt']],
  ['rent path:Contracts/', []],
  ['rent -path:contracts/drafts/', ['lease.txt', 'notes.txt']],
  ['rent tag:home', ['draft.md', 'lease.txt']],
  ['rent tag:home tag:signed', ['lease.txt']],
  ['rent tag:"to do"', ['notes.txt']],
  ['rent -tag:home', ['notes.txt']],
  ['rent type:md', ['draft.md']],
  ['rent type:text/plain', ['lease.txt', 'notes.txt']],
  ['rent -type:txt -tag:signed', ['draft.md']],
])('%s', async (query, names) => {
  expect(await found(query)).toEqual(names)
})

test('operators narrow what the filter of the request allows', async () => {
  expect(await found('rent tag:home', { filter: { path_prefix: 'contracts/drafts/' } })).toEqual(['draft.md'])
  expect(await found('rent type:md', { filter: { media_types: ['text/plain'] } })).toEqual([])
  expect(await found('rent path:notes/', { filter: { tags: ['home'] } })).toEqual([])
})
