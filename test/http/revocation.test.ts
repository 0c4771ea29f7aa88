import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCOPES, type User } from '../../src/core/model.ts'
import type { Records } from '../../src/records/records.ts'
import { apiClient } from '../support/api-client.ts'
import { ENDPOINTS } from '../support/api-table.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'
import { type FakeOllama, startFakeOllama } from '../support/fake-ollama.ts'
import { oauthFlow } from '../support/oauth-flow.ts'
import { until, within } from '../support/until.ts'
import { loggedIn, PASSWORD, type WebClient } from '../support/web-client.ts'
import { visibleTo } from '../support/visible.ts'

const DAY_MS = 24 * 3_600_000

let app: TestApp
let ollama: FakeOllama
/** The database as another process sees it, such as an offline command. */
let elsewhere: Records
let searches = 0
let offsetMs = 0
beforeAll(async () => {
  ollama = await startFakeOllama([])
  app = await startTestApp({
    ollamaUrl: ollama.url,
    clock: { now: () => new Date(Date.now() + offsetMs) },
    change: ({ blobs }) => ({
      // An original whose transfer takes forever.
      blobs: { ...blobs, incoming: blobs.incoming, put: blobs.put.bind(blobs), size: async () => 1e9, open: async () => drip() },
      search: {
        search: (_query, signal) => {
          searches += 1
          return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)))
        },
      },
    }),
  })
  elsewhere = await app.openElsewhere()
  // Documents stay in the queue, so waiting for them never ends by itself.
  await app.stopReading()
})
afterAll(async () => {
  await elsewhere?.close()
  await app?.close()
  await ollama?.close()
})

function drip(): Readable {
  return new Readable({
    read() {
      setTimeout(() => this.push('x'), 5)
    },
  })
}

interface Credential {
  user: User
  token: string
  end(): Promise<unknown>
}

interface OpenRequest {
  /** What the instance has sent so far. */
  said(): string
  /** Resolves with everything that the instance sent when the answer is complete or the connection has ended. */
  closed: Promise<string>
  /** The code of the error with which the connection ended. */
  error(): string | undefined
}

/** Sends a request, of which `body` need not be all. */
async function send(line: string, token: string, headers: Record<string, string> = {}, body = ''): Promise<OpenRequest> {
  const { hostname, port, host } = new URL(app.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  let said = ''
  socket.setEncoding('latin1').on('data', (text: string) => (said += text))
  let code: string | undefined
  // A reset counts as an end.
  socket.on('error', (error: NodeJS.ErrnoException) => (code = error.code))
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(said)))
  const all: Record<string, string> = { Host: host, Connection: 'close', ...headers }
  if (token !== '') all['Authorization'] = `Bearer ${token}`
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`${line} HTTP/1.1\r\n${head.join('')}\r\n${body}`)
  return { said: () => said, closed, error: () => code }
}

let users = 0
const newUser = () => app.backend.records.users.create({ name: 'Eve', email: `eve${(users += 1)}@example.org`, role: 'member' })

/** Returns a user's key, and what ends it. */
const withKey =
  (end: (user: User, keyId: string) => Promise<unknown>, expiresInMs?: number) =>
  async (user: User): Promise<Credential> => {
    const expiresAt = expiresInMs === undefined ? null : new Date(app.backend.clock.now().getTime() + expiresInMs)
    const { key, record } = await app.backend.apiKeys.create({ ownerId: user.id, name: 'k', scopes: SCOPES, expiresAt })
    return { user, token: key, end: () => end(user, record.id) }
  }

/** Returns an application's token for a user, and what ends it. */
const withToken =
  (end: (flow: Awaited<ReturnType<typeof oauthFlow>>, refreshToken: string, token: string) => Promise<unknown>) =>
  async (user: User): Promise<Credential> => {
    const flow = await oauthFlow(app, { user, scopes: SCOPES })
    const { access_token: token, refresh_token: refreshToken } = await flow.tokens({ scope: SCOPES.join(' ') })
    return { user, token, end: () => end(flow, refreshToken, token) }
  }

const wait = async (ms: number) => (offsetMs += ms)
const ENDS: Record<string, (user: User) => Promise<Credential>> = {
  'the key is deleted': withKey((user, id) => app.backend.records.keys.delete(user.id, id)),
  'another process deletes the key': withKey((user, id) => elsewhere.keys.delete(user.id, id)),
  'another process disables the user': withKey((user) => elsewhere.users.setDisabled(user.id, true)),
  'another process ends the connection': withToken(({ user, application }) =>
    elsewhere.oauth.grants.revokeAll(user.id, application.id),
  ),
  'the key expires': withKey(() => wait(DAY_MS + 1), DAY_MS),
  'the user is disabled': withKey((user) => app.backend.records.users.setDisabled(user.id, true)),
  'the user is deleted': withKey((user) => app.backend.records.users.delete(user.id)),
  'the connection is ended': withToken(({ user, application }) => app.backend.oauth.connections.end(user.id, application.id)),
  'the application is removed': withToken(({ user, application }) =>
    app.backend.oauth.applications.delete(user.id, application.id),
  ),
  'the application revokes its token': withToken((flow, _, token) => flow.post('/api/oauth/revoke', { token })),
  'the token is replaced': withToken((flow, refreshToken) => flow.refresh(refreshToken)),
  'the token expires': withToken(() => wait(3_600_001)),
  'the user of the token is disabled': withToken(({ user }) => app.backend.records.users.setDisabled(user.id, true)),
}

/** Begins a request that lasts, waits until it does, and returns the check of what arrived in the end. */
type Kind = (credential: Credential) => Promise<{ request: OpenRequest; check(answer: string): void | Promise<void> }>

const documentsOf = async ({ id }: User) =>
  (await app.backend.records.documents.list(await visibleTo(app.backend.records, id), { limit: 10 })).items
const JSON_TYPE = { 'Content-Type': 'application/json' }
const REFUSED = new RegExp(`^HTTP/1.1 401 [^]*"code":"${errorCode('invalid_token')}"`)

/** Resolves when the instance has accepted the credential. */
async function accepted(): Promise<void> {
  // The instance looks the credential up before it reads the body, and handles what arrives before what comes later.
  await app.stranger.get('/api/v1/health')
}

const KINDS: Record<string, Kind> = {
  async 'an event stream'({ token }) {
    const request = await send('GET /api/v1/events', token)
    await until('the stream to begin', () => request.said().includes(': listening'))
    return { request, check: (answer) => expect(answer).toMatch(/^HTTP\/1.1 200 [^]*\r\n0\r\n\r\n$/) }
  },
  async 'a download'({ user, token }) {
    const request = await send(`GET /api/v1/documents/${await newDocument(user)}/content`, token)
    await until('the download to begin', () => request.said().endsWith('x'))
    return {
      request,
      check(answer) {
        expect(answer).toMatch(/^HTTP\/1.1 200 /)
        // Without a reset, the system goes on to send several megabytes that it has buffered.
        expect(request.error()).toBe('ECONNRESET')
      },
    }
  },
  async 'an upload that waits'({ user, token }) {
    const headers = { Prefer: 'wait=120', 'Content-Type': 'text/plain', 'Content-Length': '5' }
    const request = await send('POST /api/v1/upload?name=a.txt', token, headers, 'words')
    await until('the document to be stored', async () => (await documentsOf(user)).length === 1)
    // Deleting a user deletes the document, so that nothing is left to wait for.
    return { request, check: (answer) => expect(answer).toMatch(/^HTTP\/1.1 20[02] /) }
  },
  async 'an upload that arrives slowly'({ user, token }) {
    const headers = { 'Content-Type': 'text/plain', 'Content-Length': '10' }
    const request = await send('POST /api/v1/upload?name=a.txt', token, headers, 'words')
    await until('the body to arrive', async () => (await app.received()).length === 1)
    return {
      request,
      async check(answer) {
        expect(answer).toMatch(REFUSED)
        expect([await documentsOf(user), await app.received()]).toEqual([[], []])
      },
    }
  },
  async 'a body that arrives slowly'({ user, token }) {
    const request = await send('POST /api/v1/projects', token, { ...JSON_TYPE, 'Content-Length': '100' }, '{"name"')
    await accepted()
    return {
      request,
      async check(answer) {
        expect(answer).not.toContain('201')
        expect(
          (await app.backend.records.projects.list(await visibleTo(app.backend.records, user.id), { limit: 10 })).items,
        ).toEqual([])
      },
    }
  },
  async 'a long search'({ token }) {
    const before = searches
    const body = '{"query":"words"}'
    const request = await send('POST /api/v1/search', token, { ...JSON_TYPE, 'Content-Length': String(body.length) }, body)
    await until('the search to begin', () => searches > before)
    return { request, check: (answer) => expect(answer).toMatch(REFUSED) }
  },
  async 'a long search of an agent'({ token }) {
    const before = searches
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"words"}}}'
    const request = await send('POST /mcp', token, { ...JSON_TYPE, 'Content-Length': String(body.length) }, body)
    await until('the search to begin', () => searches > before)
    return { request, check: (answer) => expect(answer).toMatch(REFUSED) }
  },
}

async function newDocument({ id: ownerId }: User, inProject?: string): Promise<string> {
  const { records } = app.backend
  const projectId = inProject ?? (await records.projects.create({ ownerId, name: 'default', description: '' })).id
  const file = { name: 'a.txt', path: 'a.txt', mediaType: 'text/plain', sizeBytes: 5, sha256: 'a'.repeat(64), tags: null }
  return (await records.documents.register({ uploaderId: ownerId, projectId, ...file }, 'replace')).document.id
}

const CASES = Object.keys(KINDS).flatMap((kind) => Object.keys(ENDS).map((end) => [kind, end] as const))

test.each(CASES)('%s ends when %s', async (kind, end) => {
  const credential = await ENDS[end]!(await newUser())
  const { request, check } = await KINDS[kind]!(credential)
  await credential.end()
  await check(await within('the request to end', request.closed, 10_000))
})

test.each(['the key is deleted', 'the application is removed'])('the download of a model ends when %s', async (end) => {
  ollama.pulls({ stopsAfter: 3 })
  const owner = (await app.backend.records.users.owner())!
  const credential = await ENDS[end]!(owner)
  const body = '{"model":"embeddinggemma"}'
  const headers = { ...JSON_TYPE, 'Content-Length': String(body.length) }
  const request = await send('POST /api/v1/models/pull', credential.token, headers, body)
  await until('the download to begin', () => request.said().includes('pulling'))
  const before = ollama.hungUp
  await credential.end()
  expect(await within('the download to end', request.closed, 10_000)).toMatch(/^HTTP\/1.1 200 /)
  await until('Ollama to be told', () => ollama.hungUp > before)
})

const SESSION_ENDS: Record<string, (user: User, browser: WebClient) => Promise<unknown>> = {
  'another process ends the session': ({ id }) => elsewhere.sessions.deleteOthers(id, null),
  'the user logs out': async (_, browser) => browser.submit(await browser.get('/'), '/logout'),
  'the session is ended': ({ id }) => app.backend.accounts.endOtherSessions(id, null),
  'a link sets another password': async ({ id }) => {
    const { token } = await app.backend.accounts.issueLink(id, 'reset')
    await app.backend.accounts.useLink(token, { password: `${PASSWORD}!` })
  },
  'the session expires': () => wait(15 * DAY_MS),
  'the user is deleted': ({ id }) => app.backend.records.users.delete(id),
}

test.each(Object.entries(SESSION_ENDS))('an original in the browser ends when %s', async (_, end) => {
  const user = await newUser()
  const browser = await loggedIn(app, user.email!)
  const cookie = cookiesOf(browser)
  const request = await send(`GET /documents/${await newDocument(user)}/original`, '', { Cookie: cookie })
  await until('the original to begin', () => request.said().endsWith('x'))
  await end(user, browser)
  expect(await within('the original to end', request.closed, 10_000)).toMatch(/^HTTP\/1.1 200 /)
})

test.each(Object.entries(SESSION_ENDS))('an event stream in the browser ends when %s', async (_, end) => {
  const user = await newUser()
  const browser = await loggedIn(app, user.email!)
  const request = await send('GET /events', '', { Cookie: cookiesOf(browser) })
  await until('the stream to begin', () => request.said().includes(': listening'))
  await end(user, browser)
  expect(await within('the stream to end', request.closed, 10_000)).toMatch(/^HTTP\/1.1 200 /)
})

test.each(Object.entries(SESSION_ENDS))('an upload in the browser stores nothing when %s', async (_, end) => {
  const user = await newUser()
  const browser = await loggedIn(app, user.email!)
  const form = await browser.get('/upload')
  const csrf = form.form('/upload').fields.find(([name]) => name === 'csrf')![1]
  const part = (head: string, text: string) => `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}`
  const body = `${part('name="csrf"', csrf)}\r\n${part('name="file"; filename="a.txt"', 'words')}`
  const headers = {
    Cookie: cookiesOf(browser),
    Origin: app.url,
    'Content-Type': 'multipart/form-data; boundary=b',
    'Content-Length': String(body.length + 100),
  }
  const request = await send('POST /upload', '', headers, body)
  await until('the body to arrive', async () => (await app.received()).length === 1)
  await end(user, browser)
  expect(await within('the upload to end', request.closed, 10_000)).not.toMatch(/^HTTP\/1.1 (?:20|303 [^]*progress)/)
  expect([await documentsOf(user), await app.received()]).toEqual([[], []])
})

const cookiesOf = ({ cookies }: WebClient) => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

/** What ends the membership of a user in the project with this ID, which is Alice's. */
const MEMBERSHIP_ENDS: Record<string, (user: User, project: string, document: string) => Promise<unknown>> = {
  'the user is removed': ({ id }, project) => app.backend.records.members.remove(project, id),
  'another process removes the user': ({ id }, project) => elsewhere.members.remove(project, id),
  'the user leaves': async ({ id }, project) => app.alice.call('DELETE', `/api/v1/projects/${project}/members/${id}`),
  'the project is deleted': (_, project) => app.alice.call('DELETE', `/api/v1/projects/${project}`),
  'the document moves to a project that the user may not see': async (_, project, document) => {
    const name = `private after ${project}`
    await app.alice.post('/api/v1/projects', { name })
    await app.alice.call('PATCH', `/api/v1/documents/${document}`, { json: { project: name } })
  },
  'the document is deleted for good': (_, __, document) =>
    app.alice.call('DELETE', `/api/v1/documents/${document}?permanent=true`),
}

/** Adds a user to a project of Alice's. Returns its ID and the ID of a document in it. */
async function share(user: User): Promise<{ project: string; document: string }> {
  const { records } = app.backend
  const owner = (await records.users.owner())!
  const project = await records.projects.create({ ownerId: owner.id, name: `shared with ${user.id}`, description: '' })
  await records.members.set(project.id, user.id, 'reader')
  return { project: project.id, document: await newDocument(owner, project.id) }
}

test.each(Object.entries(MEMBERSHIP_ENDS))('only downloads from the project end when %s', async (_, end) => {
  const user = await newUser()
  const { token } = await withKey(async () => undefined)(user)
  const { project, document } = await share(user)
  const own = await send(`GET /api/v1/documents/${await newDocument(user)}/content`, token)
  const shared = await send(`GET /api/v1/documents/${document}/content`, token)
  const browser = await loggedIn(app, user.email!)
  const cookie = cookiesOf(browser)
  const inBrowser = await send(`GET /documents/${document}/original`, '', { Cookie: cookie })
  await until('the downloads to begin', () => [own, shared, inBrowser].every((request) => request.said().endsWith('x')))
  await end(user, project, document)
  expect(await within('the download to end', shared.closed, 10_000)).toMatch(/^HTTP\/1.1 200 /)
  expect(await within('the original to end', inBrowser.closed, 10_000)).toMatch(/^HTTP\/1.1 200 /)
  expect(shared.error()).toBe('ECONNRESET')
  const before = own.said().length
  await until('the other download to go on', () => own.said().length > before)
  await app.backend.records.users.delete(user.id)
  await own.closed
})

const me = (token: string) => apiClient(app.url, token).get('/api/v1/me')

test.each(Object.keys(ENDS))('the next request is refused when %s', async (end) => {
  const { token, ...credential } = await ENDS[end]!(await newUser())
  const status = async () => (await me(token)).status
  expect([await status(), await status()]).toEqual([200, 200])
  await credential.end()
  expect([await status(), await status()]).toEqual([401, 401])
})

test.each(Object.entries(SESSION_ENDS))('the next view asks to log in when %s', async (_, end) => {
  const user = await newUser()
  const browser = await loggedIn(app, user.email!)
  const status = async () => (await browser.get('/settings/profile')).status
  expect([await status(), await status()]).toEqual([200, 200])
  await end(user, browser)
  expect(await status()).toBe(303)
})

test.each(['this', 'another'])('the next request has the scopes and name that %s process has set', async (which) => {
  const { users: changed, oauth } = which === 'this' ? app.backend.records : elsewhere
  const user = await newUser()
  const flow = await oauthFlow(app, { user, scopes: SCOPES })
  const { access_token: token } = await flow.tokens({ scope: SCOPES.join(' ') })
  expect((await me(token)).body).toMatchObject({ scopes: SCOPES })
  await oauth.applications.update(user.id, flow.application.id, { scopes: ['read:documents'] })
  expect((await me(token)).body).toMatchObject({ scopes: ['read:documents'] })
  await changed.update(user.id, { name: 'Another Name' })
  expect((await me(token)).body).toMatchObject({ user: { name: 'Another Name' } })
})

test('a user who is enabled again by another process can use the same key at once', async () => {
  const { user, token } = await withKey(async () => undefined)(await newUser())
  const status = async () => (await me(token)).status
  await elsewhere.users.setDisabled(user.id, true)
  expect(await status()).toBe(401)
  await elsewhere.users.setDisabled(user.id, false)
  expect(await status()).toBe(200)
})

test('a backup and an examination end with the credential of the owner', async () => {
  const owner = (await app.backend.records.users.findByEmail('alice@example.org'))!
  await newDocument(owner)
  for (const path of ['/api/v1/backup', '/api/v1/doctor']) {
    const { token, end } = await ENDS['the key is deleted']!(owner)
    const body = path.endsWith('doctor') ? '{}' : ''
    const request = await send(
      `POST ${path}`,
      token,
      { ...(body !== '' && JSON_TYPE), 'Content-Length': String(body.length) },
      body,
    )
    await until(`the answer of ${path}`, () => request.said().includes('\r\n\r\n'))
    expect(request.said()).toMatch(/^HTTP\/1.1 200 /)
    await end()
    await within(`the end of ${path}`, request.closed)
  }
})

test('every route that may stay open for long is in these tables', () => {
  const streaming = Object.entries(ENDPOINTS).flatMap(([row, cost]) => (cost === 'streaming' ? [row] : []))
  expect(streaming.toSorted()).toEqual([
    'GET /api/v1/documents/{id}/content',
    'GET /api/v1/events',
    'GET /documents/{id}/original',
    'GET /events',
    'POST /api/v1/backup',
    'POST /api/v1/doctor',
    'POST /api/v1/models/pull',
    'POST /api/v1/upload',
    'POST /upload',
  ])
})

test('a request that ends its own credential is answered', async () => {
  const user = await newUser()
  const { key, record } = await app.backend.apiKeys.create({ ownerId: user.id, name: 'k', scopes: SCOPES, expiresAt: null })
  const request = await send(`DELETE /api/v1/keys/${record.id}`, key)
  expect(await within('the answer', request.closed)).toMatch(/^HTTP\/1.1 204 /)
})

test('watching a credential does not count as using it', async () => {
  const { user, token } = await withKey(async () => undefined)(await newUser())
  const request = await send('GET /api/v1/events', token)
  await until('the stream to begin', () => request.said().includes(': listening'))
  const lastUse = async () => (await app.backend.records.keys.list(user.id, { limit: 1 })).items[0]?.lastUsedAt
  const before = await lastUse()
  offsetMs += 10 * 60_000
  const { token: other, end } = await ENDS['the key is deleted']!(await newUser())
  const second = await send('GET /api/v1/events', other)
  await end()
  // One check of all open credentials ends the second stream, so it has checked the first as well.
  await second.closed
  expect(await lastUse()).toEqual(before)
  await app.backend.records.users.delete(user.id)
  await request.closed
})
