import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Document } from '../../src/contract/documents.ts'
import type { SearchAnswer } from '../../src/contract/search.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { makeDocx, makePdf, type Part } from '../support/make-documents.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app?.close())

// Long enough for several passages, each with the word of the query.
const PARAGRAPHS = Array.from(
  { length: 30 },
  (_, i) =>
    `Paragraph ${i} of the lease says “naïve” things about rent 😀 and more, ${'and more still, '.repeat(8)}so that it has a length.`,
)
const PARTS: Part[] = [{ heading: 'The lease' }, ...PARAGRAPHS.map((text) => ({ text: text.replace('😀', '') }))]

test.each([
  ['lease.txt', async () => Buffer.from(`${PARAGRAPHS.slice(0, 15).join('\r\n\r\n')}\f${PARAGRAPHS.slice(15).join('\n\n')}`), 2],
  [
    'lease.md',
    async () => Buffer.from(`---\ntitle: Lease\ntags: [rent]\n---\n# The lease\n\n${PARAGRAPHS.join('\n\n')}\n\n    code\n`),
    1,
  ],
  [
    'lease.html',
    async () => Buffer.from(`<nav>Home</nav><h1>The lease</h1>${PARAGRAPHS.map((text) => `<p>${text}</p>`).join('')}`),
    1,
  ],
  ['lease.docx', () => makeDocx(PARTS), 1],
  ['lease.pdf', () => makePdf([PARTS.slice(0, 9), PARTS.slice(9, 17), [], PARTS.slice(17, 25)]), 4],
])('%s: the text is exactly what is indexed, passage by passage and page by page', async (name, make, pageCount) => {
  const content = new Uint8Array(await make())
  const sent = await app.alice.upload([{ name, content }], {}, { Prefer: 'wait=60' })
  expect(sent.body.documents).toMatchObject([{ status: 'ready', page_count: pageCount }])
  const { id, chunk_count: chunks } = sent.body.documents[0] as Document
  const { body: text } = await app.alice.get<string>(`/api/v1/documents/${id}/text`)
  const pages = text.split('\f')
  expect(pages).toHaveLength(pageCount)
  for (const [i, page] of pages.entries())
    expect((await app.alice.get<string>(`/api/v1/documents/${id}/text?page=${i + 1}`)).body).toBe(page)

  const question = { query: 'rent lease still', mode: 'keyword', limit: 100, filter: { document_ids: [id] } }
  const { body } = await app.alice.post<SearchAnswer>('/api/v1/search', question)
  expect(chunks).toBeGreaterThan(2)
  // Neighbouring passages on a page are joined into one result.
  expect(body.results.length).toBeLessThanOrEqual(chunks!)
  const covered = new Set<number>()
  for (const { chunk, text: passage } of body.results) {
    expect(passage).toBe(text.slice(chunk.char_start, chunk.char_end))
    expect(pages.slice(chunk.page_start - 1, chunk.page_end).join('\f')).toContain(passage)
    for (let at = chunk.char_start; at < chunk.char_end; at++) covered.add(at)
  }
  const left = Array.from({ length: text.length }, (_, at) => (covered.has(at) ? '' : text[at])).join('')
  expect(left.trim()).toBe('')
})

test('a phrase is found across the marks of Markdown, at exact offsets into the text that is shown', async () => {
  const content =
    '# Leave\n\nEvery **employee** has a right to [*unpaid* leave](https://law.example/leave)[^1] of `ten` days.\n\n[^1]: Once.'
  const sent = await app.alice.upload([{ name: 'leave.md', content }], {}, { Prefer: 'wait=60' })
  const { id } = sent.body.documents[0] as Document
  const { body: text } = await app.alice.get<string>(`/api/v1/documents/${id}/text`)
  expect(text).toBe('Leave\n\nEvery employee has a right to unpaid leave of ten days.\n\n1: Once.')
  const query = '"every employee has a right to unpaid leave of ten days"'
  const { body } = await app.alice.post<SearchAnswer>('/api/v1/search', { query })
  expect(body.results.map(({ document }) => document.name)).toEqual(['leave.md'])
  const [{ chunk, text: passage }] = body.results as [SearchAnswer['results'][number]]
  expect(passage).toBe(text.slice(chunk.char_start, chunk.char_end))
})

test('a document gets the tags of its file, and a search can filter by them', async () => {
  const { body } = await app.alice.upload(
    [{ name: 'tagged.md', content: '---\ntags: [zebra]\n---\nAbout gnus.' }],
    {},
    { Prefer: 'wait=60' },
  )
  expect(body.documents).toMatchObject([{ status: 'ready', tags: ['zebra'] }])
  const found = await app.alice.post<SearchAnswer>('/api/v1/search', { query: 'gnus', filter: { tags: ['zebra'] } })
  expect(found.body.results.map(({ document }) => document.name)).toEqual(['tagged.md'])
})
