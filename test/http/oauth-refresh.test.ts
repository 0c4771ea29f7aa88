import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Scope } from '../../src/core/model.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { oauthFlow } from '../support/oauth-flow.ts'
import { testClock } from '../support/test-clock.ts'
import { errorCode } from '../support/codes.ts'

const DAY = 24 * 60 * 60 * 1000
const clock = testClock()
let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ clock })
})
afterAll(() => app?.close())

const REFUSED = { status: 400, body: { error: errorCode('invalid_grant') } }

test('a refresh token becomes a new pair of tokens, and the old pair ends', async () => {
  const flow = await oauthFlow(app)
  const first = await flow.tokens()
  const { status, body: second } = await flow.refresh(first.refresh_token)
  expect([status, second]).toEqual([
    200,
    { ...first, access_token: expect.stringMatching(/^[0-9a-f]{64}$/), refresh_token: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ])
  expect(second.access_token).not.toBe(first.access_token)
  expect(second.refresh_token).not.toBe(first.refresh_token)
  expect((await flow.api(first.access_token)).status).toBe(401)
  expect((await flow.api(second.access_token)).status).toBe(200)
})

test('a refresh token that is used twice ends all tokens of the grant', async () => {
  const flow = await oauthFlow(app)
  const first = await flow.tokens()
  const { body: second } = await flow.refresh(first.refresh_token)
  const { body: third } = await flow.refresh(second.refresh_token)
  expect(await flow.refresh(first.refresh_token)).toMatchObject(REFUSED)
  expect((await flow.api(third.access_token)).status).toBe(401)
  expect(await flow.refresh(third.refresh_token)).toMatchObject(REFUSED)
})

test('two requests at the same time get the same pair', async () => {
  const flow = await oauthFlow(app)
  const { refresh_token } = await flow.tokens()
  const [one, other] = await Promise.all([flow.refresh(refresh_token), flow.refresh(refresh_token)])
  expect([one.status, other]).toMatchObject([200, { status: 200, body: one.body }])
  expect((await flow.api(one.body.access_token)).status).toBe(200)
})

test('an application that lost the answer gets the same pair for 30 s, also again', async () => {
  const flow = await oauthFlow(app)
  const first = await flow.tokens()
  const { body: second } = await flow.refresh(first.refresh_token)
  for (const [waited, expires_in] of [
    [10_000, 3590],
    [20_000, 3570],
  ] as const) {
    clock.advance(waited)
    expect(await flow.refresh(first.refresh_token)).toMatchObject({ status: 200, body: { ...second, expires_in } })
  }
  expect((await flow.api(second.access_token)).status).toBe(200)
  expect((await flow.refresh(second.refresh_token)).status).toBe(200)
})

test('after 30 s, a used refresh token ends all tokens of the grant', async () => {
  const flow = await oauthFlow(app)
  const first = await flow.tokens()
  const { body: second } = await flow.refresh(first.refresh_token)
  clock.advance(30_001)
  expect(await flow.refresh(first.refresh_token)).toMatchObject(REFUSED)
  expect((await flow.api(second.access_token)).status).toBe(401)
})

test('another application gets nothing from a used token, and a revoked grant gives no pair again', async () => {
  const [flow, thief] = [await oauthFlow(app), await oauthFlow(app)]
  const first = await flow.tokens()
  const { body: second } = await flow.refresh(first.refresh_token)
  expect(await thief.refresh(first.refresh_token)).toMatchObject(REFUSED)
  expect((await flow.api(second.access_token)).status).toBe(200)
  await flow.post('/api/oauth/revoke', { token: second.refresh_token })
  expect(await flow.refresh(first.refresh_token)).toMatchObject(REFUSED)
})

test('an application that is registered for fewer scopes loses the others at once, and never gets them back by a refresh', async () => {
  const scopes = ['read:documents', 'write:documents'] as const
  const flow = await oauthFlow(app, { scopes })
  const first = await flow.tokens()
  const code = await flow.code()
  const register = (scopes: readonly Scope[]) =>
    app.backend.oauth.applications.update(flow.user.id, flow.application.id, { scopes })
  await register(['read:documents'])
  expect((await flow.api(first.access_token)).body).toMatchObject({ scopes: ['read:documents'] })
  expect((await flow.post('/api/oauth/introspect', { token: first.access_token })).body['scope']).toBe('read:documents')
  const connections = await app.backend.oauth.connections.list(flow.user.id)
  expect(connections.find(({ application }) => application.id === flow.application.id)?.scopes).toEqual(['read:documents'])
  expect((await flow.exchange(code)).body.scope).toBe('read:documents')
  const { body: second } = await flow.refresh(first.refresh_token)
  expect(second.scope).toBe('read:documents')
  await register(['manage:keys'])
  expect(await flow.refresh(second.refresh_token)).toMatchObject({ status: 400, body: { error: errorCode('invalid_scope') } })
})

test('a refresh may ask for fewer scopes, not for more, and the next one gets all of them again', async () => {
  const flow = await oauthFlow(app, { scopes: ['read:documents', 'write:documents', 'manage:keys'] })
  const { refresh_token } = await flow.tokens({ scope: 'read:documents write:documents' })
  for (const scope of ['read:documents manage:keys', 'manage:keys', 'admin'])
    expect(await flow.refresh(refresh_token, { scope })).toMatchObject({
      status: 400,
      body: { error: errorCode('invalid_scope') },
    })
  const { body: fewer } = await flow.refresh(refresh_token, { scope: 'read:documents' })
  expect(fewer.scope).toBe('read:documents')
  expect((await flow.api(fewer.access_token)).body).toMatchObject({ scopes: ['read:documents'] })
  expect((await flow.refresh(fewer.refresh_token)).body.scope).toBe('read:documents write:documents')
})

test('another application cannot use a refresh token, and ends nothing', async () => {
  const [owner, thief] = [await oauthFlow(app), await oauthFlow(app)]
  const { refresh_token } = await owner.tokens()
  expect(await thief.refresh(refresh_token)).toMatchObject(REFUSED)
  const { body } = await owner.refresh(refresh_token)
  expect(await thief.refresh(refresh_token)).toMatchObject(REFUSED)
  expect((await owner.api(body.access_token)).status).toBe(200)
})

test('each new refresh token expires after 30 days', async () => {
  const flow = await oauthFlow(app)
  const [early, late] = [await flow.tokens(), await flow.tokens()]
  clock.advance(30 * DAY - 1000)
  const { status, body } = await flow.refresh(early.refresh_token)
  expect(status).toBe(200)
  clock.advance(2000)
  expect(await flow.refresh(late.refresh_token)).toMatchObject(REFUSED)
  clock.advance(29 * DAY)
  expect((await flow.refresh(body.refresh_token)).status).toBe(200)
})

test('other tokens and unknown ones are refused as refresh tokens', async () => {
  const flow = await oauthFlow(app)
  const { access_token } = await flow.tokens()
  expect(await flow.refresh(access_token)).toMatchObject(REFUSED)
  expect(await flow.refresh('nonsense')).toMatchObject(REFUSED)
  expect(await flow.refresh(undefined)).toMatchObject({ status: 400, body: { error: errorCode('invalid_request') } })
})
