import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Document } from '../../src/contract/documents.ts'
import type { Project } from '../../src/contract/projects.ts'
import type { SearchAnswer } from '../../src/contract/search.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app?.close())

const update = (id: string, json: object) => app.alice.call<Document>('PATCH', `/api/v1/documents/${id}`, { json })

async function vectorsOf(id: string) {
  const { index } = app.backend.lifecycle.active()!
  await index.catchUp()
  return index.vectors(id)
}

async function found(query: string, more: object = {}): Promise<string[]> {
  const { body } = await app.alice.post<SearchAnswer>('/api/v1/search', { query, mode: 'keyword', ...more })
  return body.results.map(({ document }) => document.path)
}

test('a document is found by its new name, title, path, tags and project as soon as it is changed', async () => {
  const id = await app.alice.ready('plain.txt', 'The heron stands in the reeds.', {
    project: 'Before',
    tags: 'old',
    path: 'a/plain.txt',
  })
  await app.alice.post<Project>('/api/v1/projects', { name: 'After' })
  const vectorsBefore = await vectorsOf(id)
  const change = { name: 'Quagmire.txt', title: 'Zephyrs', path: 'b/quagmire.txt', tags: ['new', 'wet', 'new'], project: 'After' }
  const { status, body } = await update(id, change)
  expect([status, body]).toMatchObject([
    200,
    {
      id,
      status: 'ready',
      name: 'Quagmire.txt',
      title: 'Zephyrs',
      path: 'b/quagmire.txt',
      tags: ['new', 'wet'],
      project: { name: 'After' },
    },
  ])
  const path = ['b/quagmire.txt']
  for (const query of ['heron', 'quagmire', 'zephyrs']) expect(await found(query), query).toEqual(path)
  for (const filter of [{ path_prefix: 'b/' }, { tags: ['wet'] }]) expect(await found('heron', { filter })).toEqual(path)
  for (const filter of [{ path_prefix: 'a/' }, { tags: ['old'] }]) expect(await found('heron', { filter })).toEqual([])
  expect([await found('heron', { project: 'After' }), await found('heron', { project: 'Before' })]).toEqual([path, []])
  expect((await app.alice.get<Project>('/api/v1/projects/After')).body).toMatchObject({ document_count: 1, chunk_count: 1 })
  expect((await app.alice.get<Project>('/api/v1/projects/Before')).body).toMatchObject({ document_count: 0, chunk_count: 0 })
  const vectors = await vectorsOf(id)
  expect(vectors.get(0)?.vector).toEqual(vectorsBefore.get(0)?.vector)
  expect(await app.backend.lifecycle.active()!.index.countPassages()).toBe(1)
  expect((await app.alice.get<string>(`/api/v1/documents/${id}/text`)).body).toBe('The heron stands in the reeds.')
})

test('what is left out stays, and a title stays when the document is processed again', async () => {
  const id = await app.alice.ready('stays.txt', 'The kestrel hovers.', { tags: 'x' })
  expect((await update(id, { title: 'A falcon' })).body).toMatchObject({ name: 'stays.txt', path: 'stays.txt', tags: ['x'] })
  await app.alice.call('POST', `/api/v1/documents/${id}/reprocess`)
  const projectId = (await app.alice.get<Document>(`/api/v1/documents/${id}`)).body.project.id
  expect(await app.backend.ingest.settled(new Set([projectId]), [id], 60_000)).toBe(true)
  expect((await app.alice.get<Document>(`/api/v1/documents/${id}`)).body).toMatchObject({ status: 'ready', title: 'A falcon' })
  expect(await found('falcon')).toEqual(['stays.txt'])
})

test('the same path in one project is taken, in another one it is free', async () => {
  const id = await app.alice.ready('one.txt', 'One.', { project: 'Taken' })
  await app.alice.ready('two.txt', 'Two.', { project: 'Taken' })
  expect(await update(id, { path: 'two.txt' })).toMatchObject({ status: 409, body: { code: errorCode('path_taken') } })
  await app.alice.ready('one.txt', 'Another.', { project: 'Free' })
  expect(await update(id, { project: 'Free' })).toMatchObject({ status: 409, body: { code: errorCode('path_taken') } })
  expect((await update(id, { project: 'Free', path: 'two.txt' })).status).toBe(200)
  expect(await update(id, { project: 'Nowhere' })).toMatchObject({ status: 404, body: { code: errorCode('project_not_found') } })
})

test('tags are added to the others and removed from them, up to the limit', async () => {
  const id = await app.alice.ready('tagged.txt', 'The plover runs.', { tags: 'a,b' })
  expect((await update(id, { add_tags: ['c', 'a'], remove_tags: ['b', 'x'] })).body).toMatchObject({ tags: ['a', 'c'] })
  const many = Array.from({ length: 99 }, (_, i) => `tag ${i}`)
  expect(await update(id, { add_tags: many })).toMatchObject({ status: 422, body: { code: errorCode('too_many_tags') } })
  const batch = { action: 'update', ids: [id, 'doc_00000000000000000000000000'] }
  const added = await app.alice.post<{ results: unknown[] }>('/api/v1/documents/batch', { ...batch, add_tags: ['d'] })
  expect(added.body.results).toEqual([
    { id, status: 200 },
    { id: 'doc_00000000000000000000000000', status: 404, code: 'document_not_found' },
  ])
  const full = await app.alice.post<{ results: unknown[] }>('/api/v1/documents/batch', { ...batch, ids: [id], add_tags: many })
  expect(full.body.results).toEqual([{ id, status: 422, code: 'too_many_tags' }])
  expect((await app.alice.get<Document>(`/api/v1/documents/${id}`)).body.tags).toEqual(['a', 'c', 'd'])
  expect((await app.alice.post('/api/v1/documents/batch', batch)).status).toBe(400)
})

test.each([
  [{}, ''],
  [{ name: 'a/b' }, 'name'],
  [{ name: ' ' }, 'name'],
  [{ path: 'a\nb' }, 'path'],
  [{ tags: ['a,b'] }, 'tags.0'],
  [{ tags: ['a'], add_tags: ['b'] }, 'tags'],
  [{ colour: 'red' }, 'colour'],
])('refuses %j', async (change, path) => {
  const id = await app.alice.ready('refused.txt', 'Refused.')
  expect(await update(id, change)).toMatchObject({
    status: 400,
    body: { errors: expect.arrayContaining([expect.objectContaining({ path })]) },
  })
})

test('many documents are changed at once while others are uploaded, and each is found where it is', async () => {
  const ids = await Promise.all(Array.from({ length: 12 }, (_, i) => app.alice.ready(`many-${i}.txt`, `Marmot number ${i}.`)))
  await Promise.all([
    ...ids.map((id, i) => update(id, { path: `moved/${i}.txt` })),
    ...ids.slice(0, 4).map((_, i) => app.alice.ready(`more-${i}.txt`, `Badger number ${i}.`)),
  ])
  expect(new Set(await found('marmot', { limit: 50 }))).toEqual(new Set(ids.map((_, i) => `moved/${i}.txt`)))
  expect(new Set(await found('marmot', { limit: 50, filter: { path_prefix: 'moved/' } }))).toHaveLength(12)
  expect(await found('marmot', { filter: { path_prefix: 'many' } })).toEqual([])
})
