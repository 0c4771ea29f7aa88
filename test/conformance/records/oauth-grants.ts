import { describe, expect } from 'vitest'
import { DAY, MINUTE } from './account-fixtures.ts'
import type { OAuthTest } from './account-fixtures.ts'

export function oauthGrantsConformance(test: OAuthTest): void {
  describe('tokens', () => {
    test('give access until they expire, and are found after that too', async ({
      records,
      clock,
      inFuture,
      newGrant,
      isAlive,
    }) => {
      const grant = await newGrant('1')
      const token = {
        kind: 'access',
        grant,
        scopes: ['read:documents'],
        createdAt: clock.now(),
        expiresAt: inFuture(60 * MINUTE),
        isUsed: false,
        successor: null,
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

    test('have the limit to projects of the code or the device code', async ({ records, ben, tokens, newGrant, newDevice }) => {
      const limitOf = async (access: string) => (await records.oauth.grants.findAccess(access))?.grant.projectIds
      expect(await newGrant('1', { projectIds: ['prj_1'] })).toMatchObject({ projectIds: ['prj_1'] })
      await records.oauth.grants.refresh('refresh 1', 'app', tokens('2'))
      await newDevice()
      await records.oauth.devices.decide('user d', { userId: ben, approve: true, projectIds: ['prj_2'] })
      await records.oauth.devices.redeem('device d', tokens('3'))
      await newGrant('4')
      expect([await limitOf('access 2'), await limitOf('access 3'), await limitOf('access 4')]).toEqual([
        ['prj_1'],
        ['prj_2'],
        null,
      ])
    })

    test('are replaced by a refresh, which uses the refresh token', async ({ records, clock, tokens, newGrant, isAlive }) => {
      const grant = await newGrant('1')
      clock.advance(1)
      expect(await records.oauth.grants.findToken('refresh 1')).toMatchObject({ kind: 'refresh', grant, isUsed: false })
      const next = { ...tokens('2'), sealed: 'sealed answer' }
      expect(await records.oauth.grants.refresh('refresh 1', 'app', next)).toEqual(grant)
      expect([await isAlive('1'), await isAlive('2')]).toEqual([false, true])
      expect(await records.oauth.grants.findToken('refresh 1')).toMatchObject({
        isUsed: true,
        successor: { sealed: 'sealed answer', at: clock.now() },
      })
      expect(await records.oauth.grants.refresh('refresh 1', 'app', tokens('3'))).toBeNull()
      expect(await records.oauth.grants.findToken('access 3')).toBeNull()
      expect(await records.oauth.grants.refresh('refresh 2', 'app', tokens('4'))).toEqual(grant)
    })

    test('are refreshed by one of many at the same time', async ({ records, tokens, newGrant, isAlive }) => {
      await newGrant('first')
      const pairs = await Promise.all(
        Array.from({ length: 50 }, (_, i) => records.oauth.grants.refresh('refresh first', 'app', tokens(String(i)))),
      )
      expect(pairs.filter((grant) => grant !== null)).toHaveLength(1)
      expect(await Promise.all(pairs.map((_, i) => isAlive(String(i))))).toEqual(pairs.map((grant) => grant !== null))
    })

    test('are refused and stay unused for another application, and when expired, revoked or unknown', async ({
      records,
      clock,
      tokens,
      newGrant,
    }) => {
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

    test('end with their grant, which is revoked once', async ({ records, clock, tokens, newGrant, isAlive }) => {
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
  })

  describe('grants', () => {
    test('of one application end with all its grants of a user, and with codes that could still become tokens', async ({
      records,
      ann,
      ben,
      newCode,
      tokens,
      newGrant,
      newDevice,
      isAlive,
    }) => {
      await newGrant('1')
      await newGrant('2')
      await newGrant('other application', { clientId: 'b' })
      await newGrant('other user', { userId: ann })
      await newCode('waiting')
      await newDevice()
      await records.oauth.devices.decide('user d', { userId: ben, approve: true, projectIds: null })
      expect(await records.oauth.grants.revokeAll(ben, 'app')).toBe(2)
      expect(await records.oauth.grants.revokeAll(ben, 'app')).toBe(0)
      expect(await Promise.all(['1', '2', 'other application', 'other user'].map(isAlive))).toEqual([false, false, true, true])
      expect(await records.oauth.codes.redeem('waiting', tokens('3'))).toBeNull()
      expect(await records.oauth.devices.redeem('device d', tokens('4'))).toBeNull()
      // A used code stays, so that a replay is recognised.
      expect(await records.oauth.codes.find('code 1')).not.toBeNull()
    })

    test('of a disabled user stay ended when the user is enabled again', async ({ records, ben, tokens, newGrant, isAlive }) => {
      await newGrant('1')
      await records.users.setDisabled(ben, true)
      expect(await isAlive('1')).toBe(false)
      expect(await records.oauth.grants.refresh('refresh 1', 'app', tokens('2'))).toBeNull()
      await records.users.setDisabled(ben, false)
      expect(await isAlive('1')).toBe(false)
      expect(await records.oauth.grants.refresh('refresh 1', 'app', tokens('2'))).toBeNull()
    })

    test('have grants that are listed newest first while they can give access', async ({
      records,
      clock,
      ann,
      ben,
      newGrant,
    }) => {
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

    test('writes the last use at most once a minute', async ({ records, clock, ben, newGrant }) => {
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
}
