import { describe, expect } from 'vitest'
import { MINUTE } from './account-fixtures.ts'
import type { OAuthTest } from './account-fixtures.ts'

export function oauthDevicesConformance(test: OAuthTest): void {
  describe('device codes', () => {
    test('are pending until a user decides, once', async ({ records, ann, ben, inFuture, tokens, newDevice }) => {
      await newDevice()
      const device = {
        clientId: 'app',
        scopes: ['read:documents'],
        projectIds: null,
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
        records.oauth.devices.decide('user d', { userId: ben, approve: true, projectIds: null }),
        records.oauth.devices.decide('user d', { userId: ann, approve: false, projectIds: null }),
      ])
      expect(decisions.filter((hasDecided) => hasDecided)).toHaveLength(1)
      const decision = decisions[0] ? { status: 'approved', userId: ben } : { status: 'denied', userId: ann }
      expect(await records.oauth.devices.find('device d')).toEqual({ ...device, ...decision })
      expect(await records.oauth.devices.findByUserCode('user d')).toBeNull()
    })

    test('are redeemed by one of many at the same time when approved', async ({ records, ben, tokens, newDevice }) => {
      await newDevice()
      await records.oauth.devices.decide('user d', { userId: ben, approve: true, projectIds: null })
      const grants = await Promise.all(
        Array.from({ length: 20 }, (_, i) => records.oauth.devices.redeem('device d', tokens(String(i)))),
      )
      expect(grants.filter((grant) => grant !== null)).toEqual([expect.objectContaining({ userId: ben, clientId: 'app' })])
      expect(await records.oauth.devices.find('device d')).toMatchObject({ status: 'redeemed' })
    })

    test('are refused when denied or expired, and when their user is disabled', async ({
      records,
      clock,
      ann,
      ben,
      tokens,
      newDevice,
    }) => {
      for (const name of ['denied', 'late', 'disabled']) await newDevice(name)
      await records.oauth.devices.decide('user denied', { userId: ben, approve: false, projectIds: null })
      await records.oauth.devices.decide('user disabled', { userId: ben, approve: true, projectIds: null })
      expect(await records.oauth.devices.redeem('device denied', tokens('1'))).toBeNull()
      expect(await records.oauth.devices.find('device denied')).toMatchObject({ status: 'denied' })
      await records.users.setDisabled(ben, true)
      expect(await records.oauth.devices.redeem('device disabled', tokens('2'))).toBeNull()
      clock.advance(10 * MINUTE)
      expect(await records.oauth.devices.findByUserCode('user late')).toBeNull()
      expect(await records.oauth.devices.decide('user late', { userId: ann, approve: true, projectIds: null })).toBe(false)
    })

    test('get a longer interval from a poll that comes too soon', async ({ records, clock, newDevice }) => {
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
}
