import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { runCommand, testFolder, type CliOptions } from '../support/cli.ts'
import { loggedIn, type WebClient } from '../support/web-client.ts'

let app: TestApp
let browser: WebClient
beforeAll(async () => {
  app = await startTestApp()
  browser = await loggedIn(app, 'alice@example.org')
})
afterAll(() => app?.close())

/** Presses this button on the consent page as Alice. Returns what the command line then shows in the browser. */
function decide(button: 'Allow' | 'Deny', alice = browser) {
  return async (address: string) => {
    const { pathname, search } = new URL(address)
    const consent = await alice.get(pathname + search)
    const answer = await alice.submit(consent, '/api/oauth/authorize', {}, button)
    return (await fetch(answer.location!)).text()
  }
}

function home(options: CliOptions = {}) {
  const env = { DISPLAY: ':0', XDG_CONFIG_HOME: testFolder(), ...options.env }
  return {
    env,
    cli: (args: string[], more: CliOptions = {}) =>
      runCommand(args, { browser: decide('Allow'), ...options, ...more, env: { ...env, ...more.env } }),
  }
}

interface Kept {
  accessToken: string
  refreshToken: string
  expiresAt: string
}

function fileOf(env: { XDG_CONFIG_HOME: string }): string {
  const folder = join(env.XDG_CONFIG_HOME, 'docsearch', 'credentials')
  return join(folder, readdirSync(folder)[0]!)
}

function kept(env: { XDG_CONFIG_HOME: string }): Kept {
  return JSON.parse((JSON.parse(readFileSync(fileOf(env), 'utf8')) as { token: string }).token) as Kept
}

/** Makes the stored login expire, and replaces its tokens if given. */
function expire(env: { XDG_CONFIG_HOME: string }, tokens: Partial<Kept> = {}): void {
  const entry = JSON.parse(readFileSync(fileOf(env), 'utf8')) as object
  const token = JSON.stringify({ ...kept(env), ...tokens, expiresAt: new Date(0).toISOString() })
  writeFileSync(fileOf(env), JSON.stringify({ ...entry, token }))
}

test('logs in through the pages, then runs whoami, a command and logout', async () => {
  const { env, cli } = home()
  const login = await cli(['login', app.url])
  expect(login).toMatchObject({
    code: 0,
    stdout: `Logged in to ${app.url} as Alice (read:documents, write:documents, manage:keys)\n`,
  })
  const { accessToken, refreshToken } = kept(env)
  const whoami = await cli(['whoami'])
  for (const part of [
    'user\tAlice\n',
    'email\talice@example.org\n',
    `server\t${app.url} (profile)`,
    'login of docsearch',
    env.XDG_CONFIG_HOME,
  ])
    expect(whoami.stdout).toContain(part)
  expect(whoami.stdout).toMatch(/\nexpires\t\d{4}-.*\nrenewed\tautomatically, if used before \d{4}-/)
  expect((await cli(['keys', 'list'])).code).toBe(0)
  expect((await browser.get('/settings/connections')).text).toContain('docsearch')

  expect((await cli(['logout'])).code).toBe(0)
  expect((await cli(['whoami', '--server', app.url])).code).toBe(4)
  for (const token of [accessToken, refreshToken])
    expect((await cli(['whoami', '--server', app.url], { env: { DOCSEARCH_TOKEN: token } })).code).toBe(4)
  for (const run of [login, whoami])
    for (const secret of [accessToken, refreshToken]) expect(run.stdout + run.stderr).not.toContain(secret)
})

test('exits with 4 when the user declines on the page', async () => {
  const { cli } = home()
  const run = await cli(['login', app.url], { browser: decide('Deny') })
  expect(run.code).toBe(4)
  expect(run.stderr).toContain('was declined')
})

test('asks for a new login after the login was ended under Connected applications', async () => {
  const { cli } = home()
  await cli(['login', app.url])
  const disconnect = '/settings/connections/docsearch-cli/disconnect'
  await browser.submit(await browser.get(disconnect), disconnect)
  const run = await cli(['projects', 'list'])
  expect(run.code).toBe(4)
  expect(run.stderr).toContain(`docsearch login ${app.url}`)
})

test('a member logs in as a member', async () => {
  const { cli } = home()
  const run = await cli(['login', app.url], { browser: decide('Allow', await loggedIn(app, 'bob@example.org')) })
  expect(run.stdout).toContain('as Bob')
})

test('logs in with a code that is entered on another device', async () => {
  const { cli } = home()
  let code = ''
  let outcome = ''
  const run = await cli(['--json', 'login', app.url, '--device'], {
    onStderr: (text) => (code ||= (JSON.parse(text) as { user_code: string }).user_code),
    async wait(ms) {
      outcome ||= await enterCode(code, 'Allow')
      await sleep(ms)
    },
  })
  expect(outcome).toContain('The device is connected')
  expect(run.code).toBe(0)
  expect(JSON.parse(run.stdout)).toMatchObject({ user: { name: 'Alice' } })
})

test('exits with 4 when the code is declined', async () => {
  const { cli } = home()
  let code = ''
  const run = await cli(['--json', 'login', app.url, '--device'], {
    onStderr: (text) => (code ||= (JSON.parse(text) as { user_code: string }).user_code),
    wait: async () => void (await enterCode(code, 'Deny')),
  })
  expect(run.code).toBe(4)
  expect(run.stderr).toContain('was declined')
})

async function enterCode(code: string, button: 'Allow' | 'Deny'): Promise<string> {
  const page = await browser.submit(await browser.get('/device'), '/device', { user_code: code })
  return (await browser.submit(page, '/device/decision', {}, button)).text
}

test('logs in, renews and logs out as an application with a secret', async () => {
  const alice = await app.backend.records.users.findByEmail('alice@example.org')
  const { application, secret } = await app.backend.oauth.applications.create({
    ownerId: alice!.id,
    name: 'My terminal',
    type: 'confidential',
    redirectUris: ['http://127.0.0.1/callback'],
  })
  const { env, cli } = home()
  const login = await cli(['login', app.url, '--client-id', application.id, '--scope', 'read:documents'], {
    stdin: `${secret}\n`,
  })
  expect(login).toMatchObject({ code: 0, stdout: expect.stringContaining('(read:documents)') })
  const before = kept(env)
  expire(env)
  expect((await cli(['whoami'])).stdout).toContain('login of My terminal')
  const after = kept(env)
  expect(after.accessToken).not.toBe(before.accessToken)
  expect((await cli(['logout'])).code).toBe(0)
  expect((await cli(['whoami'], { env: { DOCSEARCH_TOKEN: after.accessToken, DOCSEARCH_SERVER: app.url } })).code).toBe(4)
})

test('a refresh token that was used elsewhere ends the login, and no command loops', async () => {
  const { env, cli } = home()
  await cli(['login', app.url])
  const stolen = kept(env)
  // Once its successor has been used as well, a token isn't accepted even within the grace.
  for (let refreshes = 0; refreshes < 2; refreshes += 1) {
    expire(env)
    expect((await cli(['projects', 'list'])).code).toBeLessThan(2)
  }
  expire(env, stolen)
  const run = await cli(['projects', 'list'])
  expect(run.code).toBe(4)
  expect(run.stderr).toContain('has ended')
})
