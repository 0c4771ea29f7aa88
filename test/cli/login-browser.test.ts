import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readProfiles } from '../../src/client/profiles.ts'
import { runCommand, testFolder } from '../support/cli.ts'
import type { CliOptions, CliRun } from '../support/cli.ts'
import { comeBack, oauthError, scriptedOAuth, TOKENS } from '../support/scripted-oauth.ts'
import type { ScriptedOAuth } from '../support/scripted-oauth.ts'
import { errorCode } from '../support/codes.ts'

type Seen = Awaited<ReturnType<ReturnType<typeof comeBack>>>

/** Logs in with a display and a scripted browser. Returns the page that the browser saw at the end. */
async function login(
  instance: ScriptedOAuth,
  change?: (answer: URLSearchParams) => void,
  options: CliOptions = {},
): Promise<{ run: CliRun; seen: Seen | undefined; home: string }> {
  const home = testFolder()
  let seen: Promise<Seen> | undefined
  const run = await runCommand(['login', instance.url], {
    browser: (address) => (seen = comeBack(instance.url, change)(address)),
    ...options,
    env: { DISPLAY: ':0', XDG_CONFIG_HOME: home, ...options.env },
  })
  return { run, seen: await seen, home }
}

const notLoggedIn = async (instance: ScriptedOAuth, home: string) =>
  expect((await runCommand(['whoami', '--server', instance.url], { env: { XDG_CONFIG_HOME: home } })).code).toBe(4)

test('opens the browser, exchanges the code with its verifier and stores the login in a private file', async () => {
  const instance = await scriptedOAuth()
  const { run, seen, home } = await login(instance)
  expect(run).toMatchObject({ code: 0, stdout: `Logged in to ${instance.url} as Alice (read:documents)\n` })

  const asked = new URL(run.opened[0]!)
  expect(asked.origin + asked.pathname).toBe(`${instance.url}/api/oauth/authorize`)
  const query = Object.fromEntries(asked.searchParams)
  expect(query).toMatchObject({
    response_type: 'code',
    client_id: 'docsearch-cli',
    scope: 'read:documents write:documents manage:keys',
    code_challenge_method: 'S256',
  })
  expect(query['redirect_uri']).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
  const [form] = instance.forms('/api/oauth/token')
  expect(form).toMatchObject({ grant_type: 'authorization_code', code: 'c'.repeat(64), redirect_uri: query['redirect_uri'] })
  expect(form).not.toHaveProperty('client_secret')
  expect(createHash('sha256').update(form!['code_verifier']!).digest('base64url')).toBe(query['code_challenge'])

  expect(seen).toMatchObject({ status: 200, page: expect.stringContaining('You can close this window') })
  const style = /<style>(.*)<\/style>/s.exec(seen!.page)![1]!
  const allowed = `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`
  expect(seen!.headers.get('content-security-policy')).toContain(`default-src 'none'; ${allowed};`)
  expect(seen!.headers.get('referrer-policy')).toBe('no-referrer')

  const folder = join(home, 'docsearch', 'credentials')
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  const files = readdirSync(folder)
  expect(files).toHaveLength(1)
  expect(statSync(join(folder, files[0]!)).mode & 0o777).toBe(0o600)
  expect(run.stderr).toContain(join(folder, files[0]!))
  for (const secret of [TOKENS.access_token, TOKENS.refresh_token, form!['code_verifier']!, form!['code']!])
    expect(run.stdout + run.stderr).not.toContain(secret)
})

test('closes the port after the login', async () => {
  const instance = await scriptedOAuth()
  const { run } = await login(instance)
  await expect(fetch(new URL(run.opened[0]!).searchParams.get('redirect_uri')!)).rejects.toThrow()
})

test('a declined login exits with 4 and shows in the terminal and in the browser', async () => {
  const instance = await scriptedOAuth()
  const { run, seen, home } = await login(instance, (answer) => {
    answer.delete('code')
    answer.set('error', 'access_denied')
  })
  expect(run).toMatchObject({ code: 4, stdout: '' })
  expect(run.stderr).toContain('was declined')
  expect(seen).toMatchObject({ status: 400, page: expect.stringContaining('was declined') })
  expect(instance.forms('/api/oauth/token')).toEqual([])
  await notLoggedIn(instance, home)
})

test.each<[string, (answer: URLSearchParams) => void, string]>([
  ['another state', (answer) => answer.set('state', 'x'), 'wrong state'],
  ['no state', (answer) => answer.delete('state'), 'wrong state'],
  ['two states', (answer) => answer.append('state', 'x'), 'wrong state'],
  ['another issuer', (answer) => answer.set('iss', 'https://evil.example'), 'wrong issuer'],
  ['no issuer although it is promised', (answer) => answer.delete('iss'), 'wrong issuer'],
  ['two issuers', (answer) => answer.append('iss', 'https://evil.example'), 'wrong issuer'],
])('%s exits with 4, and the code is not used', async (_, change, sentence) => {
  const instance = await scriptedOAuth()
  const { run, seen } = await login(instance, change)
  expect(run.code).toBe(4)
  expect(run.stderr).toContain(sentence)
  expect(seen!.status).toBe(400)
  expect(instance.forms('/api/oauth/token')).toEqual([])
})

test.each([
  [errorCode('invalid_scope'), 2],
  [errorCode('server_error'), 7],
  [errorCode('temporarily_unavailable'), 6],
] as const)('the instance sends the browser back with %s: %i, and what it said', async (error, code) => {
  const instance = await scriptedOAuth()
  const { run } = await login(instance, (answer) => {
    answer.delete('code')
    answer.set('error', errorCode(error))
    answer.set('error_description', 'Something \u001b[31mof <b>that</b> kind.')
  })
  expect(run.code).toBe(code)
  expect(run.stderr).toContain('Something \ufffd[31mof <b>that</b> kind.')
})

test('escapes text of the instance in the page', async () => {
  const instance = await scriptedOAuth()
  const { seen } = await login(instance, (answer) => {
    answer.set('error', 'invalid_request')
    answer.set('error_description', '<script>alert(1)</script>')
  })
  expect(seen!.page).toContain('&lt;script&gt;')
  expect(seen!.page).not.toContain('<script')
})

test('a refused code exits with 4, and the page reports the failure', async () => {
  const refuse = (_: unknown, response: ServerResponse) => oauthError(response, 400, errorCode('invalid_grant'))
  const { run, seen } = await login(await scriptedOAuth({ 'POST /api/oauth/token': refuse }))
  expect(run.code).toBe(4)
  expect(seen).toMatchObject({ status: 400 })
})

test('exits with 7 and stores nothing when the token is invalid', async () => {
  const { run, home } = await login(await scriptedOAuth({ 'POST /api/oauth/token': { ...TOKENS, access_token: 'a b\r\nc' } }))
  expect(run.code).toBe(7)
  expect(run.stderr).not.toContain('a b')
  expect(readdirSync(home)).toEqual([])
})

test('revokes a token that does not work, and stores nothing', async () => {
  const refuse = (_: unknown, response: ServerResponse) => oauthError(response, 500, errorCode('server_error'))
  const instance = await scriptedOAuth({ 'GET /api/v1/me': refuse })
  const { run, home } = await login(instance)
  expect(run.code).toBe(7)
  expect(readdirSync(home)).toEqual([])
  expect(instance.forms('/api/oauth/revoke')).toMatchObject([{ token: TOKENS.refresh_token, client_id: 'docsearch-cli' }])
})

test('exits with 4 when the browser does not return in time', async () => {
  const instance = await scriptedOAuth()
  const { run } = await login(instance, undefined, { browser: async () => {}, wait: async () => {} })
  expect(run.code).toBe(4)
  expect(run.stderr).toContain('within 5 minutes')
})

test('Ctrl-C while waiting exits with 130', async () => {
  const controller = new AbortController()
  const { run } = await login(await scriptedOAuth(), undefined, {
    signal: controller.signal,
    browser: async () => controller.abort(),
  })
  expect(run).toMatchObject({ code: 130, stdout: '' })
})

test('reports a browser that cannot be started, and waits for one opened by hand', async () => {
  const instance = await scriptedOAuth()
  const { run } = await login(instance, undefined, {
    browser: async (address) => {
      // Opens the address by hand, after the failure was reported.
      setImmediate(() => void comeBack(instance.url)(address))
      throw new Error('xdg-open is not there')
    },
  })
  expect(run.code).toBe(0)
  expect(run.stderr).toContain('Could not open a browser (xdg-open is not there)')
  expect(run.stderr).toContain(run.opened[0])
})

test('refuses icons, other paths, other methods and a second response', async () => {
  const instance = await scriptedOAuth()
  const statuses: number[] = []
  const { run } = await login(instance, undefined, {
    browser: async (address) => {
      const callback = new URL(address).searchParams.get('redirect_uri')!
      for (const [path, method] of [
        ['/favicon.ico', 'GET'],
        ['/', 'GET'],
        ['/callback/', 'GET'],
        ['/callback', 'POST'],
      ] as const)
        statuses.push((await fetch(new URL(path, callback), { method })).status)
      await comeBack(instance.url)(address)
    },
  })
  expect(statuses).toEqual([404, 404, 404, 405])
  expect(run.code).toBe(0)
})

test('--json prints the result on standard output and the address to open on standard error', async () => {
  const instance = await scriptedOAuth()
  const home = testFolder()
  const run = await runCommand(['login', instance.url, '--json', '--scope', 'read:documents'], {
    env: { DISPLAY: ':0', XDG_CONFIG_HOME: home },
    browser: comeBack(instance.url),
  })
  expect(JSON.parse(run.stdout)).toMatchObject({
    server: instance.url,
    user: { name: 'Alice' },
    scopes: ['read:documents'],
    stored: 'file',
    profile: new URL(instance.url).host,
  })
  expect(JSON.parse(run.stderr)).toEqual({ event: 'open', url: run.opened[0] })
  expect(new URL(run.opened[0]!).searchParams.get('scope')).toBe('read:documents')
})

test('a new login revokes the previous one', async () => {
  const instance = await scriptedOAuth()
  const env = { DISPLAY: ':0', XDG_CONFIG_HOME: testFolder() }
  for (const _ of [1, 2])
    expect((await runCommand(['login', instance.url], { env, browser: comeBack(instance.url) })).code).toBe(0)
  expect(instance.forms('/api/oauth/revoke')).toHaveLength(1)
})

test('the first login is the default of commands without --server until the logout, and its profile stays', async () => {
  const instance = await scriptedOAuth()
  const env = { DISPLAY: ':0', XDG_CONFIG_HOME: testFolder() }
  const browser = comeBack(instance.url)
  expect((await runCommand(['--profile', 'work', 'login', instance.url], { env, browser })).code).toBe(0)
  expect((await runCommand(['whoami'], { env })).stdout).toContain(`server\t${instance.url} (profile)`)
  expect((await runCommand(['logout'], { env })).code).toBe(0)
  expect(await readProfiles(env)).toEqual({ profiles: { work: { server: instance.url } } })
  expect((await runCommand(['--profile', 'work', 'login'], { env, browser })).code).toBe(0)
  expect((await runCommand(['whoami'], { env })).code).toBe(0)
})
