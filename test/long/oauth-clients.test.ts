import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { oauthFlow } from '../support/oauth-flow.ts'
import { PASSWORD, webClient } from '../support/web-client.ts'

const PROGRAMS = fileURLToPath(new URL('oauth-clients', import.meta.url))
const AUTHORIZE = '/api/oauth/authorize'
const REDIRECT_URI = 'http://127.0.0.1:49152/callback'
const TEXT = 'The capybara bathes in the café.'

let app: TestApp
let folder: string
beforeAll(async () => {
  app = await startTestApp()
  await app.alice.ready('zoo.txt', TEXT)
  const alice = await app.backend.records.users.findByEmail('alice@example.org')
  await app.backend.accounts.setPassword(alice!.id, PASSWORD)
  folder = await mkdtemp(join(tmpdir(), 'docsearch-oauth-clients-'))
  await cp(PROGRAMS, folder, { recursive: true })
})
afterAll(async () => {
  await app?.close()
  await rm(folder, { recursive: true, force: true })
})

const env: NodeJS.ProcessEnv = { ...process.env, GOFLAGS: '-mod=mod -modcacherw', AUTHLIB_INSECURE_TRANSPORT: '1' }

function execute(command: string, ...args: string[]) {
  return promisify(execFile)(command, args, { cwd: folder, env })
}

interface Program {
  name: string
  /** Fetches the library. */
  fetch(): Promise<unknown>
  build?(): Promise<unknown>
  command: () => [string, ...string[]]
}

const programs: Program[] = [
  {
    name: 'Authlib',
    async fetch() {
      await execute('python3', '-m', 'venv', 'venv')
      await execute('venv/bin/pip', 'install', '--quiet', '--requirement', 'requirements.txt')
    },
    command: () => ['venv/bin/python', 'authlib-client.py'],
  },
  {
    name: 'golang.org/x/oauth2',
    fetch: () => execute('go', 'mod', 'download'),
    build: () => execute('go', 'build', '-o', 'go-client', '.'),
    command: () => ['./go-client'],
  },
]

describe.each(programs)('$name', ({ name, fetch, build, command }) => {
  let missing: string | null = null
  beforeAll(async () => {
    try {
      await fetch()
    } catch (error) {
      missing = `${name} cannot be fetched here: ${String(error)}`
    }
    if (missing === null) await build?.()
  })

  test.for(['confidential', 'public'] as const)('searches with the token of a %s application', async (type, { skip }) => {
    skip(missing !== null, missing ?? '')
    const flow = await oauthFlow(app, { type, redirectUris: [REDIRECT_URI] })
    const [file, ...args] = command()
    const program = spawn(join(folder, file), [...args, app.url, flow.application.id, flow.secret ?? '', REDIRECT_URI], {
      cwd: folder,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const ended = once(program, 'close')
    const complaints = text(program.stderr)
    const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]()
    const address = await lines.next()
    if (address.done !== true) program.stdin.end(`${await allow(address.value)}\n`)
    const answer = await lines.next()
    expect([await ended, await complaints]).toEqual([[0, null], ''])
    expect(JSON.parse(answer.value!)).toEqual({
      scope: 'read:documents',
      found: [TEXT],
      isRefreshed: true,
      foundAgain: [TEXT],
      afterRevocation: 401,
    })
  })
})

/** Logs in and allows what the program asks for, as its user would. Returns the address to which docsearch sends the browser. */
async function allow(address: string): Promise<string> {
  const browser = webClient(app)
  const login = await browser.follow(await browser.get(address))
  const consent = await browser.follow(await browser.logIn('alice@example.org', PASSWORD, login))
  const allowed = await browser.submit(consent, AUTHORIZE, {}, 'Allow')
  expect(allowed.location).toContain(`${REDIRECT_URI}?`)
  return allowed.location!
}
