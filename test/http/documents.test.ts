import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Document, DocumentList } from '../../src/contract/documents.ts'
import type { Project, ProjectDeleted, ProjectList } from '../../src/contract/projects.ts'
import type { SearchAnswer } from '../../src/contract/search.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { visibleTo } from '../support/visible.ts'
import { makePdf } from '../support/make-documents.ts'
import { errorCode, warningCode } from '../support/codes.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app?.close())

const names = async (query: string) =>
  (await app.alice.get<DocumentList>(`/api/v1/documents${query}`)).body.documents.map(({ name }) => name).toSorted()

test('lists documents by project, status, part of the name and hash, each on one result page', async () => {
  const text = 'Listed: one'
  await app.alice.ready('Listed-one.txt', text, { project: 'Lists' })
  await app.alice.ready('listed-two.txt', 'Listed: two', { project: 'Lists' })
  await app.alice.ready('other.txt', 'Listed: other')
  expect(await names('?project=Lists')).toEqual(['Listed-one.txt', 'listed-two.txt'])
  expect(await names('?name=LISTED')).toEqual(['Listed-one.txt', 'listed-two.txt'])
  expect(await names(`?sha256=${createHash('sha256').update(text).digest('hex')}`)).toEqual(['Listed-one.txt'])
  expect(await names('?status=failed')).toEqual([])
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { body }: { body: DocumentList } = await app.alice.get<DocumentList>(
      `/api/v1/documents?limit=1${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    )
    seen.push(...body.documents.map(({ name }) => name))
    cursor = body.next_cursor
  }
  expect(seen.toSorted()).toEqual(await names(''))
})

test('lists documents by the beginning of the path, by tag and by type', async () => {
  await app.alice.ready('deep.txt', 'Deep.', { project: 'Filters', path: 'a_b/deep.txt', tags: 'x,y' })
  await app.alice.ready('flat.md', '# Flat', { project: 'Filters', path: 'aXb/flat.md', tags: 'xx' })
  expect(await names('?project=Filters&path_prefix=a_b/')).toEqual(['deep.txt'])
  expect(await names('?path_prefix=aXb')).toEqual(['flat.md'])
  expect(await names('?project=Filters&path_prefix=A_B')).toEqual([])
  expect(await names('?tag=x')).toEqual(['deep.txt'])
  expect(await names('?tag=x&tag=none')).toEqual(['deep.txt'])
  expect((await app.alice.get(`/api/v1/documents?${'tag=x&'.repeat(101)}`)).status).toBe(400)
  expect(await names('?project=Filters&media_type=text/markdown')).toEqual(['flat.md'])
  expect((await app.alice.get('/api/v1/documents?path_prefix=')).status).toBe(400)
})

test('sorts documents, in both orders', async () => {
  await app.alice.ready('B small.txt', 'B.', { project: 'Sorted' })
  await app.alice.ready('a large.txt', 'A large one. '.repeat(20), { project: 'Sorted' })
  await app.alice.ready('c two pages.txt', 'First.\fSecond.', { project: 'Sorted' })
  const first = async (query: string) => {
    const { body } = await app.alice.get<DocumentList>(`/api/v1/documents?project=Sorted&limit=1&${query}`)
    return body.documents[0]!.name
  }
  expect(await first('sort=newest')).toBe('c two pages.txt')
  expect(await first('order=asc')).toBe('B small.txt')
  expect(await first('sort=name')).toBe('a large.txt')
  expect(await first('sort=name&order=desc')).toBe('c two pages.txt')
  expect(await first('sort=size')).toBe('a large.txt')
  expect(await first('sort=pages')).toBe('c two pages.txt')
  expect((await app.alice.get('/api/v1/documents?trashed=true&sort=name')).status).toBe(400)
})

test('lists documents with warnings, or without', async () => {
  await app.alice.ready('warned.txt', '   ', { project: 'Warned' })
  await app.alice.ready('fine.txt', 'Fine.', { project: 'Warned' })
  expect(await names('?project=Warned&warnings=true')).toEqual(['warned.txt'])
  expect(await names('?project=Warned&warnings=false')).toEqual(['fine.txt'])
  expect((await app.alice.get('/api/v1/documents?warnings=maybe')).status).toBe(400)
})

test.each([
  ['?project=nobody', 404, errorCode('project_not_found')],
  ['?limit=0&status=done&sha256=x&colour=red', 400, errorCode('invalid_request')],
  ['?sort=colour', 400, errorCode('invalid_request')],
  ['?limit=1&limit=2', 400, errorCode('invalid_request')],
  ['?cursor=not-ours', 400, errorCode('invalid_cursor')],
  ['?__proto__=1', 400, errorCode('invalid_request')],
] as const)('listing documents with %s is %i %s', async (query, status, code) => {
  expect(await app.alice.get(`/api/v1/documents${query}`)).toMatchObject({ status, body: { code: errorCode(code) } })
})

test('a deleted document, its content, its text and its search results are gone at once', async () => {
  const id = await app.alice.ready('doomed.txt', 'The zanzibarian clause ends here.')
  expect((await app.alice.call('DELETE', `/api/v1/documents/${id}`)).status).toBe(204)
  for (const path of ['', '/content', '/text']) expect((await app.alice.get(`/api/v1/documents/${id}${path}`)).status).toBe(404)
  expect((await app.alice.call('DELETE', `/api/v1/documents/${id}`)).status).toBe(404)
  const { body } = await app.alice.post<SearchAnswer>('/api/v1/search', { query: 'zanzibarian', mode: 'keyword' })
  expect(body.results).toEqual([])
})

test('reprocessing is 202, and the document gets ready again with the same text', async () => {
  const id = await app.alice.ready('again.txt', 'Read me twice.')
  expect(await app.alice.call('POST', `/api/v1/documents/${id}/reprocess`)).toMatchObject({ status: 202, body: { id } })
  const owner = (await app.backend.records.users.owner())!
  expect(await app.backend.ingest.settled(await visibleTo(app.backend.records, owner.id), [id], 60_000)).toBe(true)
  expect((await app.alice.get<Document>(`/api/v1/documents/${id}`)).body.status).toBe('ready')
  expect((await app.alice.get<string>(`/api/v1/documents/${id}/text`)).body).toBe('Read me twice.')
})

test('returns the text of a document or of one page, and 404 for a page that does not exist', async () => {
  const id = await app.alice.ready('pages.txt', 'first page\fsecond page')
  const whole = await app.alice.get<string>(`/api/v1/documents/${id}/text`)
  expect([whole.headers.get('content-type'), whole.body]).toEqual(['text/plain; charset=utf-8', 'first page\fsecond page'])
  expect((await app.alice.get<string>(`/api/v1/documents/${id}/text?page=2`)).body).toBe('second page')
  expect(await app.alice.get(`/api/v1/documents/${id}/text?page=3`)).toMatchObject({
    status: 404,
    body: { code: errorCode('page_not_found') },
  })
})

test('a PDF with pages without text is ready, and its health counts them', async () => {
  const send = async (name: string, ...pages: string[]) => {
    const content = await makePdf(pages.map((text) => (text === '' ? [] : [{ text }])))
    const answer = await app.alice.upload([{ name, content: new Uint8Array(content) }], {}, { Prefer: 'wait=60' })
    return answer.body.documents[0]!
  }
  expect(await send('partly.pdf', 'The kingfisher waits.', '', '')).toMatchObject({
    status: 'ready',
    page_count: 3,
    health: { pages: 3, pages_with_text: 1, pages_without_text: 2 },
  })
  expect(await send('scan.pdf', '', '')).toMatchObject({
    status: 'ready',
    chunk_count: 0,
    warnings: [{ code: warningCode('no_text') }],
    health: { pages: 2, pages_with_text: 0, pages_without_text: 2 },
  })
})

// The API finds projects by ID and by name, so such a name would be ambiguous.
test('the name of a project must not look like an ID', async () => {
  const { id } = (await app.alice.post<Project>('/api/v1/projects', { name: 'Original' })).body
  const refusal = { status: 400, body: { errors: [{ path: 'name', message: 'must not look like the ID of a project' }] } }
  expect(await app.alice.post('/api/v1/projects', { name: id })).toMatchObject(refusal)
  expect(await app.alice.call('PATCH', '/api/v1/projects/Original', { json: { name: id } })).toMatchObject(refusal)
  const { body } = await app.alice.upload([{ name: 'by-id.txt', content: 'Into a project by its id.' }], { project: id })
  expect(body.documents[0]?.project).toEqual({ id, name: 'Original' })
  await app.alice.call('DELETE', `/api/v1/projects/${id}`)
})

test('a project is created, found by ID and name, counted, renamed, and deleted with its documents', async () => {
  const created = await app.alice.post<Project>('/api/v1/projects', { name: 'Contracts / 2026', description: 'Signed ones' })
  expect([created.status, created.headers.get('location')]).toEqual([201, `${app.url}/api/v1/projects/${created.body.id}`])
  expect(await app.alice.post('/api/v1/projects', { name: 'Contracts / 2026' })).toMatchObject({
    status: 409,
    body: { code: errorCode('project_exists') },
  })
  await app.alice.ready('in-it.txt', 'A contract of nine words stands in this file.', { project: 'Contracts / 2026' })
  const byName = await app.alice.get<Project>(`/api/v1/projects/${encodeURIComponent('Contracts / 2026')}`)
  expect(byName.body).toMatchObject({ id: created.body.id, document_count: 1, statuses: { ready: 1 } })
  expect(await app.alice.call('PATCH', `/api/v1/projects/${created.body.id}`, { json: { name: 'Signed' } })).toMatchObject({
    status: 200,
    body: { name: 'Signed', description: 'Signed ones' },
  })
  expect(await app.alice.call('PATCH', `/api/v1/projects/${created.body.id}`, { json: { name: 'Lists' } })).toMatchObject({
    status: 409,
  })
  const deleted = await app.alice.call<ProjectDeleted>('DELETE', '/api/v1/projects/Signed')
  expect([deleted.status, deleted.body]).toEqual([200, { id: created.body.id, name: 'Signed', documents_deleted: 1 }])
  expect((await app.alice.get(`/api/v1/projects/${created.body.id}`)).status).toBe(404)
  expect((await app.alice.get<ProjectList>('/api/v1/projects')).body.projects.map(({ name }) => name)).not.toContain('Signed')
})
