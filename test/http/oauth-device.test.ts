import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { oauthFlow, type OAuthFlow } from '../support/oauth-flow.ts'
import { testClock } from '../support/test-clock.ts'
import { errorCode } from '../support/codes.ts'

const clock = testClock()
let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ clock })
})
afterAll(() => app?.close())

async function start(flow: OAuthFlow, fields: Record<string, string> = {}) {
  const { status, body } = await flow.post('/api/oauth/device', fields)
  expect(status).toBe(200)
  const answer = body as { device_code: string; user_code: string; verification_uri: string; verification_uri_complete: string }
  const poll = () => flow.token({ grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: answer.device_code })
  return { ...answer, answer, poll }
}

const commandLine = async () => {
  const application = await app.backend.oauth.applications.get('docsearch-cli')
  return oauthFlow(app, { application: application! })
}

test('a device gets a short user code to type and a long secret device code', async () => {
  const { answer } = await start(await commandLine())
  expect(answer).toEqual({
    device_code: expect.stringMatching(/^[0-9a-f]{64}$/),
    user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
    verification_uri: `${app.url}/device`,
    verification_uri_complete: `${app.url}/device?user_code=${answer.user_code}`,
    expires_in: 600,
    interval: 5,
  })
})

test('a device polls, slows down when asked to, and gets its tokens once the user has agreed', async () => {
  const flow = await commandLine()
  const { user_code, poll } = await start(flow, { scope: 'read:documents manage:keys' })
  const { device } = app.backend.oauth
  expect((await poll()).body.error).toBe(errorCode('authorization_pending'))
  clock.advance(5_000)
  expect((await poll()).body.error).toBe(errorCode('authorization_pending'))
  clock.advance(3_000)
  expect((await poll()).body.error).toBe(errorCode('slow_down'))
  clock.advance(6_000)
  expect((await poll()).body.error, 'the interval has grown to 10 s').toBe(errorCode('slow_down'))
  clock.advance(15_000)
  expect((await poll()).body.error).toBe(errorCode('authorization_pending'))
  expect(await device.lookup(user_code)).toMatchObject({
    application: { id: 'docsearch-cli' },
    scopes: ['read:documents', 'manage:keys'],
  })
  expect(await device.decide(user_code, flow.user, true)).toBe(true)
  const { status, body } = await poll()
  expect([status, body.scope]).toEqual([200, 'read:documents manage:keys'])
  expect((await flow.api(body.access_token)).body).toMatchObject({ user: { name: 'Alice' } })
  expect((await poll()).body.error, 'once').toBe(errorCode('invalid_grant'))
  expect((await flow.refresh(body.refresh_token)).status).toBe(200)
})

test('a device that names a resource gets tokens for it alone', async () => {
  const flow = await commandLine()
  const resource = `${app.url}/mcp`
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
  for (const [atStart, atToken] of [
    [{ resource }, {}],
    [{}, { resource }],
  ]) {
    const { user_code, device_code } = await start(flow, atStart)
    await app.backend.oauth.device.decide(user_code, flow.user, true)
    const wrong = await flow.token({ grant_type, device_code, resource: 'https://evil.example.com' })
    expect(wrong.body.error).toBe(errorCode('invalid_target'))
    const { body } = await flow.token({ grant_type, device_code, ...atToken })
    expect((await flow.api(body.access_token)).status).toBe(401)
  }
})

test('a user code may be typed in any case, with spaces or hyphens', async () => {
  const { user_code } = await start(await commandLine())
  const { device } = app.backend.oauth
  for (const typed of [
    user_code.toLowerCase(),
    user_code.replace('-', ''),
    ` ${user_code.replace('-', ' ')} `,
    [...user_code].join('-'),
  ])
    expect(await device.lookup(typed), typed).not.toBeNull()
  for (const typed of ['', 'AAAA-AAAA', user_code.slice(1), `${user_code}B`, '__proto__'])
    expect(await device.lookup(typed), typed).toBeNull()
})

test('a device learns that the user declined', async () => {
  const flow = await commandLine()
  const { user_code, poll } = await start(flow)
  const { device } = app.backend.oauth
  expect(await device.decide(user_code, flow.user, false)).toBe(true)
  expect(await poll()).toMatchObject({ status: 400, body: { error: errorCode('access_denied') } })
  expect(await device.decide(user_code, flow.user, true), 'decided for good').toBe(false)
  expect(await device.lookup(user_code)).toBeNull()
})

test('a code expires after 10 minutes, for the device and for the user', async () => {
  const flow = await commandLine()
  const { user_code, poll } = await start(flow)
  const { device } = app.backend.oauth
  clock.advance(599_000)
  expect((await poll()).body.error).toBe(errorCode('authorization_pending'))
  expect(await device.lookup(user_code)).not.toBeNull()
  clock.advance(2_000)
  expect((await poll()).body.error).toBe(errorCode('expired_token'))
  expect(await device.lookup(user_code)).toBeNull()
  expect(await device.decide(user_code, flow.user, true)).toBe(false)
})

test('50 polls at the same time after the consent get one pair of tokens', async () => {
  const flow = await commandLine()
  const { user_code, poll } = await start(flow)
  await app.backend.oauth.device.decide(user_code, flow.user, true)
  const answers = await Promise.all(Array.from({ length: 50 }, poll))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.error))).toEqual(
    new Set([errorCode('invalid_grant')]),
  )
})

test('another application does not get the tokens', async () => {
  const flow = await commandLine()
  const { user_code, device_code, poll } = await start(flow)
  await app.backend.oauth.device.decide(user_code, flow.user, true)
  const other = await oauthFlow(app)
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
  expect((await other.token({ grant_type, device_code })).body.error).toBe(errorCode('invalid_grant'))
  expect((await poll()).status).toBe(200)
})

test('a confidential application must send its secret, and no application gets scopes it may not have', async () => {
  const flow = await oauthFlow(app)
  const refused = await flow.post('/api/oauth/device', { client_secret: undefined })
  expect([refused.status, refused.body['error']]).toEqual([401, errorCode('invalid_client')])
  expect((await flow.post('/api/oauth/device', { scope: 'manage:keys' })).body).toMatchObject({
    error: errorCode('invalid_scope'),
  })
  expect((await flow.post('/api/oauth/device', { resource: 'https://evil.example.com' })).body).toMatchObject({
    error: errorCode('invalid_target'),
  })
})
