import { beforeEach, describe, expect, test } from 'vitest'
import type { NewTokens } from '../../src/records/oauth-records.ts'
import type { Records } from '../../src/records/records.ts'
import { testClock, type TestClock } from '../support/test-clock.ts'
import type { RecordsUnderTest } from './records.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** Clients, codes, grants, tokens and device codes, as every implementation of Records has to keep them. */
export function oauthConformance({ open }: RecordsUnderTest): void {
  let clock: TestClock
  let records: Records
  let ann: string
  let ben: string

  beforeEach(async () => {
    clock = testClock()
    records = await open(clock)
    ann = (await records.users.create({ name: 'Ann', email: null, role: 'owner' })).id
    ben = (await records.users.create({ name: 'Ben', email: null, role: 'member' })).id
  })

  const inFuture = (ms: number) => new Date(clock.now().getTime() + ms)
  const newClient = (ownerId = ann, secret: string | null = 'secret') =>
    records.oauth.clients.create({
      ownerId,
      name: 'App',
      type: secret === null ? 'public' : 'confidential',
      redirectUris: ['https://app.example/back', 'http://127.0.0.1/cb'],
      scopes: ['read:documents', 'write:documents'],
      secret: secret === null ? null : { sha256: secret, lastFour: 'abcd' },
    })
  const newCode = (sha256: string, change: { clientId?: string; userId?: string } = {}) =>
    records.oauth.codes.create({
      sha256,
      clientId: 'app',
      userId: ben,
      redirectUri: 'https://app.example/back',
      scopes: ['read:documents', 'write:documents'],
      codeChallenge: 'challenge',
      resource: 'https://docs.example/',
      expiresAt: inFuture(10 * MINUTE),
      ...change,
    })
  const tokens = (name: string): NewTokens => ({
    access: { sha256: `access ${name}`, expiresAt: inFuture(60 * MINUTE) },
    refresh: { sha256: `refresh ${name}`, expiresAt: inFuture(30 * DAY) },
    scopes: ['read:documents'],
  })
  const newGrant = async (name: string, change: { clientId?: string; userId?: string } = {}) => {
    await newCode(`code ${name}`, change)
    return (await records.oauth.codes.redeem(`code ${name}`, tokens(name)))!
  }
  const newDevice = (name = 'd') =>
    records.oauth.devices.create({
      deviceSha256: `device ${name}`,
      userSha256: `user ${name}`,
      clientId: 'app',
      scopes: ['read:documents'],
      resource: null,
      expiresAt: inFuture(10 * MINUTE),
      intervalSeconds: 5,
    })
  const isAlive = async (name: string) => (await records.oauth.grants.findAccess(`access ${name}`)) !== null

  describe('clients', () => {
    test('come back as they were made; anybody may look one up, only its owner lists and changes it', async () => {
      const { id } = await newClient()
      const record = {
        id: expect.stringMatching(/^app_[A-Za-z0-9_-]+$/),
        ownerId: ann,
        name: 'App',
        type: 'confidential',
        redirectUris: ['https://app.example/back', 'http://127.0.0.1/cb'],
        scopes: ['read:documents', 'write:documents'],
        createdAt: clock.now(),
        updatedAt: clock.now(),
        secrets: [{ lastFour: 'abcd', createdAt: clock.now(), expiresAt: null }],
      }
      expect(await records.oauth.clients.get(id)).toEqual(record)
      expect(await records.oauth.clients.list(ann)).toEqual([record])
      expect(await records.oauth.clients.list(ben)).toEqual([])
      expect(await records.oauth.clients.update(ben, id, { name: 'Mine' })).toBeNull()
      clock.advance(1)
      const changed = { ...record, name: 'Other', redirectUris: ['https://b.example/'], updatedAt: clock.now() }
      expect(await records.oauth.clients.update(ann, id, { name: 'Other', redirectUris: ['https://b.example/'] })).toEqual(
        changed,
      )
      expect(await records.oauth.clients.get(id)).toEqual(changed)
      const newer = await newClient()
      expect((await records.oauth.clients.list(ann)).map((client) => client.id)).toEqual([newer.id, id])
    })

    test('an old secret is good until its grace ends, and a second rotation makes that no longer', async () => {
      const { id } = await newClient()
      const has = (sha256: string) => records.oauth.clients.hasSecret(id, sha256)
      expect([await has('secret'), await has('wrong')]).toEqual([true, false])
      expect(await records.oauth.clients.rotate(ben, id, { sha256: 'x', lastFour: 'xxxx' }, inFuture(DAY))).toBeNull()
      const rotated = await records.oauth.clients.rotate(ann, id, { sha256: 'second', lastFour: '2222' }, inFuture(10 * MINUTE))
      expect(rotated?.secrets).toEqual([
        { lastFour: '2222', createdAt: clock.now(), expiresAt: null },
        { lastFour: 'abcd', createdAt: clock.now(), expiresAt: inFuture(10 * MINUTE) },
      ])
      const again = await records.oauth.clients.rotate(ann, id, { sha256: 'third', lastFour: '3333' }, inFuture(DAY))
      expect(again?.secrets.map((secret) => secret.expiresAt)).toEqual([null, inFuture(DAY), inFuture(10 * MINUTE)])
      clock.advance(10 * MINUTE - 1)
      expect(await has('secret')).toBe(true)
      clock.advance(1)
      expect([await has('secret'), await has('second'), await has('third')]).toEqual([false, true, true])
      expect((await records.oauth.clients.get(id))?.secrets).toHaveLength(2)
    })

    test('without grace the old secret is dead at once; a public client has none to rotate', async () => {
      const { id } = await newClient()
      const rotated = await records.oauth.clients.rotate(ann, id, { sha256: 'second', lastFour: '2222' }, clock.now())
      expect(rotated?.secrets).toHaveLength(1)
      expect(await records.oauth.clients.hasSecret(id, 'secret')).toBe(false)
      const open = await newClient(ann, null)
      expect(open).toMatchObject({ type: 'public', secrets: [] })
      expect(await records.oauth.clients.rotate(ann, open.id, { sha256: 's', lastFour: 'ssss' }, clock.now())).toBeNull()
    })

    test('a deleted one takes codes, device codes and tokens of all users with it', async () => {
      const { id: clientId } = await newClient()
      await newGrant('1', { clientId })
      await newCode('unused', { clientId })
      await newGrant('other')
      expect(await records.oauth.clients.delete(ben, clientId)).toBe(false)
      expect(await records.oauth.clients.delete(ann, clientId)).toBe(true)
      expect(await records.oauth.clients.delete(ann, clientId)).toBe(false)
      expect(await records.oauth.clients.get(clientId)).toBeNull()
      expect(await isAlive('1')).toBe(false)
      expect(await records.oauth.grants.findToken('refresh 1')).toBeNull()
      expect(await records.oauth.codes.find('unused')).toBeNull()
      expect(await isAlive('other')).toBe(true)
    })

    test('a deleted user takes clients with it, and what others allowed those', async () => {
      const { id: clientId } = await newClient(ben)
      await newGrant('of ann', { clientId, userId: ann })
      await newGrant('of ben')
      await records.users.delete(ben)
      expect(await records.oauth.clients.get(clientId)).toBeNull()
      expect(await isAlive('of ann')).toBe(false)
      expect(await records.oauth.grants.findToken('access of ben')).toBeNull()
    })
  })

  describe('codes', () => {
    test('come back as they were made, with their family once they are used', async () => {
      await newCode('c')
      const code = {
        clientId: 'app',
        userId: ben,
        redirectUri: 'https://app.example/back',
        scopes: ['read:documents', 'write:documents'],
        codeChallenge: 'challenge',
        resource: 'https://docs.example/',
        expiresAt: inFuture(10 * MINUTE),
        grantId: null,
      }
      expect(await records.oauth.codes.find('c')).toEqual(code)
      const grant = await records.oauth.codes.redeem('c', tokens('1'))
      expect(grant).toEqual({
        id: expect.stringMatching(/^gnt_/),
        userId: ben,
        clientId: 'app',
        scopes: ['read:documents', 'write:documents'],
        resource: 'https://docs.example/',
        createdAt: clock.now(),
        lastUsedAt: null,
        revokedAt: null,
      })
      expect(await records.oauth.codes.find('c')).toEqual({ ...code, grantId: grant!.id })
      expect(await records.oauth.codes.find('d')).toBeNull()
    })

    test('one of many redemptions at a time wins, and only its tokens exist', async () => {
      await newCode('c')
      const grants = await Promise.all(Array.from({ length: 50 }, (_, i) => records.oauth.codes.redeem('c', tokens(String(i)))))
      expect(grants.filter((grant) => grant !== null)).toHaveLength(1)
      const alive = await Promise.all(grants.map((_, i) => isAlive(String(i))))
      expect(alive).toEqual(grants.map((grant) => grant !== null))
      expect(await records.oauth.grants.list(ben)).toHaveLength(1)
    })

    test('an expired one, or that of a user who was disabled, makes nothing', async () => {
      await newCode('c')
      clock.advance(10 * MINUTE)
      expect(await records.oauth.codes.redeem('c', tokens('1'))).toBeNull()
      await newCode('d')
      await records.users.setDisabled(ben, true)
      expect(await records.oauth.codes.redeem('d', tokens('2'))).toBeNull()
      await newCode('e')
      expect(await records.oauth.codes.redeem('e', tokens('3'))).toBeNull()
      await records.users.setDisabled(ben, false)
      expect(await records.oauth.grants.list(ben)).toEqual([])
    })
  })

  describe('tokens', () => {
    test('an access token is good until it expires, and is found after that too', async () => {
      const grant = await newGrant('1')
      const token = {
        kind: 'access',
        grant,
        scopes: ['read:documents'],
        createdAt: clock.now(),
        expiresAt: inFuture(60 * MINUTE),
        isUsed: false,
      }
      expect(await records.oauth.grants.findAccess('access 1')).toEqual(token)
      expect(await records.oauth.grants.findAccess('refresh 1')).toBeNull()
      expect(await records.oauth.grants.findToken('nothing')).toBeNull()
      clock.advance(60 * MINUTE - 1)
      expect(await isAlive('1')).toBe(true)
      clock.advance(1)
      expect(await isAlive('1')).toBe(false)
      expect(await records.oauth.grants.findToken('access 1')).toEqual(token)
    })

    test('a refresh ends the tokens before it and makes the next pair; its token is used then', async () => {
      const grant = await newGrant('1')
      clock.advance(1)
      expect(await records.oauth.grants.findToken('refresh 1')).toMatchObject({ kind: 'refresh', grant, isUsed: false })
      expect(await records.oauth.grants.refresh('refresh 1', 'app', tokens('2'))).toEqual(grant)
      expect([await isAlive('1'), await isAlive('2')]).toEqual([false, true])
      expect(await records.oauth.grants.findToken('refresh 1')).toMatchObject({ isUsed: true })
      expect(await records.oauth.grants.refresh('refresh 1', 'app', tokens('3'))).toBeNull()
      expect(await records.oauth.grants.findToken('access 3')).toBeNull()
      expect(await records.oauth.grants.refresh('refresh 2', 'app', tokens('4'))).toEqual(grant)
    })

    test('one of many refreshes at a time wins', async () => {
      await newGrant('first')
      const pairs = await Promise.all(
        Array.from({ length: 50 }, (_, i) => records.oauth.grants.refresh('refresh first', 'app', tokens(String(i)))),
      )
      expect(pairs.filter((grant) => grant !== null)).toHaveLength(1)
      expect(await Promise.all(pairs.map((_, i) => isAlive(String(i))))).toEqual(pairs.map((grant) => grant !== null))
    })

    test("another client's, an expired, a revoked and an unknown one refresh nothing, and stay unused", async () => {
      const { id } = await newGrant('1')
      expect(await records.oauth.grants.refresh('refresh 1', 'another', tokens('2'))).toBeNull()
      expect(await records.oauth.grants.refresh('refresh 0', 'app', tokens('2'))).toBeNull()
      expect(await records.oauth.grants.refresh('access 1', 'app', tokens('2'))).toBeNull()
      expect(await records.oauth.grants.findToken('refresh 1')).toMatchObject({ isUsed: false })
      await newGrant('long')
      clock.advance(30 * DAY)
      expect(await records.oauth.grants.refresh('refresh long', 'app', tokens('2'))).toBeNull()
      await newGrant('again')
      const again = (await records.oauth.grants.findToken('refresh again'))!.grant.id
      expect(again).not.toBe(id)
      await records.oauth.grants.revoke(again)
      expect(await records.oauth.grants.refresh('refresh again', 'app', tokens('2'))).toBeNull()
    })

    test('a revoked family is dead with every token of it, once', async () => {
      const { id } = await newGrant('1')
      await newGrant('other')
      await records.oauth.grants.refresh('refresh 1', 'app', tokens('2'))
      expect(await records.oauth.grants.revoke(id)).toBe(true)
      expect(await records.oauth.grants.revoke(id)).toBe(false)
      expect(await isAlive('2')).toBe(false)
      expect(await records.oauth.grants.refresh('refresh 2', 'app', tokens('3'))).toBeNull()
      expect((await records.oauth.grants.findToken('refresh 2'))?.grant.revokedAt).toEqual(clock.now())
      expect(await isAlive('other')).toBe(true)
    })

    test('all of a user for one client end, with codes that could still become tokens', async () => {
      await newGrant('1')
      await newGrant('2')
      await newGrant('other client', { clientId: 'b' })
      await newGrant('other user', { userId: ann })
      await newCode('waiting')
      await newDevice()
      await records.oauth.devices.decide('user d', { userId: ben, approve: true })
      expect(await records.oauth.grants.revokeAll(ben, 'app')).toBe(2)
      expect(await records.oauth.grants.revokeAll(ben, 'app')).toBe(0)
      expect(await Promise.all(['1', '2', 'other client', 'other user'].map(isAlive))).toEqual([false, false, true, true])
      expect(await records.oauth.codes.redeem('waiting', tokens('3'))).toBeNull()
      expect(await records.oauth.devices.redeem('device d', tokens('4'))).toBeNull()
      // What was used already stays, so that a replay is known for what it is.
      expect(await records.oauth.codes.find('code 1')).not.toBeNull()
    })

    test('of a disabled user are dead, also when the user is enabled again', async () => {
      await newGrant('1')
      await records.users.setDisabled(ben, true)
      expect(await isAlive('1')).toBe(false)
      expect(await records.oauth.grants.refresh('refresh 1', 'app', tokens('2'))).toBeNull()
      await records.users.setDisabled(ben, false)
      expect(await isAlive('1')).toBe(false)
      expect(await records.oauth.grants.refresh('refresh 1', 'app', tokens('2'))).toBeNull()
    })

    test('grants are listed newest first while they can give access', async () => {
      const first = await newGrant('1')
      clock.advance(1)
      const second = await newGrant('2', { clientId: 'b' })
      clock.advance(1)
      const revoked = await newGrant('3')
      await records.oauth.grants.revoke(revoked.id)
      await newGrant('other', { userId: ann })
      expect(await records.oauth.grants.list(ben)).toEqual([second, first])
      clock.advance(30 * DAY - 3)
      expect(await records.oauth.grants.list(ben)).toEqual([second, first])
      clock.advance(1)
      expect(await records.oauth.grants.list(ben)).toEqual([second])
      clock.advance(1)
      expect(await records.oauth.grants.list(ben)).toEqual([])
    })

    test('last use is written at most once a minute', async () => {
      const { id } = await newGrant('1')
      const lastUsed = async () => (await records.oauth.grants.list(ben))[0]?.lastUsedAt
      await records.oauth.grants.touch(id)
      const first = clock.now()
      clock.advance(MINUTE - 1)
      await records.oauth.grants.touch(id)
      expect(await lastUsed()).toEqual(first)
      clock.advance(1)
      await records.oauth.grants.touch(id)
      expect(await lastUsed()).toEqual(clock.now())
    })
  })

  describe('device codes', () => {
    test('are pending until somebody decides, once', async () => {
      await newDevice()
      const device = {
        clientId: 'app',
        scopes: ['read:documents'],
        resource: null,
        status: 'pending',
        userId: null,
        expiresAt: inFuture(10 * MINUTE),
        intervalSeconds: 5,
        lastPolledAt: null,
      }
      expect(await records.oauth.devices.findByUserCode('user d')).toEqual(device)
      expect(await records.oauth.devices.redeem('device d', tokens('0'))).toBeNull()
      const decisions = await Promise.all([
        records.oauth.devices.decide('user d', { userId: ben, approve: true }),
        records.oauth.devices.decide('user d', { userId: ann, approve: false }),
      ])
      expect(decisions).toEqual([true, false])
      expect(await records.oauth.devices.find('device d')).toEqual({ ...device, status: 'approved', userId: ben })
      expect(await records.oauth.devices.findByUserCode('user d')).toBeNull()
    })

    test('an approved one is redeemed once, by one of many', async () => {
      await newDevice()
      await records.oauth.devices.decide('user d', { userId: ben, approve: true })
      const grants = await Promise.all(
        Array.from({ length: 20 }, (_, i) => records.oauth.devices.redeem('device d', tokens(String(i)))),
      )
      expect(grants.filter((grant) => grant !== null)).toEqual([expect.objectContaining({ userId: ben, clientId: 'app' })])
      expect(await records.oauth.devices.find('device d')).toMatchObject({ status: 'redeemed' })
    })

    test('a denied, an expired one, and that of a disabled user give nothing', async () => {
      for (const name of ['denied', 'late', 'disabled']) await newDevice(name)
      await records.oauth.devices.decide('user denied', { userId: ben, approve: false })
      await records.oauth.devices.decide('user disabled', { userId: ben, approve: true })
      expect(await records.oauth.devices.redeem('device denied', tokens('1'))).toBeNull()
      expect(await records.oauth.devices.find('device denied')).toMatchObject({ status: 'denied' })
      await records.users.setDisabled(ben, true)
      expect(await records.oauth.devices.redeem('device disabled', tokens('2'))).toBeNull()
      clock.advance(10 * MINUTE)
      expect(await records.oauth.devices.findByUserCode('user late')).toBeNull()
      expect(await records.oauth.devices.decide('user late', { userId: ann, approve: true })).toBe(false)
    })

    test('a poll before its time slows down, one in time does not', async () => {
      await newDevice()
      const poll = () => records.oauth.devices.poll('device d')
      expect(await poll()).toBe(false)
      clock.advance(4_999)
      expect(await poll()).toBe(true)
      expect(await records.oauth.devices.find('device d')).toMatchObject({ intervalSeconds: 10, lastPolledAt: clock.now() })
      clock.advance(9_999)
      expect(await poll()).toBe(true)
      clock.advance(15_000)
      expect(await poll()).toBe(false)
      expect(await records.oauth.devices.find('device d')).toMatchObject({ intervalSeconds: 15, lastPolledAt: clock.now() })
    })
  })

  describe('sweep', () => {
    test('takes what has been over for a day, and keeps what may still be used or replayed', async () => {
      await newGrant('1')
      await newCode('unused')
      await newDevice()
      clock.advance(10 * MINUTE + DAY - 1)
      expect(await records.oauth.sweep()).toBe(0)
      clock.advance(1)
      expect(await records.oauth.sweep()).toBe(3)
      expect(await records.oauth.codes.find('unused')).toBeNull()
      expect(await records.oauth.devices.find('device d')).toBeNull()
      await records.oauth.grants.refresh('refresh 1', 'app', tokens('2'))
      clock.advance(2 * DAY)
      await records.oauth.sweep()
      // Used long ago: kept as long as it would have been good, so that a second use kills the family.
      expect(await records.oauth.grants.findToken('refresh 1')).toMatchObject({ isUsed: true })
      expect(await records.oauth.grants.list(ben)).toHaveLength(1)
      clock.advance(31 * DAY)
      expect(await records.oauth.sweep()).toBeGreaterThan(0)
      expect(await records.oauth.grants.findToken('refresh 2')).toBeNull()
      expect(await records.oauth.sweep()).toBe(0)
    })
  })
}
