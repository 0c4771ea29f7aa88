import { afterAll, beforeAll, expect, test } from 'vitest'
import type { View } from '../../src/http/web/routing/page.ts'
import { pages } from '../support/api-table.ts'
import { paths } from '../../src/pages/paths.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { loggedIn, type WebClient } from '../support/web-client.ts'
import { visibleTo } from '../support/visible.ts'

let app: TestApp
let bob: WebClient
let csrf: string
/** IDs of Alice's data, which Bob must not see or change. */
let hers: { search: string; user: string; session: string; key: string; client: string; code: string; document: string }
/** Apart, because a 404 repeats the project that was asked for. */
let herProject: string
let bobId: string

beforeAll(async () => {
  app = await startTestApp()
  const { records, accounts, oauth, apiKeys } = app.backend
  const owner = (await records.users.owner())!
  await loggedIn(app, 'alice@example.org')
  const { record } = await apiKeys.create({
    ownerId: owner.id,
    name: 'Key of the owner',
    scopes: ['read:documents'],
    expiresAt: null,
  })
  const { application } = await oauth.applications.create({
    ownerId: owner.id,
    name: 'Client of the owner',
    type: 'public',
    redirectUris: ['https://hers.example.com/cb'],
  })
  const device = await oauth.device.start({
    fields: Object.assign(Object.create(null), { client_id: application.id }),
    basic: null,
  })
  await oauth.device.decide(device.user_code, owner, true)
  await connect(application.id, device.device_code)
  const [session] = await accounts.listSessions(owner.id)
  const document = await app.alice.ready('file of the owner.txt', 'The lantern of the owner.', { project: 'All of the owner' })
  const { items } = await records.projects.list(await visibleTo(records, owner.id), { limit: 1 })
  herProject = items[0]!.id
  const search = { userId: owner.id, name: 'Search of the owner', parameters: 'q=lantern', maxSearches: 9 }
  hers = {
    search: (await records.savedSearches.create(search)).id,
    user: owner.id,
    session: session!.id,
    key: record.id,
    client: application.id,
    code: device.user_code,
    document,
  }
  bob = await loggedIn(app, 'bob@example.org')
  bobId = (await records.users.findByEmail('bob@example.org'))!.id
  csrf = Object.fromEntries((await bob.get('/settings/profile')).form('/logout').fields)['csrf']!
})
afterAll(async () => {
  if (app === undefined) return
  const { records, accounts, oauth } = app.backend
  expect(await records.users.get(hers.user)).toMatchObject({ email: 'alice@example.org', name: 'Alice', disabledAt: null })
  expect((await accounts.listSessions(hers.user)).map(({ id }) => id)).toContain(hers.session)
  expect((await records.keys.list(hers.user, { limit: 100 })).items.map(({ id }) => id)).toContain(hers.key)
  expect(await oauth.applications.get(hers.client)).toMatchObject({ name: 'Client of the owner', ownerId: hers.user })
  expect((await oauth.connections.list(hers.user)).map(({ application }) => application.id)).toEqual([hers.client])
  expect(await records.documents.get(await visibleTo(records, hers.user), hers.document)).toMatchObject({ status: 'ready' })
  expect(await records.savedSearches.list(hers.user)).toMatchObject([{ name: 'Search of the owner' }])
  expect(await records.users.findByEmail('mole@example.org')).toBeNull()
  await app.close()
})

async function connect(client_id: string, device_code: string): Promise<void> {
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
  const body = new URLSearchParams({ grant_type, client_id, device_code })
  expect((await fetch(`${app.url}/api/oauth/token`, { method: 'POST', body })).status).toBe(200)
}

/** Opens a view as Bob and checks that it shows nothing of Alice. */
async function see(path: string, status = 200): Promise<void> {
  const page = await bob.get(path)
  expect([path, page.status]).toEqual([path, status])
  expectNothingOfAlice(page.html)
}

/** Posts a form as Bob and checks that the answer shows nothing of Alice. */
async function send(path: string, fields: Record<string, string>, status: number): Promise<void> {
  const page = await bob.post(path, { csrf, ...fields })
  expect([path, page.status]).toEqual([path, status])
  expectNothingOfAlice(page.html)
}

function expectNothingOfAlice(html: string): void {
  expect(html).not.toMatch(/Alice|alice@|of the owner|hers\.example/)
  for (const id of Object.values(hers)) expect(html).not.toContain(id)
}

const applicationFields = { name: 'Taken', redirect_uris: 'https://evil.example/cb', scopes: 'read:documents' }
const at = (method: View['method'], path: string) => `${method} ${path}`

/** For each route: what Bob sends, and the answer he must get. */
const CASES: Record<string, () => Promise<void>> = {
  [at('GET', '/assets/:id')]: () => see('/assets/style.css'),
  [at('GET', paths.favicon)]: () => see('/favicon.ico'),
  [at('GET', paths.openSearch)]: () => see('/opensearch.xml'),
  [at('GET', paths.home)]: async () => {
    await see('/')
    await see('/?q=lantern')
    // Alice's project looks like an unknown one, and the page has only what Bob typed.
    const page = await bob.get(`/?${new URLSearchParams({ q: 'lantern', project: 'All of the owner' })}`)
    expect([page.status, page.text]).toEqual([404, expect.not.stringContaining('file of')])
  },
  [at('POST', paths.savedSearches)]: () => send(paths.savedSearches, { search: 'q=lantern', name: 'Search of Bob' }, 303),
  [at('GET', paths.savedSearch(':id'))]: () => see(paths.savedSearch(hers.search), 404),
  [at('POST', paths.savedSearch(':id'))]: () => send(paths.savedSearch(hers.search), { name: 'Taken' }, 404),
  [at('POST', paths.savedSearchDelete(':id'))]: () => send(paths.savedSearchDelete(hers.search), {}, 404),
  [at('GET', paths.documents)]: async () => {
    await see('/documents')
    await see('/documents?tab=trash&name=file')
    await see('/documents?project=prj_unknown', 404)
  },
  [at('POST', paths.documentsBatch)]: async () => {
    for (const action of ['retry', 'delete', 'restore', 'purge'])
      await send(paths.documentsBatch, { action, ids: hers.document, confirmed: 'true' }, 303)
  },
  [at('GET', paths.document(':id'))]: () => see(`${paths.document(hers.document)}?page=1&q=lantern`, 404),
  [at('GET', paths.documentDelete(':id'))]: () => see(paths.documentDelete(hers.document), 404),
  [at('POST', paths.documentDelete(':id'))]: () => send(paths.documentDelete(hers.document), { permanent: 'true' }, 404),
  [at('POST', paths.documentRestore(':id'))]: () => send(paths.documentRestore(hers.document), {}, 404),
  [at('GET', paths.original(':id'))]: () => see(paths.original(hers.document), 404),
  [at('GET', paths.pageImage(':id', ':n'))]: () => see(paths.pageImage(hers.document, '1'), 404),
  [at('GET', paths.upload)]: () => see(`/upload?project=${herProject}`),
  [at('POST', paths.upload)]: async () => {
    for (const project of [herProject, 'prj_01m84cf57wdve4dsek6eq2hcnj']) {
      const body = new FormData()
      for (const [name, value] of Object.entries({ csrf, project })) body.append(name, value)
      body.append('file', new Blob(['Words of Bob.']), 'of Bob.txt')
      const cookie = [...bob.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const response = await fetch(`${app.url}/upload`, {
        method: 'POST',
        body,
        headers: { Cookie: cookie, Accept: 'text/html' },
      })
      expect(response.status).toBe(404)
      expectNothingOfAlice((await response.text()).replaceAll(project, ''))
    }
  },
  [at('GET', paths.uploadProgress)]: () => see(`/upload/progress?ids=${hers.document}`),
  [at('GET', paths.events)]: async () => {
    const cookie = [...bob.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const leave = new AbortController()
    const response = await fetch(`${app.url}/events`, { headers: { Cookie: cookie }, signal: leave.signal })
    await app.alice.upload([{ name: 'second file of the owner.txt', content: 'The heron of the owner.' }])
    const { body } = await app.bob.upload([{ name: 'of Bob.txt', content: 'The heron.' }])
    let heard = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      heard += chunk
      if (heard.includes('event: document.queued')) break
    }
    leave.abort()
    const events = [...heard.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as { document_id: string })
    expect(new Set(events.map(({ document_id }) => document_id))).toEqual(new Set([body.documents[0]!.id]))
  },
  [at('GET', paths.login)]: () => see('/login', 303),
  [at('POST', paths.login)]: () => send('/login', { email: 'nobody@example.org', password: 'guess' }, 422),
  [at('POST', paths.logout)]: async () => {
    const other = await loggedIn(app, 'bob@example.org')
    await other.submit(await other.get('/settings/profile'), '/logout')
  },
  [at('GET', paths.loggedOut)]: () => see('/logged-out', 303),
  [at('GET', paths.setup)]: () => see(`/setup?token=${hers.user}`, 404),
  [at('POST', paths.setup)]: () => send('/setup', { token: hers.user, password: 'x', password_again: 'x' }, 404),
  // Any user may connect Alice's application to their own account, so these cases use an unknown application.
  [at('GET', paths.authorize)]: () => see('/api/oauth/authorize?client_id=unknown', 400),
  [at('POST', paths.authorize)]: () => send('/api/oauth/authorize', { query: 'client_id=unknown', decision: 'allow' }, 400),
  [at('GET', paths.device)]: () => see('/device'),
  // Alice has decided already.
  [at('POST', paths.device)]: async () => {
    const page = await bob.post('/device', { csrf, user_code: hers.code })
    expect([page.status, page.text]).toEqual([422, expect.not.stringContaining('of the owner')])
  },
  [at('POST', paths.deviceDecision)]: () => send('/device/decision', { user_code: hers.code, decision: 'deny' }, 422),
  [at('GET', paths.audit)]: () => see('/settings/audit'),
  [at('GET', paths.projects)]: () => see('/projects'),
  [at('GET', paths.projectNew)]: () => see('/projects/new'),
  [at('POST', paths.projects)]: () => send('/projects', { name: 'Project of Bob', description: '' }, 303),
  [at('GET', paths.project(':id'))]: () => see(paths.project(herProject), 404),
  [at('POST', paths.projectSettings(':id'))]: () => send(paths.projectSettings(herProject), { name: 'Taken' }, 404),
  [at('GET', paths.projectDelete(':id'))]: () => see(paths.projectDelete(herProject), 404),
  [at('POST', paths.projectDelete(':id'))]: () => send(paths.projectDelete(herProject), {}, 404),
  [at('GET', paths.projectTakeOver(':id'))]: () => see(paths.projectTakeOver(herProject), 404),
  [at('POST', paths.projectTakeOver(':id'))]: () => send(paths.projectTakeOver(herProject), {}, 404),
  [at('POST', paths.projectMembers(':id'))]: () =>
    send(paths.projectMembers(herProject), { user: 'bob@example.org', role: 'manager' }, 404),
  [at('GET', paths.projectMemberRemove(':id'))]: () => see(paths.projectMemberRemove(herProject, bobId), 404),
  [at('POST', paths.projectMemberRemove(':id'))]: () => send(paths.projectMemberRemove(herProject), { user: bobId }, 404),
  [at('GET', paths.settings)]: () => see('/settings', 303),
  [at('GET', paths.profile)]: () => see('/settings/profile'),
  [at('POST', paths.profile)]: () => send('/settings/profile', { name: 'Bob', email: 'bob@example.org' }, 303),
  [at('POST', paths.password)]: () =>
    send('/settings/password', { current_password: 'no', password: 'long enough now', password_again: 'long enough now' }, 422),
  [at('POST', paths.otherSessionsEnd)]: () => send('/settings/sessions/end-others', {}, 303),
  [at('POST', paths.sessionEnd(':id'))]: () => send(paths.sessionEnd(hers.session), {}, 404),
  [at('GET', paths.shownOnce(':id'))]: async () => {
    const owner = await loggedIn(app, 'alice@example.org')
    const made = await owner.submit(await owner.get('/settings/api-keys/new'), '/settings/api-keys', { name: 'Key of the owner' })
    await see(made.location!, 303)
    expect((await owner.get(made.location!)).field('key')).toMatch(/^dsk_/)
  },
  [at('GET', paths.apiKeys)]: () => see('/settings/api-keys'),
  [at('GET', paths.apiKeyNew)]: () => see('/settings/api-keys/new'),
  [at('POST', paths.apiKeys)]: async () => {
    await send('/settings/api-keys', { name: 'Of Bob', scopes: 'manage:keys', expires_in_days: '' }, 303)
    const { items } = await app.backend.records.keys.list(hers.user, { limit: 100 })
    expect(items.map(({ name }) => name)).not.toContain('Of Bob')
  },
  [at('GET', paths.apiKeyRevoke(':id'))]: () => see(paths.apiKeyRevoke(hers.key), 404),
  [at('POST', paths.apiKeyRevoke(':id'))]: () => send(paths.apiKeyRevoke(hers.key), {}, 404),
  [at('GET', paths.connections)]: () => see('/settings/connections'),
  [at('GET', paths.connectionEnd(':id'))]: () => see(paths.connectionEnd(hers.client), 404),
  [at('POST', paths.connectionEnd(':id'))]: () => send(paths.connectionEnd(hers.client), {}, 404),
  [at('GET', paths.applications)]: () => see('/settings/clients'),
  [at('GET', paths.applicationNew)]: () => see('/settings/clients/new'),
  [at('POST', paths.applications)]: () => send('/settings/clients', { ...applicationFields, type: 'public' }, 303),
  [at('GET', paths.application(':id'))]: async () => {
    await see(paths.application(hers.client), 404)
    await see(paths.application('docsearch-cli'), 404)
  },
  [at('GET', paths.applicationEdit(':id'))]: () => see(paths.applicationEdit(hers.client), 404),
  [at('POST', paths.applicationEdit(':id'))]: () => send(paths.applicationEdit(hers.client), applicationFields, 404),
  [at('POST', paths.applicationRotate(':id'))]: () => send(paths.applicationRotate(hers.client), { grace_seconds: '0' }, 404),
  [at('GET', paths.applicationDelete(':id'))]: () => see(paths.applicationDelete(hers.client), 404),
  [at('POST', paths.applicationDelete(':id'))]: () => send(paths.applicationDelete(hers.client), {}, 404),
  [at('GET', paths.users)]: () => see('/settings/users', 404),
  [at('GET', paths.instance)]: () => see('/settings/instance', 404),
  [at('GET', paths.userInvite)]: () => see('/settings/users/invite', 404),
  [at('POST', paths.userInvite)]: () => send('/settings/users/invite', { email: 'mole@example.org', name: '' }, 404),
  [at('POST', paths.userReset(':id'))]: () => forEachUser((id) => send(paths.userReset(id), {}, 404)),
  [at('GET', paths.userDisable(':id'))]: () => forEachUser((id) => see(paths.userDisable(id), 404)),
  [at('POST', paths.userDisable(':id'))]: () => forEachUser((id) => send(paths.userDisable(id), {}, 404)),
  [at('POST', paths.userEnable(':id'))]: () => forEachUser((id) => send(paths.userEnable(id), {}, 404)),
  [at('GET', paths.userDelete(':id'))]: () => forEachUser((id) => see(paths.userDelete(id), 404)),
  [at('POST', paths.userDelete(':id'))]: () => forEachUser((id) => send(paths.userDelete(id), {}, 404)),
}

/** Tries Alice's ID and Bob's own, because a member cannot administer any user. */
async function forEachUser(attempt: (id: string) => Promise<void>): Promise<void> {
  for (const id of [hers.user, bobId]) await attempt(id)
}

test('every route has a case here', () => {
  expect(pages.map(({ method, path }) => at(method, path)).toSorted()).toEqual(Object.keys(CASES).toSorted())
})

test.each(Object.entries(CASES))('%s does not show or change the data of another user', async (_route, check) => {
  await check()
})
