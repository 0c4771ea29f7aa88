import { expect, onTestFinished, test } from 'vitest'
import { startTestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'

async function limited(rateLimit: number, trustProxy = false) {
  const app = await startTestApp({ http: { rateLimit, trustProxy } })
  onTestFinished(() => app.close())
  return app
}

test('a key over its limit learns when to continue, and another key is not affected', async () => {
  const app = await limited(3)
  const left = []
  for (let i = 0; i < 3; i++) {
    const { status, headers } = await app.alice.get('/api/v1/me')
    expect([status, headers.get('ratelimit-limit')]).toEqual([200, '3'])
    left.push(headers.get('ratelimit-remaining'))
  }
  expect(left).toEqual(['2', '1', '0'])
  const { status, headers, body } = await app.alice.get('/api/v1/me')
  expect([status, body]).toEqual([429, expect.objectContaining({ code: errorCode('rate_limited'), limit: 3 })])
  expect([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]).toEqual(['3', '0'])
  expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
  expect((await app.bob.get('/api/v1/me')).status).toBe(200)
})

test('0 means no limit', async () => {
  const app = await limited(0)
  for (let i = 0; i < 20; i++) expect((await app.alice.get('/api/v1/me')).headers.get('ratelimit-limit')).toBeNull()
})

test('wrong credentials from one address end in 429, while valid ones from there still work', async () => {
  const app = await limited(1000)
  const statuses = new Set<number>()
  for (let i = 0; i < 130; i++)
    statuses.add((await app.stranger.call('GET', '/api/v1/me', { headers: { Authorization: 'Bearer wrong' } })).status)
  expect([...statuses]).toEqual([401, 429])
  expect((await app.alice.get('/api/v1/me')).status).toBe(200)
})

test.each([
  ['behind a trusted proxy each address has its own limit, and the last address of the header counts', true, 401],
  ['X-Forwarded-For from anywhere else is ignored', false, 429],
])('%s', async (_what, trustProxy, elsewhere) => {
  const app = await limited(1000, trustProxy)
  const wrongFrom = async (address: string) => {
    const headers = { Authorization: 'Bearer wrong', 'X-Forwarded-For': address }
    return (await app.stranger.call('GET', '/api/v1/me', { headers })).status
  }
  // The proxy adds its address after what the caller wrote.
  for (let i = 0; i < 121; i++) await wrongFrom(`10.0.0.${i}, 192.0.2.1`)
  expect([await wrongFrom('192.0.2.1'), await wrongFrom('192.0.2.2')]).toEqual([429, elsewhere])
})
