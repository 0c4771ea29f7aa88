import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { OAuthErrorCode } from '../../src/core/errors.ts'
import { runCommand } from '../support/cli.ts'
import { json } from '../support/scripted-instance.ts'
import { oauthError, scriptedOAuth, TOKENS } from '../support/scripted-oauth.ts'
import { errorCode } from '../support/codes.ts'

/** Answers to the polls, in order: a text is an error, null a broken connection. The last answer repeats. */
function polls(...answers: (OAuthErrorCode | object | null)[]) {
  return (_: unknown, response: ServerResponse) => {
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    if (answer === null) response.destroy()
    else if (typeof answer === 'string') oauthError(response, 400, answer)
    else json(response, 200, answer)
  }
}

async function login(
  token: unknown,
  args: string[] = ['--device'],
  env: Record<string, string> = { DISPLAY: ':0' },
  terminal?: number,
) {
  const instance = await scriptedOAuth({ 'POST /api/oauth/token': token })
  const waits: number[] = []
  const run = await runCommand(['login', instance.url, ...args], { env, terminal, wait: async (ms) => void waits.push(ms) })
  return { instance, run, waits }
}

test('shows a code and where to enter it, then logs in', async () => {
  const { instance, run, waits } = await login(
    polls(errorCode('authorization_pending'), errorCode('authorization_pending'), TOKENS),
  )
  expect(run).toMatchObject({ code: 0, stdout: `Logged in to ${instance.url} as Alice (read:documents)\n`, opened: [] })
  expect(run.stderr).toContain('Code:  BCDF-GHJK')
  expect(run.stderr).toContain(`${instance.url}/device within 15 minutes`)
  expect(waits).toEqual([5000, 5000, 5000])
  expect(instance.forms('/api/oauth/device')).toEqual([
    { scope: 'read:documents write:documents manage:keys', client_id: 'docsearch-cli' },
  ])
  expect(instance.forms('/api/oauth/token')[0]).toEqual({
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: 'd'.repeat(64),
    client_id: 'docsearch-cli',
  })
  for (const secret of ['d'.repeat(64), TOKENS.access_token]) expect(run.stdout + run.stderr).not.toContain(secret)
})

test('slow_down lengthens the interval for good, and a broken connection is retried', async () => {
  const { run, waits } = await login(polls(errorCode('slow_down'), null, errorCode('authorization_pending'), TOKENS))
  expect(run.code).toBe(0)
  expect(waits).toEqual([5000, 10_000, 10_000, 10_000])
})

test.each([
  [errorCode('access_denied'), 'was declined'],
  [errorCode('expired_token'), 'has expired'],
  [errorCode('authorization_pending'), 'has expired'],
] as const)('%s to the end: 4', async (error, sentence) => {
  const { run } = await login(polls(error))
  expect(run).toMatchObject({ code: 4, stdout: '' })
  expect(run.stderr).toContain(sentence)
})

test('Ctrl-C while waiting exits with 130', async () => {
  const instance = await scriptedOAuth()
  const controller = new AbortController()
  const run = await runCommand(['login', instance.url, '--device'], {
    signal: controller.signal,
    wait: async () => controller.abort(),
  })
  expect(run.code).toBe(130)
  expect(instance.forms('/api/oauth/token')).toEqual([])
})

describe('is the default where a browser would open on the wrong machine', () => {
  test.each([
    { SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22', DISPLAY: ':10' },
    { SSH_TTY: '/dev/pts/1', BROWSER: 'firefox' },
  ])('%j', async (env) => {
    const { run } = await login(polls(TOKENS), [], env)
    expect(run).toMatchObject({ code: 0, opened: [] })
    expect(run.stderr).toContain('BCDF-GHJK')
  })
})

test.runIf(process.platform === 'linux')('is the default on a terminal without a display', async () => {
  const { run } = await login(polls(TOKENS), [], {}, 80)
  expect(run).toMatchObject({ code: 0, opened: [] })
  expect(run.stderr).toContain('BCDF-GHJK')
})

test.runIf(process.platform === 'linux')(
  'is refused on a pipe without a browser, where nobody could enter the code',
  async () => {
    const { run, instance } = await login(polls(TOKENS), [], {})
    expect(run).toMatchObject({ code: 2, stdout: '', opened: [] })
    expect(run.stderr).toContain('Pass --with-token')
    expect(instance.forms('/api/oauth/device')).toEqual([])
  },
)

test('shows the code with --quiet too, and with --json as an object on standard error', async () => {
  expect((await login(polls(TOKENS), ['--device', '--quiet'])).run.stderr).toContain('BCDF-GHJK')
  const { instance, run } = await login(polls(TOKENS), ['--device', '--json'])
  expect(JSON.parse(run.stderr)).toEqual({
    event: 'code',
    user_code: 'BCDF-GHJK',
    verification_uri: `${instance.url}/device`,
    verification_uri_complete: `${instance.url}/device?code=BCDF-GHJK`,
    expires_in: 900,
  })
  expect(JSON.parse(run.stdout)).toMatchObject({ server: instance.url, user: { name: 'Alice' } })
})

test('exits with 7 when the address for the code belongs to another server', async () => {
  const instance = await scriptedOAuth({
    'POST /api/oauth/device': {
      device_code: 'd'.repeat(64),
      user_code: 'BCDF-GHJK',
      verification_uri: 'https://evil.example/device',
      expires_in: 900,
    },
  })
  const run = await runCommand(['login', instance.url, '--device'])
  expect(run.code).toBe(7)
  expect(run.stderr).not.toContain('BCDF')
})

test('exits with 2 when the instance has no device login', async () => {
  const instance = await scriptedOAuth({}, () => ({ device_authorization_endpoint: undefined }))
  const run = await runCommand(['login', instance.url, '--device'])
  expect(run.code).toBe(2)
  expect(run.stderr).toContain('--with-token')
})
