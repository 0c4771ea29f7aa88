import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'
import { oauthFlow, type OAuthFlow } from '../support/oauth-flow.ts'
import { testClock } from '../support/test-clock.ts'
import { loggedIn, webClient, type WebClient } from '../support/web-client.ts'

const REGISTER = '/api/oauth/register'
const DAY_MS = 24 * 60 * 60 * 1000
const AGENT = { client_name: 'Agent', redirect_uris: ['http://127.0.0.1/callback'] }

const clock = testClock()
let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ clock })
})
afterAll(() => app?.close())

const register = async (body: unknown) => {
  clock.advance(60_000)
  return app.stranger.post(REGISTER, body)
}

/** Registers an agent, and returns a flow in which Alice agrees to it. */
async function registered(fields: Record<string, unknown> = {}) {
  const { status, body } = await register({ ...AGENT, ...fields })
  expect(status).toBe(201)
  const application = (await app.backend.oauth.applications.get(String(body['client_id'])))!
  return { body, flow: await oauthFlow(app, { application, redirectUris: AGENT.redirect_uris }) }
}

test('an application registers itself, asks the user, and searches', async () => {
  const { body, flow } = await registered()
  expect(body).toEqual({
    client_id: expect.stringMatching(/^app_[a-z0-9]+$/),
    client_id_issued_at: Math.floor(clock.now().getTime() / 1000),
    client_name: 'Agent',
    redirect_uris: AGENT.redirect_uris,
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope: 'read:documents write:documents',
  })
  const tokens = await flow.tokens({ scope: 'read:documents' })
  expect((await flow.api(tokens.access_token)).body).toMatchObject({ user: { name: 'Alice' }, scopes: ['read:documents'] })
  expect((await flow.refresh(tokens.refresh_token)).status).toBe(200)
  expect((await app.backend.oauth.connections.list(flow.user.id)).map(({ application }) => application.name)).toContain('Agent')
})

test('what other servers know and docsearch does not is left out, and the answer says what is left', async () => {
  const { body } = await registered({
    token_endpoint_auth_method: 'client_secret_post',
    grant_types: ['authorization_code', 'refresh_token', 'implicit'],
    response_types: ['code', 'token'],
    scope: 'openid read:documents manage:keys',
    client_uri: 'https://agent.example.com',
    logo_uri: 'javascript:alert(1)',
    contacts: ['a@example.com'],
  })
  expect(body).toMatchObject({
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    scope: 'read:documents',
  })
  expect(body).not.toHaveProperty('logo_uri')
})

test('without a name, the application is called after the host of its address', async () => {
  expect((await register({ redirect_uris: ['https://agent.example.com/cb'] })).body).toMatchObject({
    client_name: 'agent.example.com',
  })
})

test('a device registers without an address', async () => {
  const grant = 'urn:ietf:params:oauth:grant-type:device_code'
  const { status, body } = await register({ client_name: 'Television', grant_types: [grant] })
  expect([status, body]).toMatchObject([201, { redirect_uris: [], response_types: [], grant_types: [grant] }])
  const form = new URLSearchParams({ client_id: String(body['client_id']) })
  expect((await app.stranger.call('POST', '/api/oauth/device', { body: form })).status).toBe(200)
})

test('an application uses only the grants that it registered for, and renews its tokens with each of them', async () => {
  const device = 'urn:ietf:params:oauth:grant-type:device_code'
  const unauthorized = { status: 400, body: { error: errorCode('unauthorized_client') } }
  const start = (flow: OAuthFlow) => flow.post('/api/oauth/device', {})

  const { flow: agent } = await registered()
  expect(await start(agent)).toMatchObject(unauthorized)
  expect(await agent.token({ grant_type: device, device_code: 'x' })).toMatchObject(unauthorized)
  expect((await agent.refresh((await agent.tokens()).refresh_token)).status).toBe(200)

  const { flow: television } = await registered({ grant_types: [device] })
  expect(await television.agree().catch(String)).toContain('unauthorized_client')
  expect(await television.token({ grant_type: 'authorization_code', code: 'x' })).toMatchObject(unauthorized)
  const { user_code, device_code } = (await start(television)).body as Record<string, string>
  await app.backend.oauth.device.decide(user_code!, television.user, true)
  const { body } = await television.token({ grant_type: device, device_code })
  expect((await television.refresh(body.refresh_token)).status).toBe(200)

  const { flow: both } = await registered({ grant_types: ['authorization_code', device] })
  expect([(await start(both)).status, (await both.tokens()).token_type]).toEqual([200, 'Bearer'])
})

test('a registered application is bound by its scopes and its addresses', async () => {
  const { flow } = await registered({ scope: 'read:documents' })
  expect((await flow.tokens({ scope: 'read:documents write:documents' })).scope).toBe('read:documents')
  expect(await flow.agree({ redirect_uri: 'https://evil.example.com/cb' }).catch(String)).toContain('invalid_redirect_uri')
  expect((await flow.token({ grant_type: 'authorization_code', code: 'x', client_secret: 'guess' })).status).toBe(401)
})

test('its error leads from the instance to the application only by a link, until this user has given it access', async () => {
  const redirect_uri = 'https://agent.example.com/callback'
  const { body } = await register({ client_name: 'Agent', redirect_uris: [redirect_uri] })
  const application = (await app.backend.oauth.applications.get(String(body['client_id'])))!
  const flow = await oauthFlow(app, { application, redirectUris: [redirect_uri] })
  const path = `/api/oauth/authorize?${new URLSearchParams({ response_type: 'x', client_id: application.id, redirect_uri })}`
  const error = `${redirect_uri}?error=unsupported_response_type&`
  const [alice, bob] = [await loggedIn(app, 'alice@example.org'), await loggedIn(app, 'bob@example.org')]
  const expectLink = async (browser: WebClient) => {
    const page = await browser.get(path)
    expect([page.status, page.location, page.text]).toEqual([400, null, expect.stringContaining('Continue to agent.example.com')])
    expect(page.links).toContainEqual(expect.stringContaining(error))
  }
  for (const browser of [webClient(app), alice, bob]) await expectLink(browser)
  // A visitor who logs in goes back to the authorization endpoint, which may then redirect.
  const login = await webClient(app).get(`/login?${new URLSearchParams({ return_to: path })}`)
  expect(login.headers.get('content-security-policy')).toContain("form-action 'self' https:;")

  await flow.tokens()
  const redirected = await alice.get(path)
  expect([redirected.status, redirected.location]).toEqual([302, expect.stringContaining(error)])
  for (const browser of [webClient(app), bob]) await expectLink(browser)
  await app.backend.oauth.connections.end(flow.user.id, application.id)
  await expectLink(alice)
})

test('nobody can list, change or delete it as an application of their own', async () => {
  const { body } = await registered()
  const path = `/api/v1/clients/${String(body['client_id'])}`
  expect((await app.alice.get('/api/v1/clients')).body).toMatchObject({ clients: [] })
  for (const method of ['GET', 'PATCH', 'DELETE'])
    expect((await app.alice.call(method, path, method === 'PATCH' ? { json: { name: 'x' } } : {})).status, method).toBe(404)
})

describe('refuses', () => {
  test.each<[what: string, body: unknown, code: string]>([
    ['no address', { client_name: 'Agent' }, 'invalid_redirect_uri'],
    ['a plain address on another host', { redirect_uris: ['http://agent.example.com/cb'] }, 'invalid_redirect_uri'],
    ['a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    ['a fragment', { redirect_uris: ['https://agent.example.com/cb#x'] }, 'invalid_redirect_uri'],
    [
      'too many addresses',
      { redirect_uris: Array.from({ length: 21 }, (_, i) => `https://a.example.com/${i}`) },
      'invalid_redirect_uri',
    ],
    ['an address that is not text', { redirect_uris: [1] }, 'invalid_redirect_uri'],
    ['a name with control characters', { ...AGENT, client_name: 'Agent\u0007' }, 'invalid_client_metadata'],
    ['a name that is too long', { ...AGENT, client_name: 'a'.repeat(201) }, 'invalid_client_metadata'],
    ['only grants that docsearch does not have', { ...AGENT, grant_types: ['implicit'] }, 'invalid_client_metadata'],
    ['only answers that docsearch does not have', { ...AGENT, response_types: ['token'] }, 'invalid_client_metadata'],
    ['only scopes that it may not have', { ...AGENT, scope: 'manage:keys openid' }, 'invalid_client_metadata'],
    ['a list', [AGENT], 'invalid_client_metadata'],
    ['broken JSON', '{', 'invalid_client_metadata'],
  ])('%s', async (_what, body, code) => {
    clock.advance(60_000)
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await app.stranger.call('POST', REGISTER, { body: text, headers: { 'Content-Type': 'application/json' } })
    expect([answer.status, answer.body['error']]).toEqual([400, errorCode(code as 'invalid_redirect_uri')])
  })

  test('a body that is too long, and a form', async () => {
    const long = await register({ ...AGENT, logo_uri: 'x'.repeat(200_000) })
    expect([long.status, long.body['error']]).toEqual([413, errorCode('invalid_client_metadata')])
    const form = await app.stranger.call('POST', REGISTER, { body: new URLSearchParams({ client_name: 'Agent' }) })
    expect([form.status, form.body['error']]).toEqual([400, errorCode('invalid_client_metadata')])
  })

  test('a website that calls it from a visitor’s browser', async () => {
    const headers = { Origin: 'https://evil.example.com', 'Access-Control-Request-Method': 'POST' }
    const preflight = await fetch(app.url + REGISTER, { method: 'OPTIONS', headers })
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull()
  })
})

test('a registration that nobody uses for a day is gone, and one in use stays', async () => {
  const { body: unused } = await register(AGENT)
  const { flow } = await registered()
  await flow.tokens()
  clock.advance(DAY_MS)
  await app.backend.records.oauth.sweep()
  expect(await app.backend.oauth.applications.get(String(unused['client_id']))).toBeNull()
  expect(await app.backend.oauth.applications.get(flow.application.id)).not.toBeNull()
})

test('one address may register 60 applications an hour', async () => {
  const limited = await startTestApp({ http: { rateLimit: 1000 } })
  try {
    const statuses: number[] = []
    for (let sent = 0; sent < 61; sent++) statuses.push((await limited.stranger.post(REGISTER, AGENT)).status)
    expect([new Set(statuses.slice(0, 60)), statuses.at(-1)]).toEqual([new Set([201]), 429])
  } finally {
    await limited.close()
  }
})

test('the operator can allow plain http on private networks, and schemes without a dot', async () => {
  const addresses = ['http://192.168.1.10/callback', 'cursor://anysphere.cursor-mcp/oauth/callback']
  for (const uri of addresses) expect((await register({ redirect_uris: [uri] })).body['error']).toBe('invalid_redirect_uri')
  const open = await startTestApp({ oauth: { callbacks: { privateHttp: true, schemes: ['cursor'] } } })
  try {
    const { body } = await open.stranger.post(REGISTER, { ...AGENT, redirect_uris: addresses })
    const application = (await open.backend.oauth.applications.get(String(body['client_id'])))!
    for (const uri of addresses) {
      const flow = await oauthFlow(open, { application, redirectUris: [uri] })
      expect((await flow.tokens()).scope).toBe('read:documents write:documents')
    }
    const mine = { name: 'Editor', type: 'public', redirect_uris: addresses }
    expect((await open.alice.post('/api/v1/clients', mine)).status).toBe(201)
  } finally {
    await open.close()
  }
})

test('the operator can turn it off', async () => {
  const closed = await startTestApp({ oauth: { canRegister: false } })
  try {
    expect(await closed.stranger.post(REGISTER, AGENT)).toMatchObject({
      status: 403,
      body: { error: errorCode('access_denied') },
    })
    const { body } = await closed.stranger.get('/.well-known/oauth-authorization-server')
    expect(body).not.toHaveProperty('registration_endpoint')
  } finally {
    await closed.close()
  }
})
