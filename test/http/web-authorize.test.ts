import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApplicationRecord } from '../../src/core/model.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { loggedIn, PASSWORD, webClient, type WebClient, type WebPage } from '../support/web-client.ts'
import { errorCode } from '../support/codes.ts'

const AUTHORIZE = '/api/oauth/authorize'
const CALLBACK = 'https://app.example.com/callback'
const VERIFIER = 'a'.repeat(43)
const S256 = { code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'), code_challenge_method: 'S256' }
/** 2 KB of characters that careless building or parsing of an address loses. */
const HARD_STATE = 'a b&é"<>%00#+'.repeat(147)

let app: TestApp
let alice: WebClient
let application: ApplicationRecord
let secret: string
beforeAll(async () => {
  app = await startTestApp()
  alice = await loggedIn(app, 'alice@example.org')
  // An application of another user: every user may allow it.
  const created = await app.backend.oauth.applications.create({
    ownerId: (await userId('bob@example.org'))!,
    name: 'Notes & <b>Tasks</b>',
    type: 'confidential',
    redirectUris: [CALLBACK, 'https://app.example.com/with?tenant=7&x=%20', 'http://127.0.0.1/callback', 'com.example.app:/cb'],
  })
  application = created.application
  secret = created.secret!
})
afterAll(() => app?.close())

async function userId(email: string) {
  return (await app.backend.records.users.findByEmail(email))?.id
}

function query(change: Record<string, string | string[] | undefined> = {}): string {
  const all = { response_type: 'code', client_id: application.id, redirect_uri: CALLBACK, state: 'st4te', ...S256, ...change }
  return new URLSearchParams(
    Object.entries(all).flatMap(([name, value]) => [value ?? []].flat().map((one) => [name, one] as [string, string])),
  ).toString()
}

const ask = (change?: Parameters<typeof query>[0], client = alice) => client.get(`${AUTHORIZE}?${query(change)}`)

async function allow(page: WebPage): Promise<URL> {
  const answer = await alice.submit(page, AUTHORIZE, {}, 'Allow')
  expect([answer.status, answer.text]).toEqual([303, ''])
  return new URL(answer.location!)
}

async function redeem(code: string, change: Record<string, string> = {}) {
  const response = await fetch(`${app.url}/api/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      client_id: application.id,
      client_secret: secret,
      redirect_uri: CALLBACK,
      code_verifier: VERIFIER,
      ...change,
    }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}

test('login, consent and code lead to tokens that can search, with PKCE', async () => {
  const browser = webClient(app)
  const login = await browser.follow(await ask({ scope: 'read:documents' }, browser))
  expect(login.text).toContain('Log in to connect Notes & <b>Tasks</b>.')
  const consent = await browser.follow(await browser.submit(login, '/login', { email: 'alice@example.org', password: PASSWORD }))
  expect(consent.text).toContain('Allow Notes & <b>Tasks</b> to use your documents?')
  expect(consent.html).not.toContain('<b>Tasks')
  expect(consent.text).toContain('app.example.com')
  expect(consent.text).toContain('alice@example.org')
  const answer = await browser.submit(consent, AUTHORIZE, {}, 'Allow')
  const back = new URL(answer.location!)
  expect(back.searchParams.get('code')).toMatch(/^\w{64}$/)
  const { status, body } = await redeem(back.searchParams.get('code')!)
  expect([status, body]).toEqual([200, expect.objectContaining({ scope: 'read:documents', token_type: 'Bearer' })])
  const search = await fetch(`${app.url}/api/v1/search`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${body['access_token']}`, 'Content-Type': 'application/json' },
    body: '{"query":"anything"}',
  })
  expect(search.status).toBe(200)
})

test('the redirect names the issuer and returns the state unchanged, if any, with a code or an error', async () => {
  const metadata = (await (await fetch(`${app.url}/.well-known/oauth-authorization-server`)).json()) as { issuer: string }
  const consent = await ask({ state: HARD_STATE })
  expect(Buffer.byteLength(HARD_STATE)).toBeGreaterThan(2_000)
  const good = await allow(consent)
  const denied = new URL((await alice.submit(consent, AUTHORIZE, {}, 'Deny')).location!)
  const failed = new URL((await ask({ state: HARD_STATE, scope: 'everything' })).location!)
  expect([denied, failed].map(({ searchParams }) => searchParams.get('error'))).toEqual([
    errorCode('access_denied'),
    errorCode('invalid_scope'),
  ])
  for (const { searchParams, origin, pathname } of [good, denied, failed]) {
    expect(searchParams.get('state')).toBe(HARD_STATE)
    expect(searchParams.get('iss')).toBe(metadata.issuer)
    expect(origin + pathname).toBe(CALLBACK)
  }
  for (const location of [
    await allow(await ask({ state: undefined })),
    new URL((await ask({ state: undefined, scope: 'x' })).location!),
  ])
    expect(location.searchParams.has('state')).toBe(false)
})

test('a difficult state survives the login', async () => {
  const browser = webClient(app)
  const login = await browser.follow(await ask({ state: HARD_STATE }, browser))
  const consent = await browser.follow(await browser.submit(login, '/login', { email: 'alice@example.org', password: PASSWORD }))
  const back = new URL((await browser.submit(consent, AUTHORIZE, {}, 'Allow')).location!)
  expect(back.searchParams.get('state')).toBe(HARD_STATE)
})

test.each<[string, Record<string, string | string[] | undefined>, string]>([
  ['an unknown application', { client_id: 'app_unknown' }, errorCode('invalid_client')],
  ['no client ID', { client_id: undefined }, errorCode('invalid_request')],
  ['two client IDs', { client_id: ['app_1', 'app_2'] }, errorCode('invalid_request')],
  ['no redirect address', { redirect_uri: undefined }, errorCode('invalid_request')],
  ['another host', { redirect_uri: 'https://evil.example/callback' }, errorCode('invalid_redirect_uri')],
  ['a slash at the end', { redirect_uri: `${CALLBACK}/` }, errorCode('invalid_redirect_uri')],
  ['a path in another case', { redirect_uri: 'https://app.example.com/Callback' }, errorCode('invalid_redirect_uri')],
  ['a host in another case', { redirect_uri: 'https://APP.example.com/callback' }, errorCode('invalid_redirect_uri')],
  ['an added query', { redirect_uri: `${CALLBACK}?a=b` }, errorCode('invalid_redirect_uri')],
  ['an encoded dot', { redirect_uri: 'https://app.example.com/%2e/callback' }, errorCode('invalid_redirect_uri')],
  [
    'the registered host as a user name',
    { redirect_uri: 'https://app.example.com@evil.example/callback' },
    errorCode('invalid_redirect_uri'),
  ],
  ['a fragment', { redirect_uri: `${CALLBACK}#x` }, errorCode('invalid_redirect_uri')],
  [
    'the registered host as a subdomain of another host',
    { redirect_uri: 'https://app.example.com.evil.example/callback' },
    errorCode('invalid_redirect_uri'),
  ],
  ['javascript:', { redirect_uri: 'javascript:alert(1)' }, errorCode('invalid_redirect_uri')],
  ['a loopback address with another path', { redirect_uri: 'http://127.0.0.1:5/other' }, errorCode('invalid_redirect_uri')],
  [
    'a host name that begins like a loopback address',
    { redirect_uri: 'http://127.0.0.1.evil.com/callback' },
    errorCode('invalid_redirect_uri'),
  ],
  ['a loopback address as a number', { redirect_uri: 'http://2130706433/callback' }, errorCode('invalid_redirect_uri')],
])('%s is 400 without a redirect', async (_what, change, code) => {
  for (const client of [alice, webClient(app)]) {
    const page = await ask(change, client)
    expect([page.status, page.location, page.text]).toEqual([400, null, expect.stringContaining(code)])
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self';")
    // The server checks the query in the form against the same rules.
    const { csrf } = Object.fromEntries((await alice.get('/settings/profile')).form('/logout').fields)
    const posted = await alice.post(AUTHORIZE, { csrf: csrf!, decision: 'allow', query: query(change) })
    expect([posted.status, posted.location]).toEqual([400, null])
  }
})

test.each<[string, Record<string, string | string[] | undefined>, string]>([
  ['response_type=token', { response_type: 'token' }, errorCode('unsupported_response_type')],
  ['no response_type', { response_type: undefined }, errorCode('invalid_request')],
  ['an unknown scope', { scope: 'read:documents admin' }, errorCode('invalid_scope')],
  ['plain PKCE', { code_challenge_method: 'plain' }, errorCode('invalid_request')],
])('%s redirects to the application with the error %s', async (_what, change, error) => {
  const page = await ask(change)
  const back = new URL(page.location!)
  expect([page.status, back.origin + back.pathname, back.searchParams.get('error'), back.searchParams.get('state')]).toEqual([
    302,
    CALLBACK,
    error,
    'st4te',
  ])
  expect(back.searchParams.has('code')).toBe(false)
})

test.each(['client_id', 'redirect_uri', 'state', 'scope', 'response_type', 'code_challenge'])(
  '%s sent twice is 400, by query and by form',
  async (name) => {
    const doubled = `${query({ scope: 'read:documents' })}&${name}=${encodeURIComponent('read:documents')}`
    const page = await alice.get(`${AUTHORIZE}?${doubled}`)
    expect([page.status, page.location, page.text]).toEqual([400, null, expect.stringContaining(errorCode('invalid_request'))])
    const { csrf } = Object.fromEntries((await alice.get('/settings/profile')).form('/logout').fields)
    expect((await alice.post(AUTHORIZE, { csrf: csrf!, decision: 'allow', query: doubled })).status).toBe(400)
  },
)

test('a request without scopes asks for the default scopes, which the token then has', async () => {
  const { body } = await redeem((await allow(await ask())).searchParams.get('code')!)
  expect(body['scope']).toBe('read:documents write:documents')
})

test('nobody allows more than the page has shown', async () => {
  const { applications } = app.backend.oauth
  const ownerId = (await userId('bob@example.org'))!
  const page = await ask({ scope: 'read:documents manage:keys' })
  expect(page.text).not.toContain('API keys')
  await applications.update(ownerId, application.id, { scopes: ['read:documents', 'manage:keys'] })
  const answer = await alice.submit(page, AUTHORIZE, {}, 'Allow')
  await applications.update(ownerId, application.id, { scopes: application.scopes })
  expect(answer).toMatchObject({ status: 303, location: expect.stringContaining(`${AUTHORIZE}?`) })
})

test('a redirect address keeps the query that it was registered with', async () => {
  const registered = 'https://app.example.com/with?tenant=7&x=%20'
  const answer = await alice.submit(await ask({ redirect_uri: registered }), AUTHORIZE, {}, 'Allow')
  expect(answer.location).toMatch(/^https:\/\/app\.example\.com\/with\?tenant=7&x=%20&code=\w{64}&state=st4te&iss=/)
  const code = new URL(answer.location!).searchParams.get('code')!
  expect((await redeem(code, { redirect_uri: registered })).status).toBe(200)
})

test('a loopback address without a port accepts any port, which must be the same at the token endpoint', async () => {
  const redirect_uri = 'http://127.0.0.1:49152/callback'
  const codes = [await allow(await ask({ redirect_uri })), await allow(await ask({ redirect_uri }))]
  const [first, second] = codes.map(({ searchParams }) => searchParams.get('code')!)
  expect((await redeem(first!, { redirect_uri })).status).toBe(200)
  expect((await redeem(second!, { redirect_uri: 'http://127.0.0.1:49153/callback' })).status).toBe(400)
})

test('the answer to a consent is a redirect, which the policy of the form allows', async () => {
  for (const [redirect_uri, targets] of [
    [CALLBACK, "'self' https:"],
    ['http://127.0.0.1:49152/callback', "'self' https: http:"],
    ['com.example.app:/cb', "'self' https: com.example.app:"],
  ] as const) {
    const consent = await ask({ redirect_uri, state: HARD_STATE })
    expect(consent.headers.get('content-security-policy')).toContain(`form-action ${targets};`)
    const login = await webClient(app).get(
      `/login?${new URLSearchParams({ return_to: `${AUTHORIZE}?${query({ redirect_uri })}` })}`,
    )
    expect(login.headers.get('content-security-policy')).toContain("form-action 'self';")
    for (const Accept of ['text/html', '*/*']) {
      const fields = Object.fromEntries(consent.form(AUTHORIZE).fields)
      const left = await alice.post(AUTHORIZE, { ...fields, decision: 'allow' }, { Accept })
      expect([left.status, left.text]).toEqual([303, ''])
      expect(left.location?.startsWith(`${redirect_uri}?code=`)).toBe(true)
      expect([left.headers.get('cache-control'), left.headers.get('referrer-policy')]).toEqual(['no-store', 'strict-origin'])
      expect(new URLSearchParams(left.location!.split('?')[1]).get('state')).toBe(HARD_STATE)
    }
    const denied = await alice.submit(consent, AUTHORIZE, {}, 'Deny')
    expect([denied.status, denied.location]).toEqual([303, expect.stringMatching(/[?]error=access_denied&/)])
  }
})

test.each([
  ['the login form', (browser: WebClient, page: WebPage) => browser.logIn('alice@example.org', PASSWORD, page)],
  ['the consent form', (browser: WebClient, page: WebPage) => browser.submit(page, AUTHORIZE, {}, 'Allow')],
])('a request that turned invalid since %s was shown redirects as well', async (form, submit) => {
  const { application: its } = await app.backend.oauth.applications.create({
    ownerId: (await userId('bob@example.org'))!,
    name: 'Changing',
    type: 'confidential',
    redirectUris: [CALLBACK],
  })
  const browser = form === 'the login form' ? webClient(app) : await loggedIn(app, 'alice@example.org')
  const asked = await ask({ client_id: its.id, scope: 'write:documents' }, browser)
  const page = asked.location === null ? asked : await browser.follow(asked)
  await app.backend.oauth.applications.update(its.ownerId!, its.id, { scopes: ['read:documents'] })
  const answer = await submit(browser, page)
  // The login leads back to the authorization endpoint.
  const left = answer.location?.startsWith('/') === true ? await browser.follow(answer) : answer
  expect(new URL(left.location!).searchParams.get('error')).toBe(errorCode('invalid_scope'))
})

test('the consent page accepts only a session, and no API key or token', async () => {
  const { body } = await redeem((await allow(await ask())).searchParams.get('code')!)
  const stranger = webClient(app)
  for (const credential of [app.alice.key!, body['access_token']!]) {
    const Authorization = `Bearer ${credential}`
    const page = await stranger.get(`${AUTHORIZE}?${query()}`, { Authorization })
    expect([page.status, page.location]).toEqual([303, expect.stringMatching(/^\/login\?/)])
    const posted = await webClient(app).post(AUTHORIZE, { decision: 'allow', query: query() }, { Authorization })
    expect([posted.status, posted.location]).toEqual([403, null])
    // Even with the CSRF token of the login form, the request only leads to the login.
    const login = await stranger.get('/login')
    const { csrf } = Object.fromEntries(login.form('/login').fields)
    const asked = await stranger.post(AUTHORIZE, { csrf: csrf!, decision: 'allow', query: query() }, { Authorization })
    expect([asked.status, asked.location]).toEqual([303, expect.stringMatching(/^\/login\?/)])
  }
})

test('a consent without the token of this session, or from another site, creates no code', async () => {
  const consent = await ask()
  const fields = Object.fromEntries(consent.form(AUTHORIZE).fields)
  const bob = await loggedIn(app, 'bob@example.org')
  const attempts = [
    await alice.post(AUTHORIZE, { ...fields, csrf: '', decision: 'allow' }),
    await alice.post(AUTHORIZE, { ...fields, decision: 'allow' }, { Origin: 'https://app.example.com' }),
    await bob.post(AUTHORIZE, { ...fields, decision: 'allow' }),
  ]
  expect(attempts.map(({ status, location }) => [status, location])).toEqual(Array(3).fill([403, null]))
})

test.each([['maybe'], [''], [['allow', 'deny']]])('the decision %j is refused', async (decision) => {
  const fields = Object.fromEntries((await ask()).form(AUTHORIZE).fields)
  const page = await alice.post(AUTHORIZE, { ...fields, decision })
  expect([page.status, page.location]).toEqual([400, null])
})

test('a user who switches accounts returns to the same consent', async () => {
  const browser = await loggedIn(app, 'bob@example.org')
  const consent = await ask({ state: HARD_STATE }, browser)
  const login = await browser.follow(await browser.submit(consent, '/logout'))
  const again = await browser.follow(await browser.submit(login, '/login', { email: 'alice@example.org', password: PASSWORD }))
  expect(again.text).toContain('alice@example.org')
  expect(again.form(AUTHORIZE).fields).toContainEqual(['query', query({ state: HARD_STATE })])
})

test('the user can limit the application to ticked projects', async () => {
  const { records } = app.backend
  const { id } = await records.projects.create({
    ownerId: (await userId('alice@example.org'))!,
    name: 'Handbook',
    description: '',
  })
  const refused = await alice.submit(await ask(), AUTHORIZE, { projects: [id] }, 'Allow')
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('Choose to allow only these')])
  const answer = await alice.submit(refused, AUTHORIZE, { reach: 'some', projects: [id] }, 'Allow')
  expect([answer.status, answer.location]).toEqual([303, expect.any(String)])
  const { access_token } = (await redeem(new URL(answer.location!).searchParams.get('code')!)).body
  const me = await fetch(`${app.url}/api/v1/me`, { headers: { Authorization: `Bearer ${access_token}` } })
  expect(await me.json()).toMatchObject({ projects: [{ id, name: 'Handbook' }] })
})
