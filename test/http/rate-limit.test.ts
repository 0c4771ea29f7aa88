import { expect, onTestFinished, test } from 'vitest'
import { startTestApp } from '../support/app.ts'
import { loggedIn } from '../support/web-client.ts'
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

test('all keys and browsers of a user have one budget together, and another user is not affected', async () => {
  const app = await startTestApp({ http: { rateLimit: 4, userRateLimit: 6 } })
  onTestFinished(() => app.close())
  const second = await app.aliceWith('read:documents')
  const left = []
  for (const client of [app.alice, second, app.alice, second, app.alice]) {
    const { headers } = await client.get('/api/v1/me')
    left.push(`${headers.get('ratelimit-remaining')} of ${headers.get('ratelimit-limit')}`)
  }
  expect(left).toEqual(['3 of 4', '3 of 4', '2 of 4', '2 of 4', '1 of 4'])
  const browser = await loggedIn(app, 'alice@example.org')
  // The browser itself has sent one request of four. The headers show the budget that ends first.
  const { headers: sixth } = await browser.get('/settings/profile')
  expect([sixth.get('ratelimit-remaining'), sixth.get('ratelimit-limit')]).toEqual(['0', '6'])
  expect((await browser.get('/settings/profile')).status).toBe(429)
  const { status, headers, body } = await (await app.aliceWith('read:documents')).get('/api/v1/me')
  expect([status, headers.get('ratelimit-limit'), body]).toEqual([
    429,
    '6',
    expect.objectContaining({ code: errorCode('rate_limited'), limit: 6, detail: expect.stringContaining('together') }),
  ])
  expect((await app.bob.get('/api/v1/me')).status).toBe(200)
})

test('a key over its own limit leaves the rest of the budget to the other keys of its user', async () => {
  const app = await startTestApp({ http: { rateLimit: 2, userRateLimit: 3 } })
  onTestFinished(() => app.close())
  for (let i = 0; i < 10; i++) await app.alice.get('/api/v1/me')
  expect((await (await app.aliceWith('read:documents')).get('/api/v1/me')).status).toBe(200)
})

test('the addresses of one IPv6 network have one budget', async () => {
  const app = await limited(2, true)
  const from = async (address: string) => {
    const headers = { 'X-Forwarded-For': address }
    return (await app.stranger.call('GET', '/api/v1/health', { headers })).status
  }
  const statuses = []
  for (const address of ['2001:db8:0:1::1', '2001:db8:0:1::2', '2001:db8:0:1:5::', '2001:db8:0:2::1'])
    statuses.push(await from(address))
  expect(statuses).toEqual([200, 200, 429, 200])
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
