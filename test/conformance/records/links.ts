import { describe, expect } from 'vitest'
import { errorCode } from '../../support/codes.ts'
import { MINUTE } from './account-fixtures.ts'
import type { AccountsTest } from './account-fixtures.ts'

export function linksConformance(test: AccountsTest): void {
  describe('one-time links', () => {
    test('are found again after they were found', async ({ records, ben, link, inFuture }) => {
      await link(ben, 'l')
      const found = { userId: ben, purpose: 'invitation', expiresAt: inFuture(10 * MINUTE) }
      expect(await records.links.find('l')).toEqual(found)
      expect(await records.links.find('l')).toEqual(found)
    })

    test('are claimed by one of many at the same time, which sets the password', async ({ records, ben, link }) => {
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

    test('set name and address when claimed, and end the sessions and other links of the user', async ({
      records,
      ann,
      ben,
      session,
      link,
    }) => {
      await Promise.all([link(ben, 'l'), link(ben, 'other'), link(ann, 'l-ann'), session(ben, 's'), session(ann, 's-ann')])
      const user = await records.links.claim('l', { passwordHash: 'h', name: 'B', email: 'b@example.org' })
      expect(user).toMatchObject({ id: ben, name: 'B', email: 'b@example.org' })
      expect(await records.users.findByEmail('B@example.org')).toEqual(user)
      expect(await records.links.find('other')).toBeNull()
      expect(await records.sessions.findByHash('s')).toBeNull()
      expect(await records.links.find('l-ann')).not.toBeNull()
      expect(await records.sessions.findByHash('s-ann')).not.toBeNull()
    })

    test('can be claimed again after a claim with a taken address', async ({ records, ben, session, link }) => {
      await link(ben, 'l')
      await session(ben, 's')
      await expect(records.links.claim('l', { passwordHash: 'h', email: 'ANN@example.org' })).rejects.toMatchObject({
        code: errorCode('user_exists'),
      })
      expect(await records.users.passwordHash(ben)).toBeNull()
      expect(await records.sessions.findByHash('s')).not.toBeNull()
      expect(await records.links.claim('l', { passwordHash: 'h' })).toMatchObject({ id: ben })
    })

    test('are not found when expired, revoked or unknown, and are swept when expired', async ({
      records,
      clock,
      ann,
      ben,
      link,
    }) => {
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
}
