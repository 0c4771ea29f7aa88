import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AuditEvent, AuditList } from '../../src/contract/audit.ts'
import { AUDIT_ACTIONS } from '../../src/core/audit.ts'
import type { Scope } from '../../src/core/model.ts'
import { apiClient, type ApiClient } from '../support/api-client.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'
import { oauthFlow } from '../support/oauth-flow.ts'
import { loggedIn, PASSWORD, webClient } from '../support/web-client.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ http: { trustProxy: true } })
})
afterAll(() => app?.close())

/** Returns events, oldest first. */
async function eventsOf(client: ApiClient, filter: Record<string, string> = {}): Promise<AuditEvent[]> {
  const found: AuditEvent[] = []
  let cursor: string | null = null
  do {
    const query = new URLSearchParams({ limit: '100', ...filter, ...(cursor !== null && { cursor }) })
    const { status, body } = await client.get<AuditList>(`/api/v1/audit?${query}`)
    expect(status).toBe(200)
    found.push(...body.events)
    cursor = body.next_cursor
  } while (cursor !== null)
  return found.toReversed()
}

const actions = (events: readonly AuditEvent[]) => events.map(({ action }) => action)
const userId = async (email: string) => (await app.backend.records.users.findByEmail(email))!.id

/** Makes a user with a key. */
async function newUser(name: string, scopes: Scope[] = ['read:documents', 'write:documents', 'manage:keys']): Promise<ApiClient> {
  const { records, apiKeys } = app.backend
  const { id } = await records.users.create({ name, email: `${name}@example.org`, role: 'member' })
  return apiClient(app.url, (await apiKeys.create({ ownerId: id, name: `key of ${name}`, scopes, expiresAt: null })).key)
}

async function newProject(owner: ApiClient, name: string): Promise<string> {
  return (await owner.post<{ id: string }>('/api/v1/projects', { name })).body.id
}

test('says who did what from which address and with which key', async () => {
  const carol = await newUser('carol')
  const project = await newProject(carol, 'contracts')
  await carol.upload([{ name: 'rent.txt', content: 'The rent.' }], { project }, { 'X-Forwarded-For': '203.0.113.7' })
  const [event] = await eventsOf(carol, { project, action: 'document.upload' })
  expect(event).toMatchObject({
    actor: { name: 'carol', email: 'carol@example.org' },
    project: { id: project, name: 'contracts' },
    document: { name: 'rent.txt' },
    address: '203.0.113.7',
    credential: { kind: 'key', name: 'key of carol', last_four: carol.key!.slice(-4) },
    details: { size_bytes: 9 },
  })
  expect(Math.abs(Date.parse(event!.time) - Date.now())).toBeLessThan(3_600_000)
})

test('has an event for each file of an upload, and none for a file that is refused or unchanged', async () => {
  const dan = await newUser('dan')
  const project = await newProject(dan, 'files')
  const upload = () =>
    dan.upload(
      ['a', 'b', 'c'].map((name) => ({ name: `${name}.txt`, content: name === 'c' ? '' : name })),
      { project },
    )
  await upload()
  await upload()
  expect(actions(await eventsOf(dan, { project }))).toEqual(['project.create', 'document.upload', 'document.upload'])
})

test('shows everything that happened to a project, even after its deletion', async () => {
  const eve = await newUser('eve')
  const project = await newProject(eve, 'life')
  const bob = await userId('bob@example.org')
  const id = await eve.ready('a.txt', 'One version.', { project })
  await eve.ready('a.txt', 'Another version.', { project })
  await eve.call('PATCH', `/api/v1/documents/${id}`, { json: { tags: ['x'] } })
  await eve.call('PUT', `/api/v1/projects/${project}/members/${bob}`, { json: { role: 'reader' } })
  await eve.call('PUT', `/api/v1/projects/${project}/members/${bob}`, { json: { role: 'manager' } })
  await eve.call('DELETE', `/api/v1/documents/${id}`)
  await eve.call('DELETE', `/api/v1/projects/${project}`)
  const expected = [
    'project.create',
    'document.upload',
    'document.replace',
    'document.update',
    'member.add',
    'member.change',
    'document.delete',
    'project.delete',
  ]
  expect(actions(await eventsOf(eve, { project }))).toEqual(expected)
  expect(actions(await eventsOf(app.bob, { project }))).toEqual(expected)
  expect(await eventsOf(app.alice, { project })).toEqual([])
  expect(actions(await eventsOf(eve, { document: id })).every((action) => action.startsWith('document.'))).toBe(true)
})

test('shows a project only to its managers, and to others only what they did', async () => {
  const frank = await newUser('frank')
  const grace = await newUser('grace')
  const project = await newProject(frank, 'private matters')
  await frank.call('PUT', `/api/v1/projects/${project}/members/grace@example.org`, { json: { role: 'writer' } })
  await grace.upload([{ name: 'hers.txt', content: 'x' }], { project })
  await frank.upload([{ name: 'his.txt', content: 'y' }], { project })
  expect(actions(await eventsOf(grace, { project }))).toEqual(['document.upload'])
  expect(await eventsOf(frank, { project })).toHaveLength(4)
  for (const other of [app.alice, app.bob]) {
    expect(await eventsOf(other, { project })).toEqual([])
    expect(await eventsOf(other, { actor: 'frank@example.org', action: 'document.upload' })).toEqual([])
    expect(JSON.stringify(await eventsOf(other))).not.toContain('private matters')
  }
  expect(await app.bob.get('/api/v1/audit?project=private%20matters')).toMatchObject({ status: 404 })
  await frank.call('DELETE', `/api/v1/projects/${project}/members/grace@example.org`)
  expect(actions(await eventsOf(grace, { project }))).toEqual(['document.upload'])
})

test('shows what happened to accounts to the owner of the instance and to their user', async () => {
  const heidi = await newUser('heidi')
  const { body } = await heidi.post<{ id: string; key: string }>('/api/v1/keys', { name: 'spare' })
  await heidi.call('DELETE', `/api/v1/keys/${body.id}`)
  await app.alice.call('PATCH', '/api/v1/users/heidi@example.org', { json: { name: 'Heidi' } })
  const own = await eventsOf(heidi)
  expect(actions(own)).toEqual(['user.create', 'key.create', 'key.create', 'key.revoke', 'user.update'])
  expect(own.at(-2)).toMatchObject({ details: { key: body.id, name: 'spare', last_four: body.key.slice(-4) } })
  expect(own.at(-1)).toMatchObject({ actor: { name: 'Alice' }, user: { name: 'heidi' }, address: null, credential: null })
  const seen = (await eventsOf(app.alice)).filter(({ user }) => user?.id === own[0]!.user!.id)
  expect(actions(seen)).toEqual(actions(own))
  expect(seen.at(-1)).toMatchObject({ address: '127.0.0.1', credential: { kind: 'key' } })
  expect((await eventsOf(app.bob)).some(({ user }) => user?.id === own[0]!.user!.id)).toBe(false)
  expect(JSON.stringify(seen)).not.toContain(body.key)
})

test('needs a scope for documents, and another one for accounts', async () => {
  expect(await (await app.aliceWith('manage:keys')).get('/api/v1/audit')).toMatchObject({
    status: 403,
    body: { code: errorCode('insufficient_scope') },
  })
  await newProject(app.alice, 'of Alice')
  const reading = await eventsOf(await app.aliceWith('read:documents'))
  expect(new Set(actions(reading).map((action) => action.split('.')[0]))).toEqual(new Set(['project']))
})

test('shows a limited key only the events of its projects', async () => {
  const ivan = await newUser('ivan')
  const [here, elsewhere] = [await newProject(ivan, 'here'), await newProject(ivan, 'elsewhere')]
  const { body } = await ivan.post<{ key: string }>('/api/v1/keys', {
    name: 'limited',
    projects: [here],
    scopes: ['read:documents', 'write:documents', 'manage:keys'],
  })
  const limited = apiClient(app.url, body.key)
  expect((await eventsOf(limited)).map(({ project }) => project?.id)).toEqual([here])
  expect(await eventsOf(limited, { project: elsewhere })).toEqual([])
  await ivan.call('DELETE', `/api/v1/projects/${here}`)
  expect(actions(await eventsOf(limited))).toEqual(['project.create', 'project.delete'])
})

test('records downloads of originals by others, once for many parts', async () => {
  const judy = await newUser('judy')
  const project = await newProject(judy, 'originals')
  await judy.call('PUT', `/api/v1/projects/${project}/members/bob@example.org`, { json: { role: 'reader' } })
  const id = await judy.ready('a.txt', 'Some bytes.', { project })
  const path = `/api/v1/documents/${id}/content`
  await judy.get(path)
  const { headers } = await app.bob.get(path)
  await app.bob.get(path, { Range: 'bytes=0-3' })
  await app.bob.get(path, { 'If-None-Match': headers.get('etag')! })
  await app.bob.get(`/api/v1/documents/${id}/text`)
  expect(await eventsOf(judy, { project, action: 'document.download' })).toMatchObject([
    { actor: { name: 'Bob' }, document: { id, name: 'a.txt' }, details: { times: 2 } },
  ])
})

test('records logins, failed logins, logouts and passwords, and never what was typed', async () => {
  await newUser('kim')
  const kim = await userId('kim@example.org')
  await app.backend.accounts.setPassword(kim, PASSWORD)
  const browser = webClient(app)
  const fail = async (email: string) =>
    browser.submit(await browser.get('/login'), '/login', { email, password: 'a wrong password' })
  for (let i = 0; i < 3; i++) await fail('kim@example.org')
  await fail('my secret password')
  await fail('my secret password')
  await loggedIn(app, 'kim@example.org').then(async (client) => {
    const page = await client.get('/settings/profile')
    await client.submit(page, '/settings/password', {
      current_password: PASSWORD,
      password: 'another long password',
      password_again: 'another long password',
    })
    await client.submit(await client.get('/settings/profile'), '/logout')
  })
  const seen = (await eventsOf(app.alice)).filter(({ user, action }) => user?.id === kim || action === 'user.login_failed')
  expect(actions(seen)).toEqual([
    'user.create',
    'key.create',
    'user.password',
    'user.login_failed',
    'user.login_failed',
    'user.login',
    'user.password',
    // A new password gets a new session.
    'user.login',
    'user.logout',
    'user.logout',
  ])
  const [ofKim, ofNobody, login, password] = seen.slice(3)
  expect(ofKim).toMatchObject({ actor: null, user: { id: kim }, address: '127.0.0.1', details: { times: 3 } })
  expect(ofNobody).toMatchObject({ actor: null, details: { times: 2 } })
  expect(ofNobody).not.toHaveProperty('user')
  expect(login).toMatchObject({ actor: { id: kim }, credential: null })
  expect(password).toMatchObject({ actor: { id: kim }, credential: { kind: 'session', id: login!.details['session'] } })
  expect(JSON.stringify(seen)).not.toMatch(/secret|wrong password|another long/)
})

test('names the projects of a limited key and a limited application, to the user and not to the owner', async () => {
  const ute = await newUser('ute')
  const user = (await app.backend.records.users.findByEmail('ute@example.org'))!
  const project = await newProject(ute, 'for a key')
  await ute.post('/api/v1/keys', { name: 'limited', projects: [project] })
  const { application } = await oauthFlow(app, { user })
  await app.backend.records.oauth.codes.create({
    sha256: 'c'.repeat(64),
    clientId: application.id,
    userId: user.id,
    redirectUri: 'https://app.example.com/cb',
    scopes: ['read:documents'],
    projectIds: [project],
    codeChallenge: null,
    resource: null,
    expiresAt: new Date(Date.now() + 60_000),
  })
  const limits = (events: AuditEvent[]) =>
    events
      .filter((event) => event.user?.id === user.id && event.details['projects'] !== undefined)
      .map(({ action, details }) => [action, details['projects'], details['hidden_projects']])
  expect(limits(await eventsOf(ute))).toEqual([
    ['key.create', [project], undefined],
    ['consent.give', [project], undefined],
  ])
  expect(limits(await eventsOf(app.alice))).toEqual([
    ['key.create', [], 1],
    ['consent.give', [], 1],
  ])
})

test('names the application that acts for a user, and what the user allowed it', async () => {
  await newUser('pat')
  const user = (await app.backend.records.users.findByEmail('pat@example.org'))!
  const flow = await oauthFlow(app, { user })
  const { access_token } = await flow.tokens()
  const pat = apiClient(app.url, access_token)
  const project = await newProject(pat, 'by an application')
  expect(await eventsOf(pat, { project })).toMatchObject([
    { actor: { id: user.id }, credential: { kind: 'application', name: flow.application.name } },
  ])
  await app.backend.oauth.connections.end(user.id, flow.application.id)
  const seen = (await eventsOf(app.alice)).filter((event) => event.user?.id === user.id)
  expect(seen.filter(({ action }) => action.startsWith('consent.'))).toMatchObject([
    { action: 'consent.give', details: { application: flow.application.id } },
    { action: 'consent.withdraw', details: { application: flow.application.id } },
  ])
})

test('IDs and cursors say nothing about the events of others', async () => {
  const leo = await newUser('leo')
  const project = await newProject(leo, 'numbers')
  await leo.call('PATCH', `/api/v1/projects/${project}`, { json: { description: 'b' } })
  const { body } = await leo.get<AuditList>('/api/v1/audit?limit=1')
  const ids = (await eventsOf(leo)).map(({ id }) => Number(/^aud_(\d+)$/.exec(id)?.[1]))
  expect(new Set(ids).size).toBe(ids.length)
  // Numbers that grow with the events of others would be near each other, or near the time.
  for (const number of [...ids.slice(1).map((id, i) => Math.abs(id - ids[i]!)), ...ids.map((id) => Math.abs(id - Date.now()))])
    expect(number).toBeGreaterThan(100_000)
  expect(`aud_${body.next_cursor}`).toBe(body.events[0]!.id)
  expect(await leo.get('/api/v1/audit?cursor=nonsense')).toMatchObject({ body: { code: errorCode('invalid_cursor') } })
  expect(await leo.get('/api/v1/audit?cursor=281474976710655')).toMatchObject({ status: 200 })
})

test('finds events by action, user and time', async () => {
  const mia = await newUser('mia')
  const project = await newProject(mia, 'filters')
  const [{ time }] = (await eventsOf(mia, { project })) as [AuditEvent]
  const later = new Date(Date.parse(time) + 1).toISOString()
  const found = async (filter: Record<string, string>) => (await eventsOf(mia, { project, ...filter })).length
  expect([await found({ after: time }), await found({ after: later })]).toEqual([1, 0])
  expect([await found({ before: later }), await found({ before: time })]).toEqual([1, 0])
  expect([await found({ actor: 'Mia@example.org' }), await found({ actor: 'bob@example.org' })]).toEqual([1, 0])
  for (const wrong of ['action=document.burn', 'after=yesterday', 'limit=0', 'users=mia'])
    expect(await mia.get(`/api/v1/audit?${wrong}`)).toMatchObject({ status: 400 })
})

test('records nothing for a change that fails', async () => {
  const nia = await newUser('nia')
  const project = await newProject(nia, 'failures')
  const before = (await eventsOf(nia)).length
  await nia.call('PUT', `/api/v1/projects/${project}/members/nia@example.org`, { json: { role: 'reader' } })
  await nia.post('/api/v1/projects', { name: 'failures' })
  await nia.call('DELETE', '/api/v1/documents/doc_none')
  expect(await eventsOf(nia)).toHaveLength(before)
})

test('shows events in the browser, with filters and older ones', async () => {
  const olga = await newUser('olga')
  const project = await newProject(olga, 'seen in the browser')
  for (let i = 0; i < 30; i++) await olga.call('PATCH', `/api/v1/projects/${project}`, { json: { description: `${i}` } })
  const browser = await loggedIn(app, 'olga@example.org')
  const first = await browser.get('/settings/audit?action=project.update')
  expect(first.html.match(/<time/g)).toHaveLength(25)
  const older = await browser.get(first.links.find((link) => link.includes('cursor='))!)
  expect(older.html.match(/<time/g)).toHaveLength(5)
  expect(older.links).toContain('/settings/audit?action=project.update')
  expect((await browser.get('/settings/audit?actor=bob@example.org')).text).toContain('No such events')
  const refused = await browser.get('/settings/audit?after=yesterday&project=nothing')
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('Enter a day such as 2026-03-31.')])
  expect((await browser.get('/settings/audit?project=nothing')).status).toBe(404)
})

test('lists every action in the API', async () => {
  const { body } = await app.stranger.get<{ components: { schemas: Record<string, { enum: string[] }> } }>('/api/openapi.json')
  expect(body.components.schemas['AuditAction']!.enum).toEqual([...AUDIT_ACTIONS])
})
