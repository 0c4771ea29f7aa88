import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BIN, cleanEnv, runCli, startRealDaemon, type RealDaemon } from '../support/daemon.ts'
import { pkce } from '../support/oauth-flow.ts'
import { isOnServers } from '../support/on-servers.ts'
import { storedBytes } from '../support/open-database.ts'
import { PASSWORD, webClient, type WebClient } from '../support/web-client.ts'

const REDIRECT_URI = 'https://app.example.com/callback'

let daemon: RealDaemon
let home: string
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'docsearch-secrets-'))
  daemon = await startRealDaemon({ env: { DOCSEARCH_LOG_LEVEL: 'debug', DOCSEARCH_EMBEDDER: 'builtin' } })
})
afterAll(async () => {
  await daemon?.dispose()
  rmSync(home, { recursive: true, force: true })
})

/** All secrets that were issued or typed, by their kind. */
const secrets = new Map<string, string>()
/** The output of all commands, without the secrets that a command has to show. */
const shown: string[] = []

function keep(what: string, secret: string | null | undefined): string {
  expect(secret?.length, what).toBeGreaterThanOrEqual(8)
  secrets.set(what, secret!)
  return secret!
}

function browser(): WebClient {
  return webClient({ url: daemon.url, baseUrl: daemon.url })
}

async function cli(args: string[], env = daemon.env): Promise<Record<string, unknown>> {
  const run = await runCli([...args, '--json'], env)
  expect(run, args.join(' ')).toMatchObject({ code: 0 })
  const answer = JSON.parse(run.stdout) as Record<string, unknown>
  const purpose = [answer['key'], answer['client_secret']].filter((one) => typeof one === 'string')
  shown.push(
    purpose.reduce((text, secret) => text.replace(secret, ''), run.stdout),
    run.stderr,
  )
  return answer
}

/** Opens a one-time link and returns a browser that is logged in. */
async function followLink(what: string, link: string, account: Record<string, string>): Promise<WebClient> {
  const { pathname, search, searchParams } = new URL(link)
  keep(`${what} link`, searchParams.get('token'))
  const person = browser()
  const page = await person.get(pathname + search)
  keep(`${what} cookie before the login`, [...person.cookies.values()][0])
  keep(`${what} CSRF token before the login`, page.field('csrf'))
  const password = keep(`${what} password`, `${PASSWORD} of ${what}`)
  const done = await person.submit(page, '/setup', { ...account, password, password_again: password })
  expect(done.status).toBe(303)
  keep(`${what} session cookie`, [...person.cookies.values()][0])
  keep(`${what} CSRF token`, (await person.get('/settings/profile')).field('csrf'))
  return person
}

async function oauth(path: string, fields: Record<string, string>): Promise<Record<string, string>> {
  const response = await fetch(`${daemon.url}/api/oauth/${path}`, { method: 'POST', body: new URLSearchParams(fields) })
  return (await response.json()) as Record<string, string>
}

function keepTokens(what: string, { access_token, refresh_token }: Record<string, string>): [string, string] {
  return [keep(`${what} access token`, access_token), keep(`${what} refresh token`, refresh_token)]
}

async function people(): Promise<WebClient> {
  const owner = await followLink('setup', daemon.setupUrl!, { name: 'Olga', email: 'olga@example.org' })
  const invite = '/settings/users/invite'
  const invited = await owner.finish(await owner.get(invite), invite, { email: 'ines@example.org' })
  const ines = await followLink('invitation', invited.field('link')!, { name: 'Ines' })
  const { invitation_url } = await cli(['users', 'reset', 'ines@example.org'])
  shown[shown.length - 2] = ''
  await followLink('reset', String(invitation_url), {})
  expect((await ines.get('/settings/profile')).status).toBe(303)
  const wrong = keep('mistyped password', 'four wodden boats adrift')
  expect((await browser().logIn('ines@example.org', wrong)).status).toBe(422)
  return owner
}

async function keys(owner: WebClient): Promise<void> {
  const form = await owner.get('/settings/api-keys/new')
  const key = keep('key of the pages', (await owner.finish(form, '/settings/api-keys', { name: 'k' })).field('key'))
  for (const path of ['/api/v1/me', `/api/v1/me?access_token=${key}`, `/nothing/here?token=${key}`])
    await fetch(daemon.url + path, { headers: { Authorization: `Bearer ${key}` } })
  const made = keep('key of the command line', String((await cli(['keys', 'create', 'k']))['key']))
  await cli(['whoami'], { ...daemon.env, DOCSEARCH_TOKEN: made })
  await fetch(`${daemon.url}/api/v1/me`, { headers: { Authorization: `Bearer ${keep('made-up key', `${made.slice(0, -1)}!`)}` } })
  const folder = join(daemon.env['XDG_CONFIG_HOME']!, 'docsearch', 'credentials')
  for (const name of readdirSync(folder)) {
    const { token } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { token: string }
    keep(`key of the first start in ${name}`, token)
  }
}

async function application(owner: WebClient): Promise<void> {
  const made = await cli(['clients', 'create', 'Notes', '--redirect-uri', REDIRECT_URI])
  const client_id = String(made['client_id'])
  keep('first client secret', String(made['client_secret']))
  const client_secret = keep('second client secret', String((await cli(['clients', 'rotate', client_id]))['client_secret']))
  const client = { client_id, client_secret }

  const { verifier, query } = pkce()
  keep('code verifier', verifier)
  const asked = new URLSearchParams({ response_type: 'code', client_id, redirect_uri: REDIRECT_URI, ...query })
  const consent = await owner.get(`/api/oauth/authorize?${asked}`)
  const { location } = await owner.submit(consent, '/api/oauth/authorize', {}, 'Allow')
  const code = keep('code', new URL(location!).searchParams.get('code'))
  const exchange = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: REDIRECT_URI }
  await oauth('token', { ...exchange, client_id, client_secret: keep('made-up client secret', `dss_${'x'.repeat(43)}`) })
  const [, first] = keepTokens('first', await oauth('token', { ...client, ...exchange }))
  const [access, second] = keepTokens(
    'second',
    await oauth('token', { ...client, grant_type: 'refresh_token', refresh_token: first }),
  )
  expect((await fetch(`${daemon.url}/api/v1/me`, { headers: { Authorization: `Bearer ${access}` } })).status).toBe(200)
  expect(await oauth('introspect', { ...client, token: access })).toMatchObject({ active: true })
  // Both are warnings in the log.
  await oauth('token', { ...client, grant_type: 'refresh_token', refresh_token: first })
  await oauth('token', { ...client, ...exchange })
  await oauth('revoke', { ...client, token: second })
}

/** Logs the real command line in with a code that its user enters. It may show only the code. */
async function device(owner: WebClient): Promise<void> {
  const env = cleanEnv(join(home, 'user'))
  const child = spawn(process.execPath, [BIN, 'login', daemon.url, '--device'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = new Promise((resolve) => child.once('close', resolve))
  let terminal = ''
  const code = await new Promise<string>((resolve, reject) => {
    const read = (text: string) => {
      terminal += text
      const found = /\b[A-Z]{4}-[A-Z]{4}\b/.exec(terminal)?.[0]
      if (found !== undefined) resolve(found)
    }
    child.stdout.setEncoding('utf8').on('data', read)
    child.stderr.setEncoding('utf8').on('data', read)
    void closed.then(() => reject(new Error(`no code: ${terminal}`)))
  })
  await enter(owner, code)
  expect(await closed, terminal).toBe(0)
  const folder = join(env['XDG_CONFIG_HOME']!, 'docsearch', 'credentials')
  const entry = JSON.parse(readFileSync(join(folder, readdirSync(folder)[0]!), 'utf8')) as { token: string }
  const { accessToken, refreshToken } = JSON.parse(entry.token) as Record<string, string>
  keepTokens('login', { access_token: accessToken!, refresh_token: refreshToken! })
  shown.push(terminal.replaceAll(code, ''))
  await cli(['whoami'], { ...env, DOCSEARCH_SERVER: daemon.url })
  const logout = await runCli(['logout', '--server', daemon.url], env)
  expect(logout.code).toBe(0)
  shown.push(logout.stdout, logout.stderr)
}

async function enter(owner: WebClient, code: string): Promise<void> {
  keep('user code', code)
  keep('user code as it is kept', code.replace('-', ''))
  const asked = await owner.submit(await owner.get('/device'), '/device', { user_code: code })
  expect((await owner.submit(asked, '/device/decision', {}, 'Allow')).status).toBe(200)
}

test('no issued or typed secret is in the data folder, in the debug log or on a terminal', async () => {
  const owner = await people()
  await keys(owner)
  await application(owner)
  await device(owner)

  const files = readdirSync(daemon.dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  if (!isOnServers) expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(['docsearch.db', 'docsearch.db-wal']))
  const places = new Map(files.map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), 'latin1')]))
  places.set('the database', (await storedBytes(daemon.database)).join('\n'))
  // The setup link, which `serve` prints on purpose.
  places.set('the log', daemon.stderr().replaceAll(daemon.setupUrl!, ''))
  places.set('the terminals', shown.join('\n'))
  expect(places.get('the log')).toContain('"level":"debug"')
  expect(places.get('the log')).toContain('was used twice')

  expect(secrets.size).toBeGreaterThanOrEqual(30)
  const found = [...secrets].flatMap(([what, secret]) =>
    [...places].filter(([, text]) => text.includes(secret)).map(([place]) => `${what} in ${place}`),
  )
  expect(found).toEqual([])
})
