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
  return bob.submit(await bob.get('/settings/api-keys/new'), '/settings/api-keys', values)
}

test('a key is shown once, in the answer to the form, and works', async () => {
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
