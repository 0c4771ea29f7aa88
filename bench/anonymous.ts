// `node bench/anonymous.ts [CHECKOUT…]` measures the processor time that each request without a credential costs the daemon, in one or
// more built checkouts, whose daemons get the same requests in turns. bench/RELIABILITY.md has the figures.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { cleanEnv } from '../test/support/daemon.ts'
import { processorTime } from '../test/support/processor-time.ts'

const WARM_UP = 50
const REQUESTS = 200
const PARALLEL = 8

interface Attack {
  name: string
  method?: string
  path: string
  headers?: Record<string, string | string[]>
  body?: string
  /** Fewer requests, for something slow. */
  requests?: number
}

interface Reply {
  text: string
  headers: object
  status: number
}

interface Daemon {
  url: string
  pid: number
  stop(): Promise<void>
}

async function start(checkout: string): Promise<Daemon> {
  const home = await mkdtemp(join(tmpdir(), 'docsearch-anonymous-'))
  const env = cleanEnv(home, { DOCSEARCH_DATA: join(home, 'instance'), DOCSEARCH_RATE_LIMIT: '0', DOCSEARCH_LOGIN_FAILURES: '0' })
  const child = spawn(
    process.execPath,
    [join(checkout, 'bin/docsearch.js'), '--json', 'serve', '--port', '0', '--log-level', 'error'],
    {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return {
    url: (JSON.parse(line) as { url: string }).url,
    pid: child.pid!,
    async stop() {
      child.kill()
      await once(child, 'exit')
      await rm(home, { recursive: true, force: true })
    },
  }
}

const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL })

/** Sends a request, and once more if the daemon has just closed the idle connection. */
async function send(url: string, attack: Attack): Promise<Reply> {
  return sendOnce(url, attack).catch(() => sendOnce(url, attack))
}

function sendOnce(url: string, { method = 'GET', path, headers = {}, body }: Attack): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, headers, agent, maxHeaderSize: 200_000, timeout: 20_000 }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve({ text, headers: response.headers, status: response.statusCode ?? 0 }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.on('timeout', () => sent.destroy(new Error(`no answer to ${method} ${path.slice(0, 80)}`)))
    sent.end(body)
  })
}

/** Returns the milliseconds of processor time of one request, and the status. */
async function cost({ url, pid }: Daemon, attack: Attack): Promise<{ ms: number; status: number }> {
  const { requests = REQUESTS } = attack
  const run = async (count: number) => {
    let left = count
    await Promise.all(
      Array.from({ length: PARALLEL }, async () => {
        while (left-- > 0) await send(url, attack)
      }),
    )
  }
  const { status } = await send(url, attack)
  await run(Math.min(WARM_UP, requests))
  const before = processorTime(pid)
  await run(requests)
  return { ms: (processorTime(pid) - before) / requests, status }
}

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
const JSON_BODY = { 'Content-Type': 'application/json' }
const AUTHORIZE = `/api/oauth/authorize?${new URLSearchParams({
  client_id: 'docsearch-cli',
  redirect_uri: 'http://127.0.0.1:1/callback',
  response_type: 'code',
  code_challenge: 'A'.repeat(43),
  code_challenge_method: 'S256',
})}`

async function attacks({ url }: Daemon): Promise<Attack[]> {
  const login = await send(url, { name: '', path: '/login' })
  const cookie = String((login.headers as Record<string, string[]>)['set-cookie']?.[0]).split(';')[0] ?? ''
  const csrf = /name="csrf" value="([^"]+)"/.exec(login.text)?.[1] ?? ''
  const port = new URL(url).port
  const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString()
  const token = (fields: Record<string, string>) => ({ method: 'POST', headers: FORM, body: form(fields) })
  const many = (count: number, of: (i: number) => string) => Array.from({ length: count }, (_, i) => of(i))
  return [
    { name: 'the OpenAPI document', path: '/api/openapi.json' },
    { name: 'the description of the API', path: '/api/docs' },
    { name: 'its style sheet', path: '/api/docs/style.css' },
    { name: 'style sheet of the views', path: '/assets/style.css' },
    { name: 'metadata of the server', path: '/.well-known/oauth-authorization-server' },
    { name: 'metadata of the API', path: '/.well-known/oauth-protected-resource' },
    { name: 'health', path: '/api/v1/health' },
    { name: 'API, no credential', path: '/api/v1/me' },
    {
      name: 'API, unknown key',
      path: '/api/v1/me',
      headers: { Authorization: 'Bearer dsk_0000000000000000000000000000000fZSLc' },
    },
    { name: 'API, unknown token', path: '/api/v1/me', headers: { Authorization: `Bearer ${'0'.repeat(64)}` } },
    {
      name: 'search, no credential, 1 MB of JSON',
      method: 'POST',
      path: '/api/v1/search',
      headers: JSON_BODY,
      body: `{"query":"${'x'.repeat(1e6)}"}`,
    },
    { name: 'home, no session', path: '/' },
    { name: 'home, unknown session', path: '/', headers: { Cookie: `docsearch_${port}=${'x'.repeat(43)}` } },
    { name: 'login', path: '/login' },
    { name: 'login for an application', path: `/login?${form({ return_to: AUTHORIZE })}` },
    {
      name: 'login, return address of 12,000 characters',
      path: `/login?${form({ return_to: `${AUTHORIZE}&${'a&'.repeat(5_700)}` })}`,
    },
    { name: 'login form without its token', method: 'POST', path: '/login', headers: FORM, body: 'email=a&password=b' },
    {
      name: 'login form of 64 kB, 10,600 fields',
      method: 'POST',
      path: '/login',
      headers: FORM,
      body: many(10_600, (i) => `${i.toString(36)}=`)
        .join('&')
        .slice(0, 63_900),
    },
    {
      name: 'login, wrong password',
      method: 'POST',
      path: '/login',
      headers: { ...FORM, Cookie: cookie },
      body: form({ csrf, email: 'a@example.org', password: 'wrong password' }),
      requests: 50,
    },
    { name: 'one-time link, unknown', path: `/setup?token=${'x'.repeat(43)}` },
    { name: 'authorize, unknown application', path: '/api/oauth/authorize?client_id=app_none' },
    { name: 'authorize, no session', path: AUTHORIZE },
    { name: 'authorize, 2,000 equal parameters', path: `${AUTHORIZE}&${'a&'.repeat(2_000)}`, requests: 20 },
    { name: 'authorize, 60 kB of different parameters', path: `${AUTHORIZE}&${many(11_000, (i) => i.toString(36)).join('&')}` },
    {
      name: 'token, unknown application',
      path: '/api/oauth/token',
      ...token({ grant_type: 'refresh_token', client_id: 'app_none', client_secret: 'x', refresh_token: 'x' }),
    },
    {
      name: 'token, unknown code',
      path: '/api/oauth/token',
      ...token({
        grant_type: 'authorization_code',
        client_id: 'docsearch-cli',
        code: 'x'.repeat(64),
        redirect_uri: 'http://127.0.0.1:1/callback',
        code_verifier: 'x'.repeat(43),
      }),
    },
    {
      name: 'token, form of 64 kB',
      path: '/api/oauth/token',
      method: 'POST',
      headers: FORM,
      body: many(10_600, (i) => `${i.toString(36)}=1`)
        .join('&')
        .slice(0, 63_900),
    },
    {
      name: 'token, 60,000 spaces in the credential',
      path: '/api/oauth/token',
      ...token({ grant_type: 'refresh_token' }),
      headers: { ...FORM, Authorization: `Basic${' '.repeat(60_000)}x y` },
      requests: 3,
    },
    { name: 'revoke, unknown token', path: '/api/oauth/revoke', ...token({ client_id: 'docsearch-cli', token: '0'.repeat(64) }) },
    {
      name: 'introspect, unknown application',
      path: '/api/oauth/introspect',
      ...token({ client_id: 'app_none', client_secret: 'x', token: 'x' }),
    },
    { name: 'device login', path: '/api/oauth/device', ...token({ client_id: 'docsearch-cli' }), requests: 100 },
    { name: 'device, no session', path: '/device?user_code=ABCD-EFGH' },
    { name: 'logout without the token', method: 'POST', path: '/logout', headers: FORM, body: '' },
    { name: 'unknown path, as JSON', path: '/api/nothing' },
    { name: 'unknown path, as a view', path: '/nothing', headers: { Accept: 'text/html' } },
    { name: 'wrong method', method: 'PUT', path: '/api/v1/search' },
    { name: 'OPTIONS', method: 'OPTIONS', path: '/api/v1/search' },
    { name: 'HEAD of the OpenAPI document', method: 'HEAD', path: '/api/openapi.json' },
    { name: 'unknown host', path: '/', headers: { Host: 'attacker.example' } },
    { name: 'path of 60 kB', path: `/${'x'.repeat(60_000)}` },
    { name: 'path of 60 kB with 30,000 slashes', path: `/documents${'/x'.repeat(30_000)}` },
    { name: 'query of 60 kB', path: `/api/v1/me?${'a&'.repeat(30_000)}` },
    {
      name: 'query of 43 kB at a route without a credential',
      path: `/api/openapi.json?${many(11_000, (i) => i.toString(36)).join('&')}`,
      requests: 3,
    },
    { name: 'cookies of 60 kB', path: '/login', headers: { Cookie: many(6_000, (i) => `a${i}=1`).join('; ') } },
    { name: 'one cookie of 60 kB', path: '/login', headers: { Cookie: `docsearch_${port}=${'x'.repeat(60_000)}` } },
    { name: 'X-Forwarded-For of 60 kB', path: '/login', headers: { 'X-Forwarded-For': '1,'.repeat(30_000) } },
    { name: 'Accept of 60 kB', path: '/nothing', headers: { Accept: 'a/b;q=0.1,'.repeat(6_000) } },
  ]
}

const checkouts = process.argv.slice(2).map((path) => resolve(path))
if (checkouts.length === 0) checkouts.push(resolve(import.meta.dirname, '..'))
const daemons = await Promise.all(checkouts.map(start))
try {
  const lists = await Promise.all(daemons.map(attacks))
  console.log(
    `| request | status | ${checkouts.map((_, i) => (checkouts.length === 1 ? 'ms' : `ms in checkout ${i + 1}`)).join(' | ')} |`,
  )
  console.log(`|---|---|${checkouts.map(() => '--:').join('|')}|`)
  const { ONLY = '' } = process.env
  for (const [i, { name }] of lists[0]!.entries()) {
    if (!ONLY.split('|').some((part) => name.includes(part))) continue
    const costs = []
    for (const [j, daemon] of daemons.entries()) costs.push(await cost(daemon, lists[j]![i]!))
    console.log(
      `| ${name} | ${costs.map(({ status }) => status).join(', ')} | ${costs.map(({ ms }) => ms.toFixed(2)).join(' | ')} |`,
    )
  }
} finally {
  agent.destroy()
  for (const daemon of daemons) await daemon.stop()
}
