import { describe, expect } from 'vitest'
import { DAY, MINUTE } from './account-fixtures.ts'
import type { OAuthTest } from './account-fixtures.ts'

/** Tests of OAuthRecords.sweep. */
export function oauthSweepConformance(test: OAuthTest): void {
  describe('sweep', () => {
    test('deletes what expired a day ago, and keeps what may still be used or replayed', async ({
      records,
      clock,
      ben,
      newCode,
      tokens,
      newGrant,
      newDevice,
    }) => {
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
      // A used token stays until it would have expired, so that its second use revokes the grant.
      expect(await records.oauth.grants.findToken('refresh 1')).toMatchObject({ isUsed: true })
      expect(await records.oauth.grants.list(ben)).toHaveLength(1)
      clock.advance(31 * DAY)
      expect(await records.oauth.sweep()).toBeGreaterThan(0)
      expect(await records.oauth.grants.findToken('refresh 2')).toBeNull()
      expect(await records.oauth.sweep()).toBe(0)
    })
  })
}
