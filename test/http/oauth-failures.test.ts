import { MAX_FAILURES } from '../../src/http/oauth/oauth-errors.ts'
import { expect, onTestFinished, test } from 'vitest'
import { startTestApp, type TestAppOptions } from '../support/app.ts'
import { oauthFlow } from '../support/oauth-flow.ts'
import { errorCode } from '../support/codes.ts'

async function start(options: TestAppOptions) {
  const app = await startTestApp(options)
  onTestFinished(() => app.close())
  return app
}

test.each([
  ['a bug', new Error('no such table at /var/lib/secret'), 500, errorCode('server_error')],
  ['a full disk', Object.assign(new Error('write /var/lib/secret'), { code: 'ENOSPC' }), 507, errorCode('server_error')],
  ['an interruption', new DOMException('secret', 'AbortError'), 503, errorCode('temporarily_unavailable')],
] as const)('the answer to %s has no details of the failure', async (_case, failure, status, error) => {
  const app = await start({})
  const flow = await oauthFlow(app)
  const code = await flow.code()
  app.backend.records.oauth.codes.redeem = async () => {
    throw failure
  }
  const answer = await flow.exchange(code)
  expect(answer).toMatchObject({ status, body: { error: errorCode(error) } })
  expect(JSON.stringify(answer.body)).not.toContain('secret')
  if (status === 503) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('wrong secrets from one address are rate-limited, right ones are not', async () => {
  const app = await start({ http: { rateLimit: 10_000 } })
  const flow = await oauthFlow(app)
  const guess = () => flow.post('/api/oauth/token', { grant_type: 'refresh_token', refresh_token: 'x', client_secret: 'wrong' })
  for (let sent = 0; sent < MAX_FAILURES; sent += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, guess))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
  }
  const { status, headers, body } = await guess()
  expect([status, body['error']]).toEqual([429, errorCode('temporarily_unavailable')])
  expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(15 * 60)
  expect((await flow.exchange('x'.repeat(64))).status, 'a wrong code counts too').toBe(429)
  await flow.tokens()
})

test('starting the device flow again and again is rate-limited', async () => {
  const app = await start({ http: { rateLimit: 1000 } })
  const statuses = new Set<number>()
  for (let i = 0; i < 301; i++)
    statuses.add(
      (await app.stranger.call('POST', '/api/oauth/device', { body: new URLSearchParams({ client_id: 'docsearch-cli' }) }))
        .status,
    )
  expect([...statuses]).toEqual([200, 429])
})

test('the request limit also applies to OAuth, with an OAuth error', async () => {
  const app = await start({ http: { rateLimit: 2 } })
  const ask = () => app.stranger.call('POST', '/api/oauth/token', { body: new URLSearchParams({ grant_type: 'x' }) })
  expect([(await ask()).status, (await ask()).status]).toEqual([400, 400])
  expect(await ask()).toMatchObject({ status: 429, body: { error: errorCode('temporarily_unavailable') } })
})
