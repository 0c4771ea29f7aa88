import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { browserPath, browserWord, launchBrowser } from '../support/browser.ts'
import { BIN, cleanEnv, runCli, startRealDaemon, type CliResult, type RealDaemon } from '../support/daemon.ts'
import { until } from '../support/until.ts'
import { PASSWORD, webClient, type WebClient } from '../support/web-client.ts'

let daemon: RealDaemon
let owner: WebClient
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'docsearch-login-'))
  daemon = await startRealDaemon({ env: { DOCSEARCH_EMBEDDER: 'builtin' } })
  owner = webClient({ url: daemon.url, baseUrl: daemon.url })
  const { pathname, search } = new URL(daemon.setupUrl!)
  const account = { name: 'Olga', email: 'olga@example.org', password: PASSWORD, password_again: PASSWORD }
  expect((await owner.submit(await owner.get(pathname + search), '/setup', account)).status).toBe(303)
})
afterAll(async () => {
  await daemon?.dispose()
  rmSync(folder, { recursive: true, force: true })
})

/** A home folder with a program for BROWSER that writes its address to a file. */
function terminal(name: string) {
  const home = join(folder, name)
  const asked = join(folder, `${name}.url`)
  const opener = join(folder, `${name}.sh`)
  writeFileSync(opener, `#!/bin/sh\nprintf %s "$1" > '${asked}.part' && mv '${asked}.part' '${asked}'\n`)
  chmodSync(opener, 0o755)
  return {
    env: cleanEnv(home, { BROWSER: opener, DOCSEARCH_SERVER: daemon.url }),
    address: () => until('the browser to be opened', () => existsSync(asked) && readFileSync(asked, 'utf8')),
    credentials: join(home, 'config', 'docsearch', 'credentials'),
  }
}

// `open` starts what BROWSER names through xdg-open, which only Linux has.
const isLinux = process.platform === 'linux'

test.skipIf(!isLinux)('five processes renew a login once, and each of them works', async () => {
  const { env, address, credentials } = terminal('five')
  const login = runCli(['login', daemon.url], env)
  const { pathname, search } = new URL(await address())
  const { location } = await owner.submit(await owner.get(pathname + search), '/api/oauth/authorize', {}, 'Allow')
  expect(await (await fetch(location!)).text()).toContain('You are logged in')
  expect(await login).toMatchObject({ code: 0, stdout: expect.stringContaining('as Olga') })

  const file = join(credentials, readdirSync(credentials)[0]!)
  const entry = JSON.parse(readFileSync(file, 'utf8')) as { token: string }
  const before = JSON.parse(entry.token) as Record<string, string>
  writeFileSync(file, JSON.stringify({ ...entry, token: JSON.stringify({ ...before, expiresAt: '2026-01-01T00:00:00.000Z' }) }))
  const runs: CliResult[] = await Promise.all(Array.from({ length: 5 }, () => runCli(['projects', 'list', '--json'], env)))
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0])
  // A second renewal with the same refresh token would end the login.
  expect((await runCli(['whoami'], env)).code).toBe(0)
  const after = JSON.parse((JSON.parse(readFileSync(file, 'utf8')) as { token: string }).token) as Record<string, string>
  expect(after['refreshToken']).not.toBe(before['refreshToken'])
  expect(readdirSync(credentials)).toHaveLength(1)

  expect((await runCli(['logout'], env)).code).toBe(0)
  for (const secret of [before, after].flatMap((tokens) => [tokens['accessToken']!, tokens['refreshToken']!])) {
    expect((await runCli(['whoami'], { ...env, DOCSEARCH_TOKEN: secret })).code).toBe(4)
    for (const { stdout, stderr } of [...runs, await login]) expect(stdout + stderr).not.toContain(secret)
    expect(daemon.stderr()).not.toContain(secret)
  }
})

test.skipIf(!isLinux || browserPath === undefined)(`docsearch login with a real browser (${browserWord})`, async () => {
  const { env, address } = terminal('chromium')
  const login = runCli(['login', daemon.url], env)
  await using browser = await launchBrowser()
  const page = await browser.newPage()
  await page.goto(await address())
  await page.getByLabel('Email').fill('olga@example.org')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByRole('heading', { name: 'You are logged in' }).waitFor()
  expect(await login).toMatchObject({ code: 0, stdout: expect.stringContaining(`Logged in to ${daemon.url} as Olga`) })
  expect((await runCli(['whoami'], env)).stdout).toContain('email\tolga@example.org')
})

test('Ctrl-C ends a waiting login with 130', async () => {
  const { env } = terminal('cancelled')
  const child = spawn(process.execPath, [BIN, 'login', daemon.url, '--device'], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  let stderr = ''
  let isCancelled = false
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    // Once: a second signal would meet the process while it exits.
    if (!isCancelled && stderr.includes('Waiting')) isCancelled = child.kill('SIGINT')
  })
  expect(await ended).toBe(130)
})
