import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Health } from '../../src/contract/account.ts'
import { startTestApp, type TestApp } from '../support/app.ts'

let app: TestApp
const broken = { database: true, disk: true }
beforeAll(async () => {
  app = await startTestApp({
    change: ({ records }) => ({
      records: {
        ...records,
        check: () => (broken.database ? records.check() : Promise.resolve({ ok: false, message: 'the database is damaged' })),
      },
      disk: async () => ({ ok: broken.disk, message: broken.disk ? 'enough' : 'full', freeBytes: 0 }),
    }),
  })
})
afterAll(() => app?.close())

test('to a stranger: state and version, nothing more', async () => {
  const { status, body } = await app.stranger.get('/api/v1/health')
  expect([status, body]).toEqual([200, { status: 'ok', version: '0.0.0-test' }])
})

test('with a credential: time and every part', async () => {
  const { body } = await (await app.aliceWith('read:documents')).get<Health>('/api/v1/health')
  expect(body.uptime_s).toBeGreaterThanOrEqual(0)
  expect(Object.entries(body.checks ?? {}).map(([name, { status }]) => [name, status])).toEqual([
    ['database', 'ok'],
    ['index', 'ok'],
    ['embedder', 'ok'],
    ['reranker', 'ok'],
    ['queue', 'ok'],
    ['disk', 'ok'],
  ])
})

test('a full disk degrades, a broken database is 503', async () => {
  broken.disk = false
  expect(await app.stranger.get('/api/v1/health')).toMatchObject({ status: 200, body: { status: 'degraded' } })
  broken.database = false
  const { status, headers, body } = await app.alice.get<Health>('/api/v1/health')
  expect([status, headers.get('retry-after'), body.status]).toEqual([503, '10', 'unavailable'])
})
