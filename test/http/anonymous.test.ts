import { connect } from 'node:net'
import { once } from 'node:events'
import Koa from 'koa'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { Logger } from '../../src/core/logger.ts'
import { docsRoutes } from '../../src/http/api/docs/routes.ts'
import type { Dependencies } from '../../src/http/dependencies.ts'
import type { State } from '../../src/http/routing/context.ts'
import { apiRouter } from '../../src/http/routing/router.ts'
import { rateLimits } from '../../src/http/middleware/rate-limit.ts'
import { startTestApp, type TestAppOptions } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'
import { testClock } from '../support/test-clock.ts'
import { webClient } from '../support/web-client.ts'

async function start(options: TestAppOptions = {}) {
  const app = await startTestApp(options)
  onTestFinished(() => app.close())
  return app
}

test('the description of the API is made once, for any number of readers at the same moment', async () => {
  let made = 0
  const settings = { baseUrl: () => 'http://127.0.0.1', rateLimit: 0, userRateLimit: 0, stopping: new AbortController().signal }
  const routes = docsRoutes({ settings, version: '1' } as unknown as Dependencies, () => {
    made++
    return []
  })
  const app = new Koa<State>()
  for (const step of apiRouter(routes, { settings } as unknown as Dependencies, rateLimits(settings))) app.use(step)
  const server = app.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const read = async () => (await fetch(`${url}/api/openapi.json`)).text()
  expect(new Set(await Promise.all(Array.from({ length: 16 }, read))).size).toBe(1)
  expect(made).toBe(1)
})

test.each([
  ['/api/openapi.json', 'public, max-age=300'],
  ['/api/docs', 'public, max-age=300'],
  ['/api/docs/style.css', 'public, max-age=300'],
  ['/assets/style.css', 'no-cache'],
])('%s has an ETag, and is not sent again to a reader who has it', async (path, cacheControl) => {
  const app = await start()
  // Compressed answers have ETags of their own.
  const plain = { 'Accept-Encoding': 'identity' }
  const full = await fetch(app.url + path, { headers: plain })
  const body = await full.arrayBuffer()
  const etag = full.headers.get('etag')
  expect(etag).toMatch(/^"[\w-]{20,}"$/)
  const ask = async (method: string, ifNoneMatch: string) => {
    const answer = await fetch(app.url + path, { method, headers: { ...plain, 'If-None-Match': ifNoneMatch } })
    const { headers, status } = answer
    return {
      status,
      length: (await answer.arrayBuffer()).byteLength,
      etag: headers.get('etag'),
      cache: headers.get('cache-control'),
    }
  }
  const unchanged = { status: 304, length: 0, etag, cache: cacheControl }
  expect(await ask('GET', `"other", W/${etag}`)).toEqual(unchanged)
  expect(await ask('HEAD', String(etag))).toEqual(unchanged)
  expect(await ask('GET', '"other"')).toEqual({ ...unchanged, status: 200, length: body.byteLength })
  const head = await fetch(app.url + path, { method: 'HEAD', headers: plain })
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(body.byteLength)])
})

test('callers without a credential share a health report that is at most a second old', async () => {
  const clock = testClock()
  let checks = 0
  const app = await start({
    clock,
    change: ({ records }) => ({ records: { ...records, check: () => (checks++, records.check()) } }),
  })
  await Promise.all(Array.from({ length: 20 }, () => app.stranger.get('/api/v1/health')))
  expect(checks).toBe(1)
  clock.advance(1000)
  await app.stranger.get('/api/v1/health')
  expect(checks).toBe(2)
  await app.alice.get('/api/v1/health')
  expect(checks).toBe(3)
})

const many = (count: number) => Array.from({ length: count }, (_, i) => `${i}=1`).join('&')

test('a form with thousands of fields is refused before it is parsed', async () => {
  const app = await start()
  const page = await webClient(app).post('/login', many(5_000))
  expect([page.status, page.text]).toEqual([413, expect.stringContaining('the limit of 100 fields')])
})

test.each([
  ['application/x-www-form-urlencoded', many(5_000)],
  ['application/json', JSON.stringify(Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [i, '1'])))],
])('an OAuth request with thousands of fields is refused: %s', async (type, body) => {
  const app = await start()
  const answer = await app.stranger.call('POST', '/api/oauth/token', { body, headers: { 'Content-Type': type } })
  expect(answer).toMatchObject({ status: 413, body: { error: errorCode('invalid_request') } })
})

test.each(['/assets/style.css', '/login', '/api/openapi.json', '/api/oauth/authorize', '/api/v1/me', '/nothing'])(
  'a query that repeats a parameter 30,000 times is refused before it is parsed: %s',
  async (path) => {
    const app = await start()
    const answer = await fetch(`${app.url}${path}?${'a&'.repeat(30_000)}`)
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({
        code: errorCode('invalid_request'),
        detail: expect.stringContaining('the limit of 100 parameters'),
      }),
    ])
  },
)

test('an Authorization header with 60,000 spaces is read in one pass', async () => {
  const app = await start()
  // A search from every space took seconds for one request, so this many took minutes.
  for (let i = 0; i < 30; i++) {
    const headers = { Authorization: `Basic${' '.repeat(60_000)}x y`, 'Content-Type': 'application/x-www-form-urlencoded' }
    const answer = await app.stranger.call('POST', '/api/oauth/token', { body: 'grant_type=refresh_token', headers })
    expect(answer.status).toBe(400)
  }
})

test('a consent whose authorization request has thousands of parameters is refused before it is parsed', async () => {
  const app = await start()
  const browser = webClient(app)
  const { forms } = await browser.get('/login')
  const csrf = forms[0]?.fields.find(([name]) => name === 'csrf')?.[1] ?? ''
  const page = await browser.post('/api/oauth/authorize', {
    csrf,
    query: 'a&'.repeat(30_000).slice(0, 20_000),
    decision: 'allow',
  })
  expect([page.status, page.text]).toEqual([400, expect.stringContaining('the limit of 100 parameters')])
})

test.each([
  [false, 1],
  [true, 0],
])('X-Forwarded-For with trust_proxy %s is logged %i times', async (trustProxy, times) => {
  const warnings: (string | undefined)[] = []
  const quiet = () => {}
  const log: Logger = { debug: quiet, info: quiet, error: quiet, warn: (_, message) => warnings.push(message), child: () => log }
  const app = await start({ log, http: { trustProxy } })
  await app.stranger.get('/api/v1/health')
  expect(warnings).toEqual([])
  for (let i = 0; i < 3; i++) await app.stranger.get('/api/v1/health', { 'X-Forwarded-For': '192.0.2.1' })
  expect(warnings).toEqual(Array.from({ length: times }, () => expect.stringContaining('trust_proxy')))
})

test('a Content-Length over the limit is 413, also when it is over the free space', async () => {
  const app = await start({ change: () => ({ disk: async () => ({ ok: true, message: '', freeBytes: 1_000_000_000 }) }) })
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  socket.write(
    `POST /api/v1/upload?name=a.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${app.alice.key}\r\n` +
      'Content-Type: text/plain\r\nContent-Length: 99000000000\r\n\r\n',
  )
  const [answer] = (await once(socket.setEncoding('utf8'), 'data')) as [string]
  socket.destroy()
  expect(answer).toMatch(/^HTTP\/1\.1 413 /)
})
