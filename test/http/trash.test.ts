import { expect, onTestFinished, test } from 'vitest'
import type { AuditList } from '../../src/contract/audit.ts'
import type { Document, DocumentBatchAnswer, DocumentList } from '../../src/contract/documents.ts'
import type { SearchAnswer } from '../../src/contract/search.ts'
import type { ApiClient } from '../support/api-client.ts'
import { startTestApp, type TestApp, type TestAppOptions } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'

async function start(options: TestAppOptions = {}): Promise<TestApp> {
  const app = await startTestApp(options)
  onTestFinished(() => app.close())
  return app
}

const trashOf = async (client: ApiClient, query = '') =>
  (await client.get<DocumentList>(`/api/v1/documents?trashed=true${query}`)).body.documents
const found = async (client: ApiClient, query: string) =>
  (await client.post<SearchAnswer>('/api/v1/search', { query, mode: 'keyword', correct: false })).body.results.map(
    ({ document }) => document.id,
  )
const isReady = async (client: ApiClient, id: string) =>
  expect.poll(async () => (await client.get<Document>(`/api/v1/documents/${id}`)).body.status, { timeout: 20_000 }).toBe('ready')

test('a deleted document is only in the trash, and searches find it again under its ID once it is restored', async () => {
  const { alice } = await start()
  const id = await alice.ready('lantern.txt', 'The gatekeeper keeps the lantern.', { tags: 'gate' })
  const path = `/api/v1/documents/${id}`
  expect((await alice.call('DELETE', path)).status).toBe(204)
  for (const suffix of ['', '/content', '/text']) expect((await alice.get(path + suffix)).status).toBe(404)
  expect((await alice.call('DELETE', path)).status).toBe(404)
  expect(await found(alice, 'lantern')).toEqual([])
  expect((await alice.get<DocumentList>('/api/v1/documents')).body.documents).toEqual([])
  const [trashed] = await trashOf(alice)
  expect(trashed).toMatchObject({ id, path: 'lantern.txt', tags: ['gate'], trashed_at: expect.stringMatching(/Z$/) })
  expect(await trashOf(alice, '&name=lan')).toHaveLength(1)
  expect(await trashOf(alice, '&tag=other')).toEqual([])

  const restored = await alice.call<Document>('POST', `${path}/restore`)
  expect(restored).toMatchObject({ status: 202, body: { id, trashed_at: null, tags: ['gate'] } })
  await isReady(alice, id)
  expect(await found(alice, 'lantern')).toEqual([id])
  expect(await trashOf(alice)).toEqual([])
  // Restoring twice changes nothing.
  expect(await alice.call('POST', `${path}/restore`)).toMatchObject({ status: 202, body: { id, status: 'ready' } })
})

test('a replaced version can be restored, and the current version then goes to the trash', async () => {
  const { alice } = await start()
  const id = await alice.ready('note.txt', 'The ferry leaves at noon.')
  const { body } = await alice.upload([{ name: 'note.txt', content: 'The ferry leaves at dusk.' }])
  const [replaced] = body.documents
  expect(replaced).toMatchObject({ id, outcome: 'replaced', replaced_id: expect.stringMatching(/^doc_/) })
  const former = replaced!.replaced_id!
  expect(await alice.call('POST', `/api/v1/documents/${former}/restore`)).toMatchObject({
    status: 202,
    body: { path: 'note.txt', replaced_id: id },
  })
  await isReady(alice, former)
  expect(await found(alice, 'noon')).toEqual([former])
  expect(await found(alice, 'dusk')).toEqual([])
  expect((await trashOf(alice)).map((document) => document.id)).toEqual([id])
  const { body: log } = await alice.get<AuditList>('/api/v1/audit?action=document.restore')
  expect(log.events[0]).toMatchObject({ document: { id: former }, details: { replaced: id } })
  const { body: batch } = await alice.post<DocumentBatchAnswer>('/api/v1/documents/batch', { action: 'restore', ids: [id] })
  expect(batch.results).toEqual([{ id, status: 202, replaced_id: former }])
})

test('the trash is filtered by the status and the warnings before the deletion', async () => {
  const { alice } = await start()
  const ready = await alice.ready('ready.txt', 'A ready text.')
  const { body } = await alice.upload([{ name: 'empty.txt', content: '\n\n' }], {}, { Prefer: 'wait=20' })
  const warned = body.documents[0]!.id
  for (const id of [ready, warned]) await alice.call('DELETE', `/api/v1/documents/${id}`)
  const ids = async (query: string) => (await trashOf(alice, query)).map(({ id }) => id)
  expect([await ids('&warnings=true'), await ids('&warnings=false')]).toEqual([[warned], [ready]])
  expect([await ids('&status=failed'), await ids('&status=ready')]).toEqual([[], [warned, ready]])
})

test('a batch waits for the index only once', async () => {
  const calls: string[] = []
  const { alice } = await start({
    change: ({ ingest }) => ({
      ingest: {
        ...ingest,
        deleteDocument: (projects, id, options) => {
          calls.push(options?.isOneOfMany === true ? 'delete' : 'delete and wait')
          return ingest.deleteDocument(projects, id, options)
        },
        finishMany: () => (calls.push('wait'), ingest.finishMany()),
      },
    }),
  })
  const { body } = await alice.upload([1, 2, 3].map((n) => ({ name: `${n}.txt`, content: `Number ${n}.` })))
  const ids = body.documents.map(({ id }) => id)
  await alice.post('/api/v1/documents/batch', { action: 'delete', ids })
  expect(calls).toEqual(['delete', 'delete', 'delete', 'wait'])
  expect(await trashOf(alice)).toHaveLength(3)
})

test('permanent=true deletes a document for good, directly or from the trash', async () => {
  const { alice } = await start()
  const [one, other] = [await alice.ready('a.txt', 'One.'), await alice.ready('b.txt', 'Another.')]
  expect((await alice.call('DELETE', `/api/v1/documents/${one}?permanent=true`)).status).toBe(204)
  await alice.call('DELETE', `/api/v1/documents/${other}`)
  expect((await trashOf(alice)).map(({ id }) => id)).toEqual([other])
  expect((await alice.call('DELETE', `/api/v1/documents/${other}?permanent=true`)).status).toBe(204)
  expect(await trashOf(alice)).toEqual([])
  expect(await alice.call('POST', `/api/v1/documents/${other}/restore`)).toMatchObject({
    status: 404,
    body: { code: errorCode('document_not_found') },
  })
})

test('without a trash, deleted documents and replaced versions are gone', async () => {
  const { alice } = await start({ trashDays: 0 })
  const id = await alice.ready('a.txt', 'One.')
  const { body } = await alice.upload([{ name: 'a.txt', content: 'Two.' }])
  expect(body.documents[0]).toMatchObject({ outcome: 'replaced', replaced_id: null })
  await alice.call('DELETE', `/api/v1/documents/${id}`)
  expect(await trashOf(alice)).toEqual([])
})

test('readers and strangers see no trash and restore nothing, writers do', async () => {
  const { alice, bob } = await start()
  const id = await alice.ready('plan.txt', 'The plan.', { project: 'plans' })
  await alice.call('DELETE', `/api/v1/documents/${id}`)
  const bobId = (await bob.get<{ user: { id: string } }>('/api/v1/me')).body.user.id
  const restore = () => bob.call('POST', `/api/v1/documents/${id}/restore`)
  expect([await trashOf(bob), (await restore()).status]).toEqual([[], 404])
  const make = (role: string) => alice.call('PUT', `/api/v1/projects/plans/members/${bobId}`, { json: { role } })
  await make('reader')
  expect([await trashOf(bob), await trashOf(bob, '&project=plans'), (await restore()).status]).toEqual([[], [], 404])
  await make('writer')
  expect((await trashOf(bob, '&project=plans')).map((document) => document.id)).toEqual([id])
  expect((await restore()).status).toBe(202)
})

test('a batch has a result for each document, and continues after a document that is refused', async () => {
  const { alice, bob } = await start()
  const ids = [await alice.ready('a.txt', 'Apples.'), await alice.ready('b.txt', 'Pears.')]
  const foreign = await bob.ready('c.txt', 'Plums.')
  const batch = async (json: object) => (await alice.post<DocumentBatchAnswer>('/api/v1/documents/batch', json)).body.results
  const missing = { status: 404, code: errorCode('document_not_found') }
  expect(await batch({ action: 'delete', ids: [ids[1], foreign, ids[0]] })).toEqual([
    { id: ids[1], status: 204 },
    { id: foreign, ...missing },
    { id: ids[0], status: 204 },
  ])
  expect(await trashOf(alice)).toHaveLength(2)
  expect(await batch({ action: 'restore', ids })).toEqual(ids.map((id) => ({ id, status: 202 })))
  expect(await batch({ action: 'update', ids, tags: ['fruit'] })).toEqual(ids.map((id) => ({ id, status: 200 })))
  expect((await alice.get<Document>(`/api/v1/documents/${ids[0]}`)).body.tags).toEqual(['fruit'])
  expect(await batch({ action: 'reprocess', ids: [ids[0], 'doc_nobody'] })).toEqual([
    { id: ids[0], status: 202 },
    { id: 'doc_nobody', ...missing },
  ])
  expect(await batch({ action: 'delete', ids, permanent: true })).toEqual(ids.map((id) => ({ id, status: 204 })))
  expect(await trashOf(alice)).toEqual([])
  for (const wrong of [
    { action: 'delete', ids: [] },
    { action: 'delete', ids: ['a', 'a'] },
    { action: 'update', ids: ['a'] },
    { action: 'restore', ids: ['a'], tags: [] },
    { action: 'burn', ids: ['a'] },
    { action: 'delete', ids: Array.from({ length: 1001 }, (_, i) => `doc_${i}`) },
  ])
    expect((await alice.post('/api/v1/documents/batch', wrong)).status).toBe(400)
})
