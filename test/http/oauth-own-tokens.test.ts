import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { oauthFlow } from '../support/oauth-flow.ts'
import { testClock } from '../support/test-clock.ts'
import { errorCode } from '../support/codes.ts'

const clock = testClock()
let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ clock })
})
afterAll(() => app?.close())

test.each(['access_token', 'refresh_token'] as const)('revoking the %s ends all tokens of the grant', async (kind) => {
  const flow = await oauthFlow(app)
  const tokens = await flow.tokens()
  expect(await flow.post('/api/oauth/revoke', { token: tokens[kind], token_type_hint: 'wrong' })).toMatchObject({
    status: 200,
    body: {},
  })
  expect((await flow.api(tokens.access_token)).status).toBe(401)
  expect((await flow.refresh(tokens.refresh_token)).body.error).toBe(errorCode('invalid_grant'))
  expect((await flow.post('/api/oauth/revoke', { token: tokens[kind] })).status, 'a second time').toBe(200)
})

test('revoking an unknown token succeeds, and a request without a token is refused', async () => {
  const flow = await oauthFlow(app)
  expect((await flow.post('/api/oauth/revoke', { token: 'f'.repeat(64) })).status).toBe(200)
  expect((await flow.post('/api/oauth/revoke', {})).body).toMatchObject({ error: errorCode('invalid_request') })
})

test('only the application itself can revoke its tokens, with its secret', async () => {
  const [owner, other] = [await oauthFlow(app), await oauthFlow(app)]
  const { access_token } = await owner.tokens()
  expect(await other.post('/api/oauth/revoke', { token: access_token })).toMatchObject({ status: 400 })
  expect(await owner.post('/api/oauth/revoke', { token: access_token, client_secret: 'wrong' })).toMatchObject({ status: 401 })
  expect((await owner.api(access_token)).status).toBe(200)
})

test('introspection tells an application about its tokens', async () => {
  const flow = await oauthFlow(app)
  const { access_token, refresh_token } = await flow.tokens({ scope: 'read:documents' })
  const seconds = clock.now().getTime() / 1000
  const both = {
    active: true,
    scope: 'read:documents',
    client_id: flow.application.id,
    sub: flow.user.id,
    iss: app.url,
    aud: app.url,
    iat: seconds,
  }
  const ask = async (token: string) => (await flow.post('/api/oauth/introspect', { token })).body
  expect(await ask(access_token)).toEqual({ ...both, token_type: 'Bearer', exp: seconds + 3600 })
  expect(await ask(refresh_token)).toEqual({ ...both, exp: seconds + 30 * 24 * 60 * 60 })
  const { body: next } = await flow.refresh(refresh_token)
  for (const token of [access_token, refresh_token, 'f'.repeat(64)]) expect(await ask(token)).toEqual({ active: false })
  clock.advance(3_601_000)
  expect(await ask(next.access_token)).toEqual({ active: false })
  expect(await ask(String(next.refresh_token))).toMatchObject({ active: true })
  await flow.post('/api/oauth/revoke', { token: next.refresh_token })
  expect(await ask(String(next.refresh_token))).toEqual({ active: false })
})

test('introspection tells another application nothing, and refuses a request without the secret', async () => {
  const [owner, other] = [await oauthFlow(app), await oauthFlow(app)]
  const { access_token } = await owner.tokens()
  expect((await other.post('/api/oauth/introspect', { token: access_token })).body).toEqual({ active: false })
  expect(await owner.post('/api/oauth/introspect', { token: access_token, client_secret: undefined })).toMatchObject({
    status: 401,
    body: { error: errorCode('invalid_client') },
  })
})

test('a public application introspects its tokens without a secret', async () => {
  const flow = await oauthFlow(app, { type: 'public' })
  const { access_token } = await flow.tokens()
  expect((await flow.post('/api/oauth/introspect', { token: access_token })).body).toMatchObject({ active: true })
})

test('deleting an application ends all its tokens', async () => {
  const flow = await oauthFlow(app)
  const { access_token, refresh_token } = await flow.tokens()
  await app.backend.oauth.applications.delete(flow.user.id, flow.application.id)
  expect((await flow.api(access_token)).status).toBe(401)
  expect(await flow.refresh(refresh_token)).toMatchObject({ status: 401, body: { error: errorCode('invalid_client') } })
})
