import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'
import { within } from '../support/until.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ publicUrl: 'https://search.example.org', http: { allowedHosts: ['docs.intranet'] } })
})
afterAll(() => app?.close())

/** Sends a request with any Host header, which fetch does not allow. */
function withHost(host: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${app.url}/api/v1/health`, { headers: { Host: host } }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => (body += text))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
    })
    sent.on('error', reject)
    sent.end()
  })
}

test.each([
  'localhost',
  'LOCALHOST:4747',
  '127.0.0.1:80',
  '[::1]:4747',
  '192.168.1.7',
  'search.example.org',
  'search.example.org:443',
  'docs.intranet:4747',
])('answers to %s', async (host) => expect((await withHost(host)).status).toBe(200))

test.each([
  'evil.example',
  'localhost.evil.example',
  'search.example.org.evil.example',
  '127.0.0.1.evil.example',
  '2130706433',
  'a@localhost',
  'evil.example:4747',
])('answers 403 to a forged Host %s', async (host) => {
  const { status, body } = await withHost(host)
  expect([status, JSON.parse(body)]).toEqual([403, expect.objectContaining({ code: errorCode('host_not_allowed') })])
})

const json = (body: string, headers: Record<string, string> = { 'Content-Type': 'application/json' }) =>
  app.alice.call('POST', '/api/v1/projects', { body, headers })

test.each([
  ['not JSON', '{"name": ', 400, errorCode('invalid_json')],
  ['a bare value', '"name"', 400, errorCode('invalid_json')],
  ['a field __proto__', '{"name": "x", "__proto__": {"polluted": true}}', 400, errorCode('invalid_json')],
  ['__proto__ further down', '{"name": "x", "description": {"__proto__": {"polluted": true}}}', 400, errorCode('invalid_json')],
  ['nothing', '', 400, errorCode('invalid_request')],
  ['a list', '[]', 400, errorCode('invalid_request')],
  ['deep JSON', `{"name": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 400, errorCode('invalid_request')],
  ['huge JSON', `{"name": "${'x'.repeat(1_100_000)}"}`, 413, errorCode('body_too_large')],
  ['control characters in a name', '{"name": "a\\u0000b"}', 400, errorCode('invalid_request')],
] as const)('refuses a body with %s', async (_what, body, status, code) => {
  expect(await json(body)).toMatchObject({ status, body: { code: errorCode(code) } })
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
})

test('says whether JSON is too long, broken or has __proto__', async () => {
  const detail = async (body: string) => (await json(body)).body['detail']
  expect(await detail(`{"name": "${'x'.repeat(1_100_000)}"}`)).toMatch(/1100012 bytes.*1000000/)
  expect(await detail('{"name": "x", "__proto__": {}}')).toContain('__proto__')
  expect(await detail('{"name": ')).not.toContain('__proto__')
})

test.each([
  ['no Content-Type', { 'Content-Type': '' }],
  ['text', { 'Content-Type': 'text/plain' }],
  ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }],
  ['another character set', { 'Content-Type': 'application/json; charset=latin1' }],
  ['an unknown encoding', { 'Content-Type': 'application/json', 'Content-Encoding': 'rot13' }],
])('answers 415 to %s', async (_what, headers) => {
  expect(await json('{"name": "x"}', headers)).toMatchObject({ status: 415, body: { code: errorCode('unsupported_media_type') } })
})

test('answers 400 to a body that does not match its encoding', async () => {
  expect(await json('{"name": "x"}', { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' })).toMatchObject({
    status: 400,
    body: { code: errorCode('invalid_json') },
  })
})

test('answers 404 to unknown paths, 405 with Allow to other methods, and the methods to OPTIONS', async () => {
  expect(await app.alice.get('/api/v1/nothing')).toMatchObject({ status: 404, body: { code: errorCode('not_found') } })
  const put = await app.alice.call('PUT', '/api/v1/projects')
  expect([put.status, put.headers.get('allow'), put.body]).toEqual([
    405,
    'HEAD, GET, POST, OPTIONS',
    expect.objectContaining({ code: errorCode('method_not_allowed') }),
  ])
  const options = await app.stranger.call('OPTIONS', '/api/v1/documents/doc_x')
  expect([options.status, options.headers.get('allow')]).toEqual([204, 'HEAD, GET, PATCH, DELETE, OPTIONS'])
})

test('refuses parameters where an endpoint has none', async () => {
  expect(await app.alice.get('/api/v1/me?verbose=1')).toMatchObject({ status: 400, body: { errors: [{ path: 'verbose' }] } })
})

test('keeps a valid X-Request-Id and replaces any other', async () => {
  expect((await app.alice.get('/api/v1/me', { 'X-Request-Id': 'trace-1234.abcd' })).headers.get('x-request-id')).toBe(
    'trace-1234.abcd',
  )
  expect((await app.alice.get('/api/v1/me', { 'X-Request-Id': 'a b"c' })).headers.get('x-request-id')).toMatch(/^req_/)
})

test('forbids caching answers to a credential, and makes links with the public address', async () => {
  const made = await app.alice.post('/api/v1/projects', { name: 'Linked' })
  expect(made.headers.get('cache-control')).toBe('no-store')
  expect(made.headers.get('location')).toMatch(/^https:\/\/search\.example\.org\/api\/v1\/projects\/prj_/)
})

test.each([
  ['/api/oauth/token', 413],
  ['/login', 413],
  ['/api/v1/search', 401],
])('%s refuses a long body, and the next request on its connection is answered', async (path, status) => {
  const { hostname, port, host } = new URL(app.url)
  const socket = connect(Number(port), hostname)
  const type = 'Content-Type: application/x-www-form-urlencoded'
  socket.write(`POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${type}\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(1_000_000)}`)
  socket.write(`GET /api/v1/health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  const statuses = (await within('both answers', text(socket))).match(/(?<=HTTP\/1.1 )\d+/g)
  expect(statuses).toEqual([String(status), '200'])
})
