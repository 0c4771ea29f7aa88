import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Health } from '../../src/contract/account.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { isOnServers } from '../support/on-servers.ts'
import { testClock } from '../support/test-clock.ts'

let app: TestApp
const clock = testClock()
const isWorking = { database: true, disk: true }
beforeAll(async () => {
  app = await startTestApp({
    clock,
    change: ({ records }) => ({
      records: {
        ...records,
        check: () => (isWorking.database ? records.check() : Promise.resolve({ ok: false, message: 'the database is damaged' })),
      },
      disk: async () => ({ ok: isWorking.disk, message: isWorking.disk ? 'enough' : 'full', freeBytes: 0 }),
    }),
  })
})
afterAll(() => app?.close())

test('without a credential, health returns only the state and the version', async () => {
  const { status, body } = await app.stranger.get('/api/v1/health')
  expect([status, body]).toEqual([200, { status: 'ok', version: '0.0.0-test' }])
})

test('with a credential, health also returns the uptime and each check', async () => {
  const { body } = await (await app.aliceWith('read:documents')).get<Health>('/api/v1/health')
  expect(body.uptime_s).toBeGreaterThanOrEqual(0)
  expect(Object.entries(body.checks ?? {}).map(([name, check]) => [name, check?.status])).toEqual([
    ['database', 'ok'],
    ...(isOnServers ? [['store', 'ok']] : []),
    ['index', 'ok'],
    ['embedder', 'ok'],
    ['reranker', 'ok'],
    ['queue', 'ok'],
    ['disk', 'ok'],
    ['originals', 'ok'],
  ])
})

test('a full disk is 200 "degraded", and a broken database is 503 "unavailable"', async () => {
  isWorking.disk = false
  // Without a credential, a report may be a second old.
  clock.advance(1000)
  expect(await app.stranger.get('/api/v1/health')).toMatchObject({ status: 200, body: { status: 'degraded' } })
  isWorking.database = false
  const { status, headers, body } = await app.alice.get<Health>('/api/v1/health')
  expect([status, headers.get('retry-after'), body.status]).toEqual([503, '10', 'unavailable'])
})
