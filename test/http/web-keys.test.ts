import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Me } from '../../src/contract/account.ts'
import { apiClient } from '../support/api-client.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { loggedIn, type WebClient } from '../support/web-client.ts'

let app: TestApp
let bob: WebClient
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app?.close())
beforeEach(async () => {
  bob = await loggedIn(app, 'bob@example.org')
})

async function createKey(values: Record<string, string | string[]>) {
  return bob.finish(await bob.get('/settings/api-keys/new'), '/settings/api-keys', values)
}

test('reloading the view of a new key shows nothing and creates no second key', async () => {
  const sent = await bob.submit(await bob.get('/settings/api-keys/new'), '/settings/api-keys', { name: 'Once' })
  expect([sent.status, sent.location]).toEqual([303, expect.stringMatching(/^\/settings\/once\/[\w-]{22}$/)])
  const alice = await loggedIn(app, 'alice@example.org')
  const otherSession = await loggedIn(app, 'bob@example.org')
  for (const other of [alice, otherSession]) expect((await other.get(sent.location!)).location).toBe('/settings')
  const shown = await bob.get(sent.location!)
  expect([shown.headers.get('cache-control'), shown.field('key')]).toEqual(['no-store', expect.stringMatching(/^dsk_/)])
  const reloaded = await bob.get(sent.location!)
  expect([reloaded.status, reloaded.location, reloaded.html]).toEqual([303, '/settings/api-keys', ''])
  const list = await bob.follow(reloaded)
  expect(list.text).toContain('shown only once')
  expect(list.text.match(/Once/g)).toHaveLength(1)
})

test('the view of a new key is never compressed', async () => {
  const sent = await bob.submit(await bob.get('/settings/api-keys/new'), '/settings/api-keys', { name: 'k' })
  const own = { 'Sec-Fetch-Site': 'same-origin', 'Accept-Encoding': 'gzip' }
  expect((await bob.get(sent.location!, own)).headers.get('content-encoding')).toBeNull()
  expect((await bob.get('/settings/api-keys', own)).headers.get('content-encoding')).toBe('gzip')
})

test('a key is shown once, after the form, and works', async () => {
  const page = await createKey({ name: 'Nightly <sync>', scopes: ['read:documents', 'manage:keys'], expires_in_days: '30' })
  const key = page.field('key')!
  expect([page.status, page.headers.get('cache-control'), key]).toEqual([200, 'no-store', expect.stringMatching(/^dsk_\w{36}$/)])
  const me = await apiClient(app.url, key).get<Me>('/api/v1/me')
  expect(me.body).toMatchObject({ user: { name: 'Bob' }, scopes: ['read:documents', 'manage:keys'] })
  expect(Date.parse(me.body.expires_at!) - Date.now()).toBeGreaterThan(29 * 24 * 3600 * 1000)

  const list = await bob.get('/settings/api-keys')
  expect(list.text).toContain('Nightly <sync>')
  expect(list.html).not.toContain(key)
  expect(list.text).toContain(`dsk_…${key.slice(-4)}`)
})

test('a key can have no expiry, or one in ten years', async () => {
  for (const [expires_in_days, expected] of [
    ['', null],
    ['3650', expect.any(String)],
  ] as const) {
    const page = await createKey({ name: 'x', expires_in_days })
    const me = await apiClient(app.url, page.field('key')!).get<Me>('/api/v1/me')
    expect([me.body.expires_at, me.body.scopes]).toEqual([expected, ['read:documents', 'write:documents']])
  }
})

test.each([
  ['no name', { name: ' ' }, 'Enter a name.'],
  ['no permission', { name: 'x', scopes: [] }, 'Choose at least one'],
  ['an unknown permission', { name: 'x', scopes: ['admin'] }, 'There is no such permission.'],
  ['an invalid lifetime', { name: 'x', expires_in_days: '1e99' }, 'Choose when the key expires.'],
  ['a negative lifetime', { name: 'x', expires_in_days: '-1' }, 'Choose when the key expires.'],
])('a form with %s creates no key', async (_what, values, message) => {
  const before = (await bob.get('/settings/api-keys')).html
  const page = await createKey(values)
  expect([page.status, page.text]).toEqual([422, expect.stringContaining(message)])
  expect((await bob.get('/settings/api-keys')).html.length).toBe(before.length)
})

test('a key can be limited to ticked projects', async () => {
  const { records } = app.backend
  const { id: ownerId } = (await records.users.findByEmail('bob@example.org'))!
  const create = async (name: string) => (await records.projects.create({ ownerId, name, description: '' })).id
  const [handbook] = [await create('Handbook <b>'), await create('Salaries')]
  const form = { name: 'Limited', expires_in_days: '' }
  for (const [values, message] of [
    [{ reach: 'some' }, 'Choose at least one project.'],
    [{ projects: [handbook] }, 'You ticked projects.'],
    [{ reach: 'some', projects: ['prj_of_somebody_else'] }, 'You have no project'],
  ] as const) {
    const refused = await createKey({ ...form, ...values } as Record<string, string | string[]>)
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(message)])
  }
  const page = await createKey({ ...form, reach: 'some', projects: [handbook] })
  const me = await apiClient(app.url, page.field('key')!).get<Me>('/api/v1/me')
  expect(me.body.projects).toEqual([{ id: handbook, name: 'Handbook <b>' }])
  expect((await bob.get('/settings/api-keys')).text).toMatch(/Only projects\s*Handbook <b>/)
})

test('a key is revoked after a confirmation, and stops working at once', async () => {
  const key = (await createKey({ name: 'Short-lived' })).field('key')!
  const { authentication } = (await apiClient(app.url, key).get<Me>('/api/v1/me')).body
  const path = `/settings/api-keys/${authentication.id}/revoke`
  const ask = await bob.get(path)
  expect(ask.text).toContain('Short-lived')
  expect((await apiClient(app.url, key).get('/api/v1/me')).status).toBe(200)
  const after = await bob.follow(await bob.submit(ask, path))
  expect(after.text).toContain('The API key was revoked.')
  expect((await apiClient(app.url, key).get('/api/v1/me')).status).toBe(401)
  expect((await bob.get(path)).status).toBe(404)
})

test('a session cannot use the API, and a key cannot open a view', async () => {
  const cookie = [...bob.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  expect((await app.stranger.get('/api/v1/me', { Cookie: cookie })).status).toBe(401)
  const page = await bob.send('GET', '/settings/api-keys', null, { Authorization: `Bearer ${app.alice.key}` })
  expect(page.text).toContain('bob@example.org')
  bob.cookies.clear()
  const stranger = await bob.send('GET', '/settings/api-keys', null, { Authorization: `Bearer ${app.alice.key}` })
  expect(stranger.location).toMatch(/^\/login/)
})

test('only the owner is offered a key for the metrics, and it cannot be limited to projects', async () => {
  expect((await bob.get('/settings/api-keys/new')).html).not.toContain('read:metrics')
  const forged = await bob.submit(await bob.get('/settings/api-keys/new'), '/settings/api-keys', {
    name: 'm',
    scopes: ['read:metrics'],
  })
  expect(forged.status).toBe(403)
  const alice = await loggedIn(app, 'alice@example.org')
  const form = await alice.get('/settings/api-keys/new')
  expect(form.html).toContain('read:metrics')
  const metrics = async (values: Record<string, string | string[]>) =>
    alice.finish(await alice.get('/settings/api-keys/new'), '/settings/api-keys', {
      name: 'm',
      scopes: ['read:metrics'],
      ...values,
    })
  const { id } = await app.backend.records.projects.create({
    ownerId: (await app.backend.records.users.owner())!.id,
    name: 'Alone',
    description: '',
  })
  const refused = await metrics({ reach: 'some', projects: [id] })
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('cannot be limited to projects')])
  const key = (await metrics({})).field('key')!
  expect((await fetch(`${app.url}/metrics`, { headers: { Authorization: `Bearer ${key}` } })).status).toBe(200)
})
