import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { oauthFlow, pkce, REDIRECT_URI } from '../support/oauth-flow.ts'
import { testClock } from '../support/test-clock.ts'
import { errorCode } from '../support/codes.ts'

const clock = testClock()
let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ clock })
})
afterAll(() => app?.close())

test('a code becomes tokens with which the application acts for the user, within its scopes', async () => {
  const flow = await oauthFlow(app)
  const { status, body } = await flow.exchange(await flow.code({ scope: 'read:documents' }))
  expect(status).toBe(200)
  expect(body).toEqual({
    access_token: expect.stringMatching(/^[0-9a-f]{64}$/),
    token_type: 'Bearer',
    expires_in: 3600,
    refresh_token: expect.stringMatching(/^[0-9a-f]{64}$/),
    scope: 'read:documents',
  })
  const me = await flow.api(body.access_token)
  expect(me.body).toMatchObject({ user: { name: 'Alice' }, scopes: ['read:documents'] })
  const refused = await app.stranger.call('POST', '/api/v1/projects', {
    json: { name: 'Mine' },
    headers: { Authorization: `Bearer ${body.access_token}` },
  })
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
    403,
    expect.stringMatching(/error="insufficient_scope", scope="write:documents"/),
  ])
  expect((await flow.api(String(body.refresh_token))).status, 'a refresh token is no access token').toBe(401)
})

test('the API refuses a missing token, an unknown token and a token in the address', async () => {
  const { access_token } = await (await oauthFlow(app)).tokens()
  const none = await app.stranger.get(`/api/v1/me`)
  expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, expect.not.stringContaining('error=')])
  const bad = await app.stranger.get('/api/v1/me', { Authorization: `Bearer ${'0'.repeat(64)}` })
  expect([bad.status, bad.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('error="invalid_token"')])
  expect((await app.stranger.get(`/api/v1/projects?access_token=${access_token}`)).status).toBe(401)
})

test('a request without scopes gets the default scopes, and the answer names them', async () => {
  expect(await (await oauthFlow(app)).tokens()).toMatchObject({ scope: 'read:documents write:documents' })
})

test('a code that is used twice is refused, and its tokens end', async () => {
  const flow = await oauthFlow(app)
  const code = await flow.code()
  const { access_token, refresh_token } = (await flow.exchange(code)).body
  expect((await flow.api(access_token)).status).toBe(200)
  expect(await flow.exchange(code)).toMatchObject({ status: 400, body: { error: errorCode('invalid_grant') } })
  expect((await flow.api(access_token)).status).toBe(401)
  expect(await flow.refresh(refresh_token)).toMatchObject({ status: 400, body: { error: errorCode('invalid_grant') } })
})

test('a used code that comes again after its expiry still ends its tokens', async () => {
  const flow = await oauthFlow(app)
  const code = await flow.code()
  const { access_token } = (await flow.exchange(code)).body
  clock.advance(601_000)
  expect((await flow.exchange(code)).body.error).toBe(errorCode('invalid_grant'))
  expect((await flow.api(access_token)).status).toBe(401)
})

test('a code expires after 10 minutes', async () => {
  const flow = await oauthFlow(app)
  const [early, late] = [await flow.code(), await flow.code()]
  clock.advance(599_000)
  expect((await flow.exchange(early)).status).toBe(200)
  clock.advance(2_000)
  expect(await flow.exchange(late)).toMatchObject({ status: 400, body: { error: errorCode('invalid_grant') } })
})

test('an access token expires after an hour', async () => {
  const flow = await oauthFlow(app)
  const { access_token } = await flow.tokens()
  clock.advance(3_599_000)
  expect((await flow.api(access_token)).status).toBe(200)
  clock.advance(2_000)
  expect((await flow.api(access_token)).status).toBe(401)
})

test('another application cannot use a code, and leaves it usable', async () => {
  const [owner, thief] = [await oauthFlow(app), await oauthFlow(app, { userName: 'Bob' })]
  const code = await owner.code()
  expect(await thief.exchange(code)).toMatchObject({ status: 400, body: { error: errorCode('invalid_grant') } })
  expect((await owner.exchange(code)).status).toBe(200)
  // Not even by bringing one that was used can it end anything.
  expect((await thief.exchange(code)).body.error).toBe(errorCode('invalid_grant'))
})

test('the redirect address must be the same again, and a wrong one leaves the code usable', async () => {
  const flow = await oauthFlow(app)
  const code = await flow.code()
  for (const redirect_uri of [`${REDIRECT_URI}/`, 'https://app.example.com/callback', 'https://evil.example.com'])
    expect((await flow.exchange(code, { redirect_uri })).body.error).toBe(errorCode('invalid_grant'))
  for (const redirect_uri of [undefined, ''])
    expect(await flow.exchange(code, { redirect_uri })).toMatchObject({
      status: 400,
      body: { error: errorCode('invalid_request') },
    })
  expect((await flow.exchange(code)).status).toBe(200)
})

test('a loopback redirect address may have any port, which must be the same again', async () => {
  const redirect_uri = 'http://127.0.0.1:49152/callback'
  const flow = await oauthFlow(app, { redirectUris: ['http://127.0.0.1/callback'] })
  const code = await flow.code({ redirect_uri })
  for (const other of ['http://127.0.0.1:49153/callback', 'http://127.0.0.1/callback', 'http://localhost:49152/callback'])
    expect((await flow.exchange(code, { redirect_uri: other })).body.error).toBe(errorCode('invalid_grant'))
  expect((await flow.exchange(code, { redirect_uri })).status).toBe(200)
})

test('a wrong, missing or unexpected verifier is refused, and leaves the code usable', async () => {
  const flow = await oauthFlow(app, { type: 'public' })
  const { verifier, query } = pkce()
  const code = await flow.code(query)
  for (const code_verifier of [pkce().verifier, undefined, query['code_challenge']])
    expect(await flow.exchange(code, { code_verifier })).toMatchObject({
      status: 400,
      body: { error: errorCode('invalid_grant') },
    })
  expect((await flow.exchange(code, { code_verifier: verifier })).status).toBe(200)
  const confidential = await oauthFlow(app)
  expect((await confidential.exchange(await confidential.code(), { code_verifier: verifier })).body.error).toBe(
    errorCode('invalid_grant'),
  )
  expect((await confidential.exchange(await confidential.code(query))).body.error).toBe(errorCode('invalid_grant'))
})

test('a verifier must have 43 to 128 characters of its alphabet', async () => {
  const flow = await oauthFlow(app)
  const code = await flow.code(pkce().query)
  for (const code_verifier of ['a'.repeat(42), 'a'.repeat(129), `${'a'.repeat(42)}é`, `${'a'.repeat(42)}+`])
    expect(await flow.exchange(code, { code_verifier })).toMatchObject({
      status: 400,
      body: { error: errorCode('invalid_request') },
    })
  for (const code_verifier of ['a'.repeat(43), 'a'.repeat(128)])
    expect((await flow.exchange(code, { code_verifier })).body.error, 'well-formed, and wrong').toBe(errorCode('invalid_grant'))
})

test('unknown and malformed codes are refused', async () => {
  const flow = await oauthFlow(app)
  for (const code of ['x', '0'.repeat(64), '%00', "' OR 1=1 --"])
    expect(await flow.exchange(code)).toMatchObject({ status: 400, body: { error: errorCode('invalid_grant') } })
  expect((await flow.exchange('')).body.error).toBe(errorCode('invalid_request'))
})

test('the token request may repeat the resource, and not name another one', async () => {
  const flow = await oauthFlow(app)
  const resource = `${app.url}/mcp`
  const [code, plain] = [await flow.code({ resource }), await flow.code()]
  for (const other of [app.url, 'https://evil.example.com', 'nonsense'])
    expect(await flow.exchange(code, { resource: other })).toMatchObject({
      status: 400,
      body: { error: errorCode('invalid_target') },
    })
  const { body } = await flow.exchange(code, { resource })
  expect((await flow.post('/api/oauth/introspect', { token: body.access_token })).body).toMatchObject({ aud: resource })
  const bound = (await flow.exchange(plain, { resource })).body
  expect((await flow.post('/api/oauth/introspect', { token: bound.access_token })).body).toMatchObject({ aud: resource })
})

test("a disabled user's code, tokens and consent are refused", async () => {
  const flow = await oauthFlow(app, { userName: 'Bob' })
  const [code, { access_token, refresh_token }] = [await flow.code(), await flow.tokens()]
  const { users } = app.backend.records
  try {
    await users.setDisabled(flow.user.id, true)
    expect((await flow.exchange(code)).body.error).toBe(errorCode('invalid_grant'))
    expect((await flow.api(access_token)).status).toBe(401)
    expect((await flow.refresh(refresh_token)).body.error).toBe(errorCode('invalid_grant'))
  } finally {
    await users.setDisabled(flow.user.id, false)
  }
})

test('disconnecting an application ends its tokens at once', async () => {
  const flow = await oauthFlow(app)
  const { access_token, refresh_token } = await flow.tokens()
  const { connections } = app.backend.oauth
  expect(await connections.list(flow.user.id)).toContainEqual(
    expect.objectContaining({
      application: expect.objectContaining({ id: flow.application.id }),
      scopes: ['read:documents', 'write:documents'],
    }),
  )
  expect(await connections.end(flow.user.id, flow.application.id)).toBe(true)
  expect(await connections.end(flow.user.id, flow.application.id)).toBe(false)
  expect((await flow.api(access_token)).status).toBe(401)
  expect((await flow.refresh(refresh_token)).body.error).toBe(errorCode('invalid_grant'))
})
