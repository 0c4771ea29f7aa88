import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { DocumentList, UploadAnswer } from '../../src/contract/documents.ts'
import type { SearchAnswer } from '../../src/contract/search.ts'
import type { ProjectList } from '../../src/contract/projects.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'

let app: TestApp

beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app?.close())
afterEach(async () => expect(await app.received()).toEqual([]))

const sha256 = (content: string) => createHash('sha256').update(content).digest('hex')

test('uploads several files: creates the project, keeps paths in order and tags each file', async () => {
  const { status, body } = await app.alice.upload(
    [
      { name: 'a.txt', content: 'The first of them.' },
      { name: 'b.txt', content: 'The second of them.' },
    ],
    { project: 'Fresh', tags: 'one, two,,one', path: ['left/a.txt', 'right/b.txt'] },
  )
  expect(status).toBe(202)
  expect(body.rejected).toEqual([])
  expect(
    body.documents.map(({ name, path, tags, outcome, project, media_type }) => ({
      name,
      path,
      tags,
      outcome,
      project: project.name,
      media_type,
    })),
  ).toEqual([
    { name: 'a.txt', path: 'left/a.txt', tags: ['one', 'two'], outcome: 'created', project: 'Fresh', media_type: 'text/plain' },
    { name: 'b.txt', path: 'right/b.txt', tags: ['one', 'two'], outcome: 'created', project: 'Fresh', media_type: 'text/plain' },
  ])
  expect(body.documents[0]?.sha256).toBe(sha256('The first of them.'))
})

test('accepts a raw body with a name and any Content-Type that curl sends', async () => {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Prefer: 'wait=60' }
  const {
    status,
    body,
    headers: answered,
  } = await app.alice.call<UploadAnswer>('POST', '/api/v1/upload?name=notes.txt&project=Raw&tags=x&path=deep/notes.txt', {
    body: 'a raw body & nothing else',
    headers,
  })
  expect(status).toBe(200)
  expect(answered.get('preference-applied')).toBe('wait=60')
  expect(body.documents[0]).toMatchObject({
    name: 'notes.txt',
    path: 'deep/notes.txt',
    status: 'ready',
    tags: ['x'],
    project: { name: 'Raw' },
  })
})

test('reports the same bytes as unchanged, and replaces, keeps or refuses other bytes', async () => {
  const send = (content: string, on_conflict?: string) =>
    app.alice.upload([{ name: 'same.txt', content }], on_conflict === undefined ? {} : { on_conflict })
  const first = (await send('one')).body.documents[0]!
  expect((await send('one')).body.documents[0]).toMatchObject({ id: first.id, outcome: 'unchanged' })
  expect((await send('two')).body.documents[0]).toMatchObject({ id: first.id, outcome: 'replaced', sha256: sha256('two') })
  const kept = (await send('three', 'keep')).body.documents[0]!
  expect(kept.outcome).toBe('created')
  expect(kept.id).not.toBe(first.id)
  const refused = await send('four', 'error')
  expect([refused.status, refused.body]).toEqual([
    409,
    expect.objectContaining({
      code: errorCode('document_exists'),
      documents: [],
      rejected: [expect.objectContaining({ code: errorCode('document_exists') })],
    }),
  ])
})

test('takes the tags of a repeated upload, and a search by them finds the document', async () => {
  const id = await app.alice.ready('tagged.txt', 'The heron waits in the reeds.', { tags: 'draft' })
  const findsBy = async (tag: string) =>
    (await app.alice.post<SearchAnswer>('/api/v1/search', { query: 'heron reeds', filter: { tags: [tag] } })).body.results.map(
      ({ document }) => document.id,
    )
  expect(await findsBy('draft')).toEqual([id])
  const again = { name: 'tagged.txt', content: 'The heron waits in the reeds.' }
  const { body } = await app.alice.upload([again], { tags: 'final' }, { Prefer: 'wait=30' })
  expect(body.documents[0]).toMatchObject({ id, outcome: 'unchanged', tags: ['final'], status: 'ready' })
  expect([await findsBy('draft'), await findsBy('final')]).toEqual([[], [id]])
  expect((await app.alice.upload([again])).body.documents[0]).toMatchObject({ id, tags: ['final'] })
})

test('accepts the other files when some are rejected, and gives each refusal its code', async () => {
  const { status, body } = await app.alice.upload([
    { name: 'good.txt', content: 'This one is fine.' },
    { name: 'empty.txt', content: '' },
    { name: 'picture.pdf', content: new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]) },
    { name: 'old.doc', content: new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ...new Array(600).fill(0)]) },
  ])
  expect(status).toBe(202)
  expect(body.documents.map(({ name }) => name)).toEqual(['good.txt'])
  expect(body.rejected.map(({ name, code, convertible }) => [name, code, convertible])).toEqual([
    ['empty.txt', errorCode('empty_file'), undefined],
    ['picture.pdf', errorCode('unsupported_type'), undefined],
    ['old.doc', errorCode('unsupported_type'), true],
  ])
})

test.each([
  ['an empty file', [{ name: 'e.txt', content: '' }], 422, errorCode('empty_file')],
  [
    'an unknown type',
    [{ name: 'x.txt', content: new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]) }],
    415,
    errorCode('unsupported_type'),
  ],
  [
    'different causes',
    [
      { name: 'e.txt', content: '' },
      { name: 'x.txt', content: new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]) },
    ],
    422,
    errorCode('cannot_be_processed'),
  ],
] as const)('answers with the status of the cause when all files are rejected for %s', async (_what, files, status, code) => {
  const answer = await app.alice.upload(files)
  expect(answer.status).toBe(status)
  expect(answer.body).toMatchObject({
    code: errorCode(code),
    status,
    documents: [],
    rejected: files.map(({ name }) => ({ name })),
  })
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/)
})

test('rejects the second of two files with one name', async () => {
  const { body } = await app.alice.upload([
    { name: 'twin.txt', content: 'left' },
    { name: 'twin.txt', content: 'right' },
  ])
  expect(body.documents).toHaveLength(1)
  expect(body.rejected.map(({ code }) => code)).toEqual([errorCode('duplicate_path')])
})

test('creates a project once for many uploads at the same time', async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) => app.alice.upload([{ name: `${i}.txt`, content: `number ${i}` }], { project: 'Raced' })),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(202))
  const { body } = await app.alice.get<ProjectList>('/api/v1/projects?limit=100')
  expect(body.projects.filter(({ name }) => name === 'Raced').map(({ document_count }) => document_count)).toEqual([8])
})

test('does not create a project named like an id', async () => {
  const answer = await app.alice.upload([{ name: 'a.txt', content: 'a' }], { project: 'prj_00000000000000000000000000' })
  expect([answer.status, answer.body]).toEqual([404, expect.objectContaining({ code: errorCode('project_not_found') })])
})

test('stores bytes unchanged, also when they look like the boundary', async () => {
  const boundary = 'XsimpleboundaryX'
  const traps = [`\r\n--${boundary.slice(0, -1)}`, '\r\n--', '\r', '\r\n', `--${boundary}`, `\r\n-${boundary}`]
  const content = Array.from({ length: 40_000 }, (_, i) => `line ${i} ${traps[i % traps.length]}`).join('')
  const body = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="traps.txt"\r\n\r\n${content}\r\n--${boundary}--\r\n`
  const { body: answer } = await app.alice.call<UploadAnswer>('POST', '/api/v1/upload', {
    body,
    headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
  })
  expect(answer.documents[0]).toMatchObject({ size_bytes: Buffer.byteLength(content), sha256: sha256(content) })
  // The hash is computed from what arrived, so this compares what was written.
  const { body: written } = await app.alice.get<string>(`/api/v1/documents/${answer.documents[0]!.id}/content`)
  expect(written === content).toBe(true)
})

test('answers 507 on a full disk before reading the body, and leaves nothing', async () => {
  const full = await startTestApp({ change: () => ({ disk: async () => ({ ok: false, message: 'full', freeBytes: 0 }) }) })
  try {
    const answer = await full.alice.upload([{ name: 'a.txt', content: 'x'.repeat(300_000) }])
    expect([answer.status, answer.body]).toEqual([507, expect.objectContaining({ code: errorCode('disk_full') })])
    expect((await full.alice.get<DocumentList>('/api/v1/documents')).body.documents).toEqual([])
  } finally {
    await full.close()
  }
})
