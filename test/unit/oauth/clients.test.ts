import { expect, test } from 'vitest'
import { hashSecret } from '../../../src/core/secrets.ts'
import { openOAuth } from '../../support/open-oauth.ts'
import { errorCode } from '../../support/codes.ts'

const redirectUris = ['https://app.example.com/callback']

async function setUp() {
  const opened = await openOAuth()
  const bob = await opened.records.users.create({ name: 'Bob', email: 'bob@example.org', role: 'member' })
  const { clients } = opened.oauth
  const create = (type: 'confidential' | 'public' = 'confidential') =>
    clients.create({ ownerId: opened.user.id, name: ' Notes ', type, redirectUris })
  const isGood = (id: string, secret: string | null) => opened.records.oauth.clients.hasSecret(id, hashSecret(secret ?? ''))
  return { ...opened, bob, clients, create, isGood }
}

test('a confidential client gets a secret, a public one none; both may read and write unless it is said', async () => {
  const { create, isGood } = await setUp()
  const { client, secret } = await create()
  expect(client).toMatchObject({
    name: 'Notes',
    type: 'confidential',
    redirectUris,
    scopes: ['read:documents', 'write:documents'],
  })
  expect(client.id).toMatch(/^app_[a-z0-9]+$/)
  expect(secret).toMatch(/^dss_[A-Za-z0-9_-]{43}$/)
  expect(client.secrets).toMatchObject([{ lastFour: secret?.slice(-4), expiresAt: null }])
  expect(await isGood(client.id, secret)).toBe(true)
  expect(await create('public')).toMatchObject({ secret: null, client: { secrets: [] } })
})

test('a new secret is good at once, the old one until its grace ends', async () => {
  const { create, clients, user, clock, isGood } = await setUp()
  const { client, secret: old } = await create()
  const rotated = await clients.rotate(user.id, client.id)
  expect(rotated?.oldUntil).toEqual(new Date(clock.now().getTime() + 24 * 60 * 60 * 1000))
  expect([await isGood(client.id, old), await isGood(client.id, rotated!.secret)]).toEqual([true, true])
  clock.advance(24 * 60 * 60 * 1000)
  expect([await isGood(client.id, old), await isGood(client.id, rotated!.secret)]).toEqual([false, true])
  const again = await clients.rotate(user.id, client.id, 0)
  expect([await isGood(client.id, rotated!.secret), await isGood(client.id, again!.secret)]).toEqual([false, true])
})

test('what is not registered cannot be rotated: a public client, another one’s, the built-in one', async () => {
  const { create, clients, user, bob } = await setUp()
  const { client } = await create('public')
  await expect(clients.rotate(user.id, client.id)).rejects.toMatchObject({ code: errorCode('client_is_public') })
  const { client: hers } = await create()
  expect(await clients.rotate(bob.id, hers.id)).toBeNull()
  expect(await clients.rotate(user.id, 'docsearch-cli')).toBeNull()
})

test('another user finds nothing to change or delete, but may be asked for consent by it', async () => {
  const { create, clients, user, bob } = await setUp()
  const { client } = await create()
  expect(await clients.update(bob.id, client.id, { name: 'Mine' })).toBeNull()
  expect(await clients.delete(bob.id, client.id)).toBe(false)
  expect(await clients.list(bob.id)).toEqual([])
  expect(await clients.get(client.id)).toMatchObject({ ownerId: user.id, name: 'Notes' })
})

test('the built-in client is there without a row, and nobody’s', async () => {
  const { clients, user } = await setUp()
  expect(await clients.get('docsearch-cli')).toMatchObject({ ownerId: null, type: 'public', secrets: [] })
  expect(await clients.list(user.id)).toEqual([])
  expect(await clients.update(user.id, 'docsearch-cli', { name: 'Mine' })).toBeNull()
  expect(await clients.delete(user.id, 'docsearch-cli')).toBe(false)
})

test('what is wrong with a name or an address is said, at registration and later', async () => {
  const { create, clients, user } = await setUp()
  const { client } = await create()
  const make = (change: { name?: string; redirectUris?: string[] }) =>
    clients.create({ ownerId: user.id, name: 'Notes', type: 'public', redirectUris, ...change })
  for (const change of [{ name: ' ' }, { name: 'a\u0007b' }, { name: 'a'.repeat(201) }]) {
    await expect(make(change)).rejects.toMatchObject({ code: errorCode('invalid_name') })
    await expect(clients.update(user.id, client.id, change)).rejects.toMatchObject({ code: errorCode('invalid_name') })
  }
  for (const uri of ['javascript:alert(1)', 'data:text/html,x', 'http://app.example.com/']) {
    const change = { redirectUris: [...redirectUris, uri] }
    await expect(make(change)).rejects.toMatchObject({ code: errorCode('invalid_redirect_uri') })
    await expect(clients.update(user.id, client.id, change)).rejects.toMatchObject({ code: errorCode('invalid_redirect_uri') })
  }
  const many = { redirectUris: Array.from({ length: 21 }, (_, i) => `https://app.example.com/${i}`) }
  await expect(make(many)).rejects.toMatchObject({ code: errorCode('too_many_redirect_uris'), details: { limit: 20 } })
  expect(await clients.get(client.id)).toMatchObject({ name: 'Notes', redirectUris })
})
