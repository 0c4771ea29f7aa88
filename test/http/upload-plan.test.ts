import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DocumentList } from '../../src/contract/documents.ts'
import type { ProjectList } from '../../src/contract/projects.ts'
import type { UploadPlan, UploadPlanRequest } from '../../src/contract/upload-plan.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'

let app: TestApp

beforeAll(async () => {
  app = await startTestApp({ limits: { fileBytes: 1000 } })
})
afterAll(() => app?.close())

/** A file as a plan names it. */
const file = (path: string, content: string) => ({
  path,
  sha256: createHash('sha256').update(content).digest('hex'),
  size_bytes: Buffer.byteLength(content),
})

const plan = async (request: UploadPlanRequest) => (await app.alice.post<UploadPlan>('/api/v1/upload/plan', request)).body.files

const list = async (project: string) =>
  (await app.alice.get<DocumentList>(`/api/v1/documents?limit=100&project=${project}`)).body.documents

/** What is left to see of documents when nothing happens to them. */
const shape = (documents: Awaited<ReturnType<typeof list>>) =>
  documents.map(({ path, sha256, updated_at }) => `${path} ${sha256} ${updated_at}`).toSorted()

test.each(['replace', 'keep', 'error'] as const)('says with on_conflict=%s what the upload then does', async (on_conflict) => {
  const project = `Plan-${on_conflict}`
  await app.alice.ready('same.txt', 'The same.', { project, tags: 'old' })
  await app.alice.ready('other.txt', 'Before.', { project })
  await app.alice.ready('copied.txt', 'Before.', { project })
  await app.alice.upload([{ name: 'copied.txt', content: 'A copy.' }], { project, on_conflict: 'keep' }, { Prefer: 'wait=60' })
  const contents: [string, string][] = [
    ['new.txt', 'It is new.'],
    ['same.txt', 'The same.'],
    ['other.txt', 'After.'],
    ['copied.txt', 'A copy.'],
    ['large.txt', 'x'.repeat(1001)],
  ]
  for (const tags of [[], ['old'], ['fresh']]) {
    const planned = await plan({ project, on_conflict, tags, files: contents.map(([path, content]) => file(path, content)) })
    expect(planned.map(({ path }) => path)).toEqual(contents.map(([path]) => path))
    for (const [i, [name, content]] of contents.entries()) {
      const { state, is_needed, error, document } = planned[i]!
      const before = await list(project)
      const fields = { project, on_conflict, ...(tags.length > 0 && { tags }) }
      const { body } = await app.alice.upload([{ name, content }], fields, { Prefer: 'wait=60' })
      const done = body.documents[0]
      const about = `${name} with tags ${tags.join()}`
      expect(error?.code, about).toBe(body.rejected[0]?.code)
      if (!is_needed) expect(shape(await list(project)), about).toEqual(shape(before))
      else expect(shape(await list(project)), about).not.toEqual(shape(before))
      expect(state === 'unchanged', about).toBe(done?.outcome === 'unchanged')
      expect(document?.id, about).toBe(state === 'unchanged' ? done?.id : undefined)
      expect(state === 'new', about).toBe(!before.some(({ path }) => path === name))
    }
  }
})

test('an unchanged file whose document failed is needed, so that an upload tries it again', async () => {
  const contents = { 'works.txt': 'It works.', 'fails.pdf': '%PDF-1.7 broken' }
  const uploads = Object.entries(contents).map(([name, content]) => ({ name, content }))
  await app.alice.upload(uploads, { project: 'Failed' }, { Prefer: 'wait=60' })
  expect(await plan({ project: 'Failed', files: uploads.map(({ name, content }) => file(name, content)) })).toMatchObject([
    { state: 'unchanged', is_needed: false, document: { status: 'ready' } },
    { state: 'unchanged', is_needed: true, document: { status: 'failed' } },
  ])
})

test('creates no project, and sees no project of another user', async () => {
  await app.bob.ready('secret.txt', 'Of Bob.', { project: 'Of-Bob' })
  expect(await plan({ project: 'Of-Bob', files: [file('secret.txt', 'Of Bob.')] })).toEqual([
    { path: 'secret.txt', state: 'new', is_needed: true, error: null, document: null },
  ])
  const { projects } = (await app.alice.get<ProjectList>('/api/v1/projects?limit=100')).body
  expect(projects.map(({ name }) => name)).not.toContain('Of-Bob')
})

test('a credential that may only write learns nothing about a document whose bytes it does not have', async () => {
  await app.alice.ready('known.txt', 'Known.', { project: 'Write-only' })
  const writer = await app.aliceWith('write:documents')
  const files = [file('known.txt', 'Guessed.')]
  const { body } = await writer.post<UploadPlan>('/api/v1/upload/plan', { project: 'Write-only', files })
  expect(body.files).toEqual([{ path: 'known.txt', state: 'changed', is_needed: true, error: null, document: null }])
})

test.each([
  ['no file', { files: [] }, 'files'],
  ['too many files', { files: Array.from({ length: 1001 }, (_, i) => file(`${i}`, '')) }, 'files'],
  ['a path twice', { files: [file('a', '1'), file('a', '2')] }, 'files.1.path'],
  ['an invalid hash', { files: [{ ...file('a', '1'), sha256: 'A'.repeat(64) }] }, 'files.0.sha256'],
  ['an unknown field', { files: [file('a', '1')], colour: 'red' }, 'colour'],
])('refuses %s', async (_what, request, path) => {
  expect(await app.alice.post('/api/v1/upload/plan', request)).toMatchObject({
    status: 400,
    body: { code: errorCode('invalid_request'), errors: [{ path }] },
  })
})

test('answers 1,000 files at once', async () => {
  const files = Array.from({ length: 1000 }, (_, i) => file(`many/${i}.txt`, `${i}`))
  await app.alice.upload([{ name: '7.txt', content: '7' }], { project: 'Many', path: 'many/7.txt' })
  const planned = await plan({ project: 'Many', files })
  expect(planned.map(({ path }) => path)).toEqual(files.map(({ path }) => path))
  expect(planned.filter(({ state }) => state !== 'new').map(({ path }) => path)).toEqual(['many/7.txt'])
})
