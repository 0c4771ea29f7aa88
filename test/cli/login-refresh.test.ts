import type { ServerResponse } from 'node:http'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { OAuthLogin } from '../../src/client/credentials/oauth-login.ts'
import { openCredentialStore } from '../../src/client/credentials/store.ts'
import { runCommand, testFolder } from '../support/cli.ts'
import { json, problem } from '../support/scripted-instance.ts'
import type { Received, Script } from '../support/scripted-instance.ts'
import { oauthError, scriptedOAuth } from '../support/scripted-oauth.ts'
import { errorCode } from '../support/codes.ts'

const noKeychain = { getPassword: refuse, setPassword: refuse, deletePassword: refuse }
async function refuse(): Promise<never> {
  throw new Error('no keychain here')
}

/** An instance whose access tokens are `access_1`, `access_2` and so on. Only the newest is valid, and each refresh token works once. */
async function rotating(script: Script = {}) {
  const now = { access: 1 }
  const guarded = (answer: object) => (request: Received, response: ServerResponse) => {
    if (request.headers.authorization === `Bearer access_${now.access}`) json(response, 200, answer)
    else problem(response, 401, errorCode('invalid_token'), 'The token is unknown, revoked or expired.')
  }
  const instance = await scriptedOAuth({
    'GET /api/v1/projects': guarded({ projects: [], next_cursor: null }),
    'POST /api/oauth/token': (request: Received, response: ServerResponse) => {
      const form = new URLSearchParams(request.body.toString())
      if (form.get('refresh_token') !== `refresh_${now.access}`) return oauthError(response, 400, errorCode('invalid_grant'))
      now.access += 1
      json(response, 200, {
        access_token: `access_${now.access}`,
        refresh_token: `refresh_${now.access}`,
        token_type: 'Bearer',
        expires_in: 3600,
      })
    },
    ...script,
  })
  return { instance, now, renewals: () => instance.forms('/api/oauth/token') }
}

/** Stores a login like `docsearch login`, with an access token that is valid for this many seconds. */
async function keep(url: string, expiresInSeconds: number, change: Partial<OAuthLogin> = {}) {
  const env = { XDG_CONFIG_HOME: testFolder(), DOCSEARCH_SERVER: url }
  const store = openCredentialStore({ env, onNotice: () => {}, keytar: noKeychain })
  await store.saveLogin(url, {
    accessToken: 'access_1',
    refreshToken: 'refresh_1',
    expiresAt: new Date(Date.now() + expiresInSeconds * 1000).toISOString(),
    clientId: 'docsearch-cli',
    clientSecret: null,
    scope: 'read:documents',
    ...change,
  })
  return { env, store, list: () => runCommand(['projects', 'list', '--json'], { env }) }
}

test('uses a token that is far from its expiry', async () => {
  const { instance, renewals } = await rotating()
  const { list } = await keep(instance.url, 600)
  expect((await list()).code).toBe(1)
  expect(renewals()).toEqual([])
  expect(instance.requests).toHaveLength(1)
})

test('renews a token that is about to expire, and stores the new one', async () => {
  const { instance, renewals } = await rotating()
  const { list, store } = await keep(instance.url, 59, { clientId: 'app_1', clientSecret: 'dss_1' })
  expect(await list()).toMatchObject({ code: 1, stderr: '' })
  expect(renewals()).toEqual([
    { grant_type: 'refresh_token', refresh_token: 'refresh_1', client_id: 'app_1', client_secret: 'dss_1' },
  ])
  expect((await store.get(instance.url))?.login).toMatchObject({
    accessToken: 'access_2',
    refreshToken: 'refresh_2',
    clientSecret: 'dss_1',
    scope: 'read:documents',
  })
  expect((await list()).code).toBe(1)
  expect(renewals()).toHaveLength(1)
})

test('renews a refused token once and sends the request again', async () => {
  const { instance, now, renewals } = await rotating()
  const { list } = await keep(instance.url, 600, { accessToken: 'access_0' })
  expect((await list()).code).toBe(1)
  expect([renewals().length, now.access]).toEqual([1, 2])
})

test('exits with 4 when the renewed token is refused too', async () => {
  const { instance, renewals } = await rotating({
    'GET /api/v1/projects': (_: Received, response: ServerResponse) =>
      problem(response, 401, errorCode('invalid_token'), 'The token is unknown, revoked or expired.'),
  })
  const { list } = await keep(instance.url, 600)
  expect((await list()).code).toBe(4)
  expect(renewals()).toHaveLength(1)
})

test('several commands renew once, and each of them works', async () => {
  const { instance, renewals } = await rotating()
  const { list } = await keep(instance.url, -1)
  expect((await Promise.all(Array.from({ length: 5 }, list))).map(({ code }) => code)).toEqual([1, 1, 1, 1, 1])
  expect(renewals()).toHaveLength(1)
})

test('an upload renews before it sends, because a stream cannot be sent twice', async () => {
  const { instance, renewals } = await rotating({
    'POST /api/v1/upload': (request: Received, response: ServerResponse) =>
      request.headers.authorization === 'Bearer access_2'
        ? json(response, 202, { documents: [], rejected: [] })
        : problem(response, 401, errorCode('invalid_token'), 'The token is unknown, revoked or expired.'),
  })
  const { env } = await keep(instance.url, 30)
  const file = join(testFolder(), 'a.txt')
  writeFileSync(file, 'words')
  expect((await runCommand(['upload', file], { env })).code).toBe(0)
  expect(renewals()).toHaveLength(1)
  expect(instance.requests.filter(({ path }) => path === '/api/v1/upload')).toHaveLength(1)
})

test('exits with 4 and says how to log in again when the login has ended, without printing a secret', async () => {
  const { instance } = await rotating()
  const { list } = await keep(instance.url, -1, { refreshToken: 'refresh_0' })
  const run = await list()
  expect(run.code).toBe(4)
  expect(JSON.parse(run.stderr)).toMatchObject({ code: errorCode('login_ended'), exit_code: 4 })
  expect(run.stderr).toContain(`docsearch login ${instance.url}`)
  expect(run.stderr).not.toMatch(/refresh_0|access_1/)
})

test('exits with 4 when a login without a refresh token has expired', async () => {
  const { instance, renewals } = await rotating()
  const { list } = await keep(instance.url, -1, { accessToken: 'access_0', refreshToken: null })
  const run = await list()
  expect(run.code).toBe(4)
  expect(run.stderr).toContain(`docsearch login ${instance.url}`)
  expect(renewals()).toEqual([])
})

test('exits with 4 when the instance no longer knows the application', async () => {
  const { instance } = await rotating({
    'POST /api/oauth/token': (_: Received, response: ServerResponse) => oauthError(response, 401, errorCode('invalid_client')),
  })
  const { list } = await keep(instance.url, -1)
  expect((await list()).code).toBe(4)
})

test('exits with 5 and keeps the login when the instance is down', async () => {
  const { env, list, store } = await keep('http://127.0.0.1:1', -1)
  expect((await list()).code).toBe(5)
  expect((await store.get(env.DOCSEARCH_SERVER))?.login?.refreshToken).toBe('refresh_1')
})

test('exits with 7 when the instance fails and with 6 when it is busy', async () => {
  for (const [status, code] of [
    [500, 7],
    [503, 6],
  ] as const) {
    const { instance } = await rotating({
      'POST /api/oauth/token': (_: Received, response: ServerResponse) => oauthError(response, status, errorCode('server_error')),
    })
    expect((await (await keep(instance.url, -1)).list()).code).toBe(code)
  }
})

test('Ctrl-C does not lose a login that is being renewed', async () => {
  const controller = new AbortController()
  const { instance } = await rotating({
    'POST /api/oauth/token': (_: Received, response: ServerResponse) => {
      controller.abort()
      json(response, 200, { access_token: 'access_2', refresh_token: 'refresh_2', token_type: 'Bearer', expires_in: 3600 })
    },
  })
  const { env, store } = await keep(instance.url, -1)
  expect((await runCommand(['projects', 'list'], { env, signal: controller.signal })).code).toBe(130)
  expect((await store.get(instance.url))?.login?.refreshToken).toBe('refresh_2')
})

test('DOCSEARCH_TOKEN takes precedence, and nothing is renewed', async () => {
  const { instance, renewals } = await rotating()
  const { env } = await keep(instance.url, -1)
  expect((await runCommand(['projects', 'list'], { env: { ...env, DOCSEARCH_TOKEN: 'access_1' } })).code).toBe(1)
  expect(renewals()).toEqual([])
})

test('logout revokes the refresh token, then deletes the login', async () => {
  const { instance } = await rotating()
  const { env, store } = await keep(instance.url, -1)
  const run = await runCommand(['logout', '--json'], { env })
  expect(JSON.parse(run.stdout)).toEqual({ server: instance.url, logged_out: true, revoked: true })
  expect(instance.forms('/api/oauth/revoke')).toEqual([
    { token: 'refresh_1', token_type_hint: 'refresh_token', client_id: 'docsearch-cli' },
  ])
  expect(await store.get(instance.url)).toBeNull()
  expect((await runCommand(['logout'], { env })).code).toBe(4)
})

test('logout deletes the login even if the instance is down, and says what is left to do', async () => {
  const { env, store } = await keep('http://127.0.0.1:1', 600)
  const run = await runCommand(['logout'], { env })
  expect(run).toMatchObject({ code: 0, stdout: 'Logged out of http://127.0.0.1:1\n' })
  expect(run.stderr).toContain('Connected applications')
  expect(await store.get('http://127.0.0.1:1')).toBeNull()
})
