import { afterAll, beforeAll, expect, test } from 'vitest'
import type { User } from '../../src/core/model.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'
import { loggedIn } from '../support/web-client.ts'

let app: TestApp
let bob: User
beforeAll(async () => {
  app = await startTestApp()
  bob = (await app.backend.records.users.findByEmail('bob@example.org'))!
  // Bob's client has a key already.
  for (let i = 1; i < 100; i++)
    await app.backend.apiKeys.create({ ownerId: bob.id, name: `key ${i}`, scopes: ['read:documents'], expiresAt: null })
})
afterAll(() => app?.close())

test('a user with 100 keys gets no other key until one is deleted, and other users are not affected', async () => {
  const create = () => app.bob.post<{ id: string; code?: string }>('/api/v1/keys', { name: 'one more' })
  const refused = await create()
  expect(refused).toMatchObject({ status: 422, body: { code: errorCode('too_many_keys'), limit: 100 } })
  expect(refused.body).toMatchObject({ detail: expect.stringContaining('limit of 100 API keys') })
  expect((await app.alice.post('/api/v1/keys', { name: 'hers' })).status).toBe(201)

  const { items } = await app.backend.records.keys.list(bob.id, { limit: 1 })
  await app.bob.call('DELETE', `/api/v1/keys/${items[0]!.id}`)
  expect((await create()).status).toBe(201)
  expect((await create()).status).toBe(422)
})

test('the form for a new key says why no key was created, and keeps the typed name', async () => {
  const browser = await loggedIn(app, 'bob@example.org')
  const page = await browser.submit(await browser.get('/settings/api-keys/new'), '/settings/api-keys', { name: 'typed name' })
  expect(page.status).toBe(422)
  expect(page.text).toContain('limit of 100 API keys')
  expect(page.html).toContain('typed name')
})
