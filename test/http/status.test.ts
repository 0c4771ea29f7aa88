import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Status } from '../../src/contract/status.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await app.alice.ready('trees.txt', 'Linden trees line the street.')
  await app.bob.ready('bees.txt', 'The hive swarmed in May.')
  await app.bob.post('/api/v1/search', { query: 'hive' })
})
afterAll(() => app?.close())

test('shows the owner the whole instance', async () => {
  const { body } = await app.alice.get<Status>('/api/v1/status')
  expect(body).toMatchObject({
    status: 'ok',
    version: '0.0.0-test',
    documents: { ready: 2, queued: 0, processing: 0, failed: 0 },
  })
  expect(body.instance).toMatchObject({
    queue_oldest_s: null,
    recent: { searches: 1, documents_ready: 2, passages: 2, search_ms: { max: expect.any(Number) } },
    index: { passages: 2, unindexed: 0 },
    memory: { resident_bytes: 2e8 },
    storage: { folder: app.folder, free_bytes: 1e12, total_bytes: 2e12 },
    users: { active: 2, disabled: 0 },
  })
  expect(body.instance!.index!.memory_bytes).toBeGreaterThan(0)
})

test('shows other users and limited keys of the owner only their own documents', async () => {
  expect((await app.bob.get<Status>('/api/v1/status')).body).toMatchObject({ documents: { ready: 1 }, instance: null })
  const { key } = (await app.alice.post<{ key: string }>('/api/v1/keys', { name: 'k', projects: ['default'] })).body
  const limited = await app.stranger.call<Status>('GET', '/api/v1/status', { headers: { Authorization: `Bearer ${key}` } })
  expect(limited.body).toMatchObject({ documents: { ready: 1 }, instance: null })
})

test('needs the scope to read documents', async () => {
  const client = await app.aliceWith('write:documents')
  expect(await client.get('/api/v1/status')).toMatchObject({ status: 403, body: { code: errorCode('insufficient_scope') } })
})
