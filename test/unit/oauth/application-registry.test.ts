import { expect, test } from 'vitest'
import { hashSecret } from '../../../src/core/secrets.ts'
import { openOAuth } from '../../support/open-oauth.ts'
import { errorCode } from '../../support/codes.ts'

const redirectUris = ['https://app.example.com/callback']

async function setUp() {
  const opened = await openOAuth()
  const bob = await opened.records.users.create({ name: 'Bob', email: 'bob@example.org', role: 'member' })
  const { applications } = opened.oauth
  const create = (type: 'confidential' | 'public' = 'confidential') =>
    applications.create({ ownerId: opened.user.id, name: ' Notes ', type, redirectUris })
  const isGood = (id: string, secret: string | null) => opened.records.oauth.applications.hasSecret(id, hashSecret(secret ?? ''))
  return { ...opened, bob, applications, create, isGood }
}

test('a confidential application gets a secret, a public one none, and both get the default scopes', async () => {
  const { create, isGood } = await setUp()
  const { application, secret } = await create()
  expect(application).toMatchObject({
    name: 'Notes',
    type: 'confidential',
    redirectUris,
    scopes: ['read:documents', 'write:documents'],
  })
  expect(application.id).toMatch(/^app_[a-z0-9]+$/)
  expect(secret).toMatch(/^dss_[A-Za-z0-9_-]{43}$/)
  expect(application.secrets).toMatchObject([{ lastFour: secret?.slice(-4), expiresAt: null }])
  expect(await isGood(application.id, secret)).toBe(true)
  expect(await create('public')).toMatchObject({ secret: null, application: { secrets: [] } })
})

test('a new secret works at once, the old one until its grace period ends', async () => {
  const { create, applications, user, clock, isGood } = await setUp()
  const { application, secret: old } = await create()
  const rotated = await applications.rotate(user.id, application.id)
  expect(rotated?.oldUntil).toEqual(new Date(clock.now().getTime() + 24 * 60 * 60 * 1000))
  expect([await isGood(application.id, old), await isGood(application.id, rotated!.secret)]).toEqual([true, true])
  clock.advance(24 * 60 * 60 * 1000)
  expect([await isGood(application.id, old), await isGood(application.id, rotated!.secret)]).toEqual([false, true])
  const again = await applications.rotate(user.id, application.id, 0)
  expect([await isGood(application.id, rotated!.secret), await isGood(application.id, again!.secret)]).toEqual([false, true])
})

test("does not rotate the secret of a public, built-in or other user's application", async () => {
  const { create, applications, user, bob } = await setUp()
  const { application } = await create('public')
  await expect(applications.rotate(user.id, application.id)).rejects.toMatchObject({ code: errorCode('client_is_public') })
  const { application: hers } = await create()
  expect(await applications.rotate(bob.id, hers.id)).toBeNull()
  expect(await applications.rotate(user.id, 'docsearch-cli')).toBeNull()
})

test("another user can't change or delete an application, but can be asked for consent", async () => {
  const { create, applications, user, bob } = await setUp()
  const { application } = await create()
  expect(await applications.update(bob.id, application.id, { name: 'Mine' })).toBeNull()
  expect(await applications.delete(bob.id, application.id)).toBe(false)
  expect(await applications.list(bob.id)).toEqual([])
  expect(await applications.get(application.id)).toMatchObject({ ownerId: user.id, name: 'Notes' })
})

test('returns the built-in application, which has no row and no owner', async () => {
  const { applications, user } = await setUp()
  expect(await applications.get('docsearch-cli')).toMatchObject({ ownerId: null, type: 'public', secrets: [] })
  expect(await applications.list(user.id)).toEqual([])
  expect(await applications.update(user.id, 'docsearch-cli', { name: 'Mine' })).toBeNull()
  expect(await applications.delete(user.id, 'docsearch-cli')).toBe(false)
})

test('refuses a bad name or address at registration and later', async () => {
  const { create, applications, user } = await setUp()
  const { application } = await create()
  const make = (change: { name?: string; redirectUris?: string[] }) =>
    applications.create({ ownerId: user.id, name: 'Notes', type: 'public', redirectUris, ...change })
  for (const change of [{ name: ' ' }, { name: 'a\u0007b' }, { name: 'a'.repeat(201) }]) {
    await expect(make(change)).rejects.toMatchObject({ code: errorCode('invalid_name') })
    await expect(applications.update(user.id, application.id, change)).rejects.toMatchObject({ code: errorCode('invalid_name') })
  }
  for (const uri of ['javascript:alert(1)', 'data:text/html,x', 'http://app.example.com/']) {
    const change = { redirectUris: [...redirectUris, uri] }
    await expect(make(change)).rejects.toMatchObject({ code: errorCode('invalid_redirect_uri') })
    await expect(applications.update(user.id, application.id, change)).rejects.toMatchObject({
      code: errorCode('invalid_redirect_uri'),
    })
  }
  const many = { redirectUris: Array.from({ length: 21 }, (_, i) => `https://app.example.com/${i}`) }
  await expect(make(many)).rejects.toMatchObject({ code: errorCode('too_many_redirect_uris'), details: { limit: 20 } })
  expect(await applications.get(application.id)).toMatchObject({ name: 'Notes', redirectUris })
})
