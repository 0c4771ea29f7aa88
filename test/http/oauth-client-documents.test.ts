import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Answer } from '../../src/core/http-fetch.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'
import { pkce } from '../support/oauth-flow.ts'
import { testClock } from '../support/test-clock.ts'
import { PASSWORD, webClient } from '../support/web-client.ts'

const ADDRESS = 'https://agent.example.com/oauth/client.json'
const CALLBACK = 'http://127.0.0.1/callback'
const MINUTE_MS = 60_000
const DOCUMENT = { client_id: ADDRESS, client_name: 'Reading agent', redirect_uris: [CALLBACK] }

const clock = testClock()
const json = (body: unknown): Answer => ({
  status: 200,
  contentType: 'application/json',
  retryAfter: null,
  body: JSON.stringify(body),
})
/** What the internet answers, and which addresses were asked for. */
const internet = { answer: () => json(DOCUMENT), asked: [] as string[] }
let app: TestApp
let userId: string

beforeAll(async () => {
  app = await startTestApp({
    clock,
    oauth: { clientDocuments: true },
    fetchDocument: async (url) => {
      internet.asked.push(url.href)
      return internet.answer()
    },
  })
  const { records, accounts } = app.backend
  userId = (await records.users.findByEmail('alice@example.org'))!.id
  await accounts.setPassword(userId, PASSWORD)
})
afterAll(() => app?.close())
beforeEach(() => {
  internet.answer = () => json(DOCUMENT)
  internet.asked = []
  clock.advance(20 * MINUTE_MS)
})

const { verifier, query } = pkce()
const begin = (fields: Record<string, string> = {}) =>
  app.backend.oauth.authorize.begin(
    { response_type: 'code', client_id: ADDRESS, redirect_uri: CALLBACK, ...query, ...fields },
    { userId },
  )

/** Agrees to the request, and exchanges the code. */
async function tokens() {
  const outcome = await begin()
  if (outcome.kind !== 'ask') throw new Error(JSON.stringify(outcome))
  const { location } = await app.backend.oauth.authorize.approve(outcome.request, { id: userId })
  const code = new URL(location).searchParams.get('code')!
  return send({ grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: verifier })
}

async function send(fields: Record<string, string>) {
  return app.stranger.call('POST', '/api/oauth/token', { body: new URLSearchParams({ client_id: ADDRESS, ...fields }) })
}

test('an application that nobody registered logs a user in, and stays logged in', async () => {
  const { body } = await app.stranger.get('/.well-known/oauth-authorization-server')
  expect(body).toMatchObject({ client_id_metadata_document_supported: true })
  const first = await tokens()
  expect([first.status, first.body]).toMatchObject([200, { scope: 'read:documents write:documents' }])
  const refreshed = await send({ grant_type: 'refresh_token', refresh_token: String(first.body['refresh_token']) })
  expect(refreshed.status).toBe(200)
  expect(internet.asked, 'only the login needs the document').toEqual([ADDRESS])
  const [connection] = await app.backend.oauth.connections.list(userId)
  expect(connection).toMatchObject({ application: { id: ADDRESS, name: 'Reading agent' } })
  const ended = await app.alice.call('DELETE', `/api/v1/connections/${encodeURIComponent(ADDRESS)}`)
  expect(ended.status).toBe(204)
  expect((await send({ grant_type: 'refresh_token', refresh_token: String(refreshed.body['refresh_token']) })).status).toBe(400)
})

test('the user sees where the application comes from, and the document is fetched only for a user', async () => {
  const path = `/api/oauth/authorize?${new URLSearchParams({ response_type: 'code', client_id: ADDRESS, redirect_uri: CALLBACK, ...query })}`
  const visitor = webClient(app)
  const login = await visitor.get(path)
  expect([login.status, internet.asked]).toEqual([303, []])
  const form = await visitor.get(login.location!)
  expect(internet.asked).toEqual([])
  await visitor.logIn('alice@example.org', PASSWORD, form)
  const consent = await visitor.get(path)
  expect(consent.status).toBe(200)
  for (const shown of ['Reading agent', 'agent.example.com', '127.0.0.1', 'chose its own name'])
    expect(consent.text).toContain(shown)
  expect(internet.asked).toEqual([ADDRESS])
})

test('a document is fetched once in ten minutes, and a failure is forgotten after one', async () => {
  await Promise.all([begin(), begin(), begin()])
  expect(internet.asked).toHaveLength(1)
  clock.advance(10 * MINUTE_MS)
  internet.answer = () => ({ status: 500, contentType: 'text/html', retryAfter: null, body: '' })
  expect((await begin()).kind).toBe('page')
  internet.answer = () => json({ ...DOCUMENT, client_name: 'Reading agent 2' })
  expect((await begin()).kind).toBe('page')
  expect(internet.asked).toHaveLength(2)
  clock.advance(MINUTE_MS)
  expect(await begin()).toMatchObject({ kind: 'ask', request: { application: { name: 'Reading agent 2' } } })
})

test('when the document names fewer scopes, tokens lose the others at the next consent', async () => {
  const { body } = await tokens()
  const scopes = async () => {
    const response = await fetch(`${app.url}/api/v1/me`, { headers: { Authorization: `Bearer ${String(body['access_token'])}` } })
    return ((await response.json()) as { scopes: string[] }).scopes
  }
  expect(await scopes()).toEqual(['read:documents', 'write:documents'])
  clock.advance(10 * MINUTE_MS)
  internet.answer = () => json({ ...DOCUMENT, scope: 'read:documents' })
  await tokens()
  expect(await scopes()).toEqual(['read:documents'])
})

test('an error leads to the application only by a link, also after a consent', async () => {
  await tokens()
  const location = expect.stringMatching(/^http:\/\/127\.0\.0\.1[^?]*\?error=invalid_scope&/)
  expect(await begin({ scope: 'x' })).toMatchObject({ kind: 'page', error: errorCode('invalid_scope'), location })
})

test('nothing is stored before the user agrees', async () => {
  const other = ADDRESS.replace('client', 'other')
  internet.answer = () => json({ ...DOCUMENT, client_id: other })
  expect((await begin({ client_id: other })).kind).toBe('ask')
  expect(await app.backend.records.oauth.registrations.get(other)).toBeNull()
})

test('addresses that docsearch does not accept are left out, and a request for one is refused', async () => {
  const evil = 'javascript:alert(1)'
  internet.answer = () => json({ ...DOCUMENT, redirect_uris: [evil, 'cursor://x/cb', CALLBACK] })
  expect(await begin({ redirect_uri: evil })).toMatchObject({ kind: 'page', error: 'invalid_redirect_uri' })
  expect((await begin()).kind).toBe('ask')
})

describe('refuses', () => {
  test.each<[what: string, answer: Answer | Error, because: RegExp]>([
    [
      'an address that cannot be reached',
      new Error('connect ECONNREFUSED 10.0.0.7:443'),
      /^The document at client_id could not be fetched/,
    ],
    ['another status', { ...json(DOCUMENT), status: 302 }, /status 302 instead of 200/],
    ['a page', { ...json(DOCUMENT), contentType: 'text/html' }, /content type/],
    ['broken JSON', { ...json(DOCUMENT), body: '{' }, /JSON object/],
    ['a list', json([DOCUMENT]), /JSON object/],
    ['a document about another application', json({ ...DOCUMENT, client_id: `${ADDRESS}?` }), /differs from the address/],
    ['a document without addresses', json({ ...DOCUMENT, redirect_uris: [] }), /redirect_uris/],
    ['a document with other addresses only', json({ ...DOCUMENT, redirect_uris: ['http://app.example.com/'] }), /redirect_uris/],
    [
      'an application with a key',
      json({ ...DOCUMENT, token_endpoint_auth_method: 'private_key_jwt' }),
      /token_endpoint_auth_method/,
    ],
    ['a name with control characters', json({ ...DOCUMENT, client_name: 'a\u0007b' }), /client_name/],
  ])('%s', async (_what, answer, because) => {
    internet.answer = () => {
      if (answer instanceof Error) throw answer
      return answer
    }
    const outcome = await begin()
    expect(outcome).toMatchObject({ kind: 'page', description: expect.stringMatching(because) })
  })

  test.each([
    'https://agent.example.com',
    'https://agent.example.com/',
    'https://agent.example.com/a/../client.json',
    'https://agent.example.com/%2e/client.json',
    'https://AGENT.example.com/client.json',
    'https://agent.example.com:443/client.json',
    'https://user@agent.example.com/client.json',
    'https://agent.example.com/client.json#x',
    'https://[::1]/client.json',
    'https://bücher.example/client.json',
    `https://agent.example.com/${'a'.repeat(1000)}`,
    'https://',
  ])('the address %s, without a request', async (address) => {
    expect(await begin({ client_id: address })).toMatchObject({ kind: 'page', error: errorCode('invalid_client') })
    expect(internet.asked).toEqual([])
  })

  test('plain http, like any unknown application', async () => {
    expect(await begin({ client_id: 'http://agent.example.com/client.json' })).toMatchObject({
      kind: 'page',
      description: expect.stringMatching(/No application/),
    })
    expect(internet.asked).toEqual([])
  })
})

test('without the setting, no address is fetched', async () => {
  let asked = 0
  const closed = await startTestApp({
    fetchDocument: async () => {
      asked++
      return json(DOCUMENT)
    },
  })
  try {
    const { body } = await closed.stranger.get('/.well-known/oauth-authorization-server')
    expect(body).not.toHaveProperty('client_id_metadata_document_supported')
    const outcome = await closed.backend.oauth.authorize.begin(
      { response_type: 'code', client_id: ADDRESS, redirect_uri: CALLBACK, ...query },
      { userId },
    )
    expect([outcome.kind, asked]).toEqual(['page', 0])
  } finally {
    await closed.close()
  }
})

test('the real fetch reaches no address of this computer', async () => {
  const real = await startTestApp({ oauth: { clientDocuments: true } })
  try {
    const outcome = await real.backend.oauth.authorize.begin(
      { response_type: 'code', client_id: 'https://localhost/client.json', redirect_uri: CALLBACK, ...query },
      { userId },
    )
    expect(outcome).toMatchObject({ kind: 'page', description: expect.stringMatching(/could not be fetched/) })
  } finally {
    await real.close()
  }
})
