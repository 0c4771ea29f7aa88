import { beforeEach, describe, expect, test } from 'vitest'
import type { Records } from '../../src/records/records.ts'
import { testClock, type TestClock } from '../support/test-clock.ts'
import type { RecordsUnderTest } from './records.ts'
import { errorCode } from '../support/codes.ts'

const MINUTE = 60_000

/** People, their links and their sessions, as every implementation of Records has to keep them. */
export function accountsConformance({ open }: RecordsUnderTest): void {
  let clock: TestClock
  let records: Records
  let ann: string
  let ben: string

  beforeEach(async () => {
    clock = testClock()
    records = await open(clock)
    ann = (await records.users.create({ name: 'Ann', email: 'Ann@Example.org', role: 'owner' })).id
    clock.advance(1)
    ben = (await records.users.create({ name: 'Ben', email: 'ben@example.org', role: 'member' })).id
  })

  const inFuture = (ms: number) => new Date(clock.now().getTime() + ms)
  const session = (userId: string, sha256: string, life = 10 * MINUTE) =>
    records.sessions.create({ userId, sha256, userAgent: 'Browser', address: '::1', expiresAt: inFuture(life) })
  const link = (userId: string, sha256: string, life = 10 * MINUTE) =>
    records.links.create({ userId, purpose: 'invitation', sha256, expiresAt: inFuture(life) })
  const key = (ownerId: string, sha256: string) =>
    records.keys.create({ ownerId, name: 'k', sha256, lastFour: 'abcd', scopes: ['read:documents'], expiresAt: null })
  const document = async (ownerId: string) => {
    const project = await records.projects.create({ ownerId, name: 'p', description: '' })
    const { id: projectId } = project
    const facts = { name: 'a', path: 'a', mediaType: 'text/plain', sizeBytes: 1, sha256: 'f'.repeat(64), tags: [] }
    return (await records.documents.register({ ownerId, projectId, ...facts }, 'replace')).document
  }

  describe('users', () => {
    test('the owner is found; a new user has no password and is not disabled', async () => {
      expect(await records.users.owner()).toMatchObject({ id: ann, hasPassword: false, disabledAt: null })
      expect(await records.users.get(ben)).toMatchObject({ name: 'Ben', email: 'ben@example.org', role: 'member' })
      expect(await records.users.get('usr_none')).toBeNull()
    })

    test('addresses are the same without regard to case, and shown as they were given', async () => {
      expect(await records.users.findByEmail('ann@EXAMPLE.org')).toMatchObject({ id: ann, email: 'Ann@Example.org' })
      expect(await records.users.findByEmail('ann@example.com')).toBeNull()
      await expect(records.users.create({ name: 'x', email: 'BEN@example.org', role: 'member' })).rejects.toMatchObject({
        code: errorCode('user_exists'),
      })
      await expect(records.users.update(ben, { email: 'aNN@example.org' })).rejects.toMatchObject({
        code: errorCode('user_exists'),
      })
      const accented = await records.users.create({ name: 'É', email: 'ÉMILE@example.org', role: 'member' })
      expect((await records.users.findByEmail('émile@example.org'))?.id).toBe(accented.id)
    })

    test('there is one owner, whoever else would be', async () => {
      const second = { name: 'x', email: 'x@example.org', role: 'owner' } as const
      await expect(records.users.create(second)).rejects.toMatchObject({ code: errorCode('owner_exists') })
      // Nothing of it was made.
      expect(await records.users.findByEmail(second.email)).toBeNull()
      expect(await records.users.owner()).toMatchObject({ id: ann })
    })

    test('several may have no address', async () => {
      await records.users.create({ name: 'x', email: null, role: 'member' })
      await records.users.create({ name: 'y', email: null, role: 'member' })
    })

    test('name and address change each on its own; nobody is null', async () => {
      expect(await records.users.update(ben, { name: 'Benjamin' })).toMatchObject({ name: 'Benjamin', email: 'ben@example.org' })
      expect(await records.users.update(ben, { email: 'BEN@example.org' })).toMatchObject({ email: 'BEN@example.org' })
      expect(await records.users.update(ben, {})).toMatchObject({ name: 'Benjamin', email: 'BEN@example.org' })
      expect(await records.users.update('usr_none', { name: 'x' })).toBeNull()
    })

    test('are listed in pages in the order they came', async () => {
      const first = await records.users.list({ limit: 1 })
      expect(first.items.map((user) => user.id)).toEqual([ann])
      const second = await records.users.list({ limit: 1, cursor: first.nextCursor! })
      expect(second).toMatchObject({ items: [{ id: ben }], nextCursor: null })
    })

    test('a password hash is kept; one that replaces another only where that is still there', async () => {
      expect(await records.users.passwordHash(ann)).toBeNull()
      await records.users.setPasswordHash(ann, 'one')
      expect(await records.users.passwordHash(ann)).toBe('one')
      expect(await records.users.get(ann)).toMatchObject({ hasPassword: true })
      await records.users.setPasswordHash(ann, 'two', 'zero')
      expect(await records.users.passwordHash(ann)).toBe('one')
      await records.users.setPasswordHash(ann, 'two', 'one')
      expect(await records.users.passwordHash(ann)).toBe('two')
      expect(await records.users.passwordHash(ben)).toBeNull()
    })
  })

  describe('a disabled user', () => {
    test('has keys that are not found, and neither sessions nor links', async () => {
      await Promise.all([key(ben, 'k-ben'), key(ann, 'k-ann'), session(ben, 's-ben'), session(ann, 's-ann'), link(ben, 'l-ben')])
      const disabled = await records.users.setDisabled(ben, true)
      expect(disabled?.disabledAt).toEqual(clock.now())
      expect(await records.keys.findByHash('k-ben')).toBeNull()
      expect(await records.sessions.findByHash('s-ben')).toBeNull()
      expect(await records.links.find('l-ben')).toBeNull()
      expect(await records.links.claim('l-ben', { passwordHash: 'h' })).toBeNull()
      expect(await records.keys.findByHash('k-ann')).not.toBeNull()
      expect(await records.sessions.findByHash('s-ann')).not.toBeNull()
    })

    test('a session or link made afterwards is worth nothing', async () => {
      await records.users.setDisabled(ben, true)
      await session(ben, 's')
      await link(ben, 'l')
      expect(await records.sessions.findByHash('s')).toBeNull()
      expect(await records.links.find('l')).toBeNull()
      expect(await records.links.claim('l', { passwordHash: 'h' })).toBeNull()
    })

    test('enabled again has the keys, not the sessions', async () => {
      await key(ben, 'k')
      await session(ben, 's')
      const first = await records.users.setDisabled(ben, true)
      clock.advance(MINUTE)
      expect((await records.users.setDisabled(ben, true))?.disabledAt).toEqual(first?.disabledAt)
      expect(await records.users.setDisabled(ben, false)).toMatchObject({ disabledAt: null })
      expect(await records.keys.findByHash('k')).not.toBeNull()
      expect(await records.sessions.findByHash('s')).toBeNull()
    })

    test('is never the owner', async () => {
      await session(ann, 's')
      await expect(records.users.setDisabled(ann, true)).rejects.toMatchObject({ code: errorCode('owner_stays') })
      expect(await records.users.get(ann)).toMatchObject({ disabledAt: null })
      expect(await records.sessions.findByHash('s')).not.toBeNull()
      expect(await records.users.setDisabled('usr_none', true)).toBeNull()
    })
  })

  describe('a deleted user', () => {
    test('leaves tombstones of documents and nothing else', async () => {
      const { id, projectId } = await document(ben)
      await Promise.all([key(ben, 'k'), session(ben, 's'), link(ben, 'l')])
      expect(await records.users.delete(ben)).toEqual({ documentIds: [id] })
      expect(await records.queue.tombstones()).toEqual([id])
      expect(await records.users.get(ben)).toBeNull()
      expect(await records.documents.get(ben, id)).toBeNull()
      expect(await records.projects.find(ben, projectId)).toBeNull()
      expect(await records.documents.isBlobReferenced('f'.repeat(64))).toBe(false)
      expect(await records.events.since(ben, 0, 10)).toEqual([])
      expect(await records.keys.findByHash('k')).toBeNull()
      expect(await records.sessions.findByHash('s')).toBeNull()
      expect(await records.links.find('l')).toBeNull()
      expect(await records.users.delete(ben)).toBeNull()
    })

    test('is never the owner, whose things stay', async () => {
      const { id } = await document(ann)
      await expect(records.users.delete(ann)).rejects.toMatchObject({ code: errorCode('owner_stays') })
      expect(await records.documents.get(ann, id)).not.toBeNull()
      expect(await records.queue.tombstones()).toEqual([])
    })

    test('frees the address', async () => {
      await records.users.delete(ben)
      await records.users.create({ name: 'Ben', email: 'ben@example.org', role: 'member' })
    })
  })

  describe('one-time links', () => {
    test('say what they are good for without being used up', async () => {
      await link(ben, 'l')
      const found = { userId: ben, purpose: 'invitation', expiresAt: inFuture(10 * MINUTE) }
      expect(await records.links.find('l')).toEqual(found)
      expect(await records.links.find('l')).toEqual(found)
    })

    test('one of many at a time gets it, and that one sets the password', async () => {
      await link(ben, 'l')
      const claims = await Promise.all(
        Array.from({ length: 20 }, (_, i) => records.links.claim('l', { passwordHash: `hash ${i}` })),
      )
      const winner = claims.findIndex((claim) => claim !== null)
      expect(claims.filter((claim) => claim !== null)).toHaveLength(1)
      expect(claims[winner]).toMatchObject({ id: ben, hasPassword: true, name: 'Ben' })
      expect(await records.users.passwordHash(ben)).toBe(`hash ${winner}`)
      expect(await records.links.find('l')).toBeNull()
    })

    test('a claim sets name and address, and ends sessions and other links of that user', async () => {
      await Promise.all([link(ben, 'l'), link(ben, 'other'), link(ann, 'l-ann'), session(ben, 's'), session(ann, 's-ann')])
      const user = await records.links.claim('l', { passwordHash: 'h', name: 'B', email: 'b@example.org' })
      expect(user).toMatchObject({ id: ben, name: 'B', email: 'b@example.org' })
      expect(await records.users.findByEmail('B@example.org')).toEqual(user)
      expect(await records.links.find('other')).toBeNull()
      expect(await records.sessions.findByHash('s')).toBeNull()
      expect(await records.links.find('l-ann')).not.toBeNull()
      expect(await records.sessions.findByHash('s-ann')).not.toBeNull()
    })

    test('a taken address uses nothing up', async () => {
      await link(ben, 'l')
      await session(ben, 's')
      await expect(records.links.claim('l', { passwordHash: 'h', email: 'ANN@example.org' })).rejects.toMatchObject({
        code: errorCode('user_exists'),
      })
      expect(await records.users.passwordHash(ben)).toBeNull()
      expect(await records.sessions.findByHash('s')).not.toBeNull()
      expect(await records.links.claim('l', { passwordHash: 'h' })).toMatchObject({ id: ben })
    })

    test('expired, revoked and unknown ones are worth nothing, and the expired ones are swept', async () => {
      await link(ben, 'old', MINUTE)
      await link(ben, 'at the edge', MINUTE + 1)
      await link(ann, 'revoked')
      clock.advance(MINUTE)
      await records.links.revokeAll(ann)
      for (const sha256 of ['old', 'revoked', 'never']) {
        expect(await records.links.find(sha256)).toBeNull()
        expect(await records.links.claim(sha256, { passwordHash: 'h' })).toBeNull()
      }
      expect(await records.links.sweep()).toBe(1)
      expect(await records.links.claim('at the edge', { passwordHash: 'h' })).not.toBeNull()
    })
  })

  describe('sessions', () => {
    test('are found with their user until they end', async () => {
      const made = await session(ben, 's', MINUTE)
      expect(await records.sessions.findByHash('s')).toEqual({ session: made, user: await records.users.get(ben) })
      expect(await records.sessions.findByHash('t')).toBeNull()
      clock.advance(MINUTE - 1)
      expect(await records.sessions.findByHash('s')).not.toBeNull()
      clock.advance(1)
      expect(await records.sessions.findByHash('s')).toBeNull()
      expect(await records.sessions.list(ben)).toEqual([])
      expect(await records.sessions.sweep()).toBe(1)
    })

    test('move on while they are used, written at most once a minute, and never come back', async () => {
      const { id } = await session(ben, 's', 2 * MINUTE)
      clock.advance(MINUTE - 1)
      await records.sessions.touch(id, inFuture(2 * MINUTE))
      expect((await records.sessions.list(ben))[0]?.expiresAt).toEqual(inFuture(MINUTE + 1))
      clock.advance(1)
      await records.sessions.touch(id, inFuture(2 * MINUTE))
      expect((await records.sessions.list(ben))[0]).toMatchObject({ lastSeenAt: clock.now(), expiresAt: inFuture(2 * MINUTE) })
      clock.advance(2 * MINUTE)
      await records.sessions.touch(id, inFuture(2 * MINUTE))
      expect(await records.sessions.findByHash('s')).toBeNull()
    })

    test('are listed newest first, ended one by one or all but one, each user for themselves', async () => {
      const made = []
      for (const sha256 of ['1', '2', '3']) {
        clock.advance(1)
        made.unshift(await session(ben, sha256))
      }
      const other = await session(ann, 'a')
      expect(await records.sessions.list(ben)).toEqual(made)
      expect(await records.sessions.delete(ann, made[0]!.id)).toBe(false)
      expect(await records.sessions.delete(ben, made[0]!.id)).toBe(true)
      expect(await records.sessions.delete(ben, made[0]!.id)).toBe(false)
      expect(await records.sessions.deleteOthers(ben, made[1]!.id)).toBe(1)
      expect(await records.sessions.list(ben)).toEqual([made[1]])
      expect(await records.sessions.deleteOthers(ben, null)).toBe(1)
      expect(await records.sessions.list(ann)).toEqual([other])
    })
  })
}
