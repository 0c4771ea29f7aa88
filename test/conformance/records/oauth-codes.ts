import { describe, expect } from 'vitest'
import { MINUTE } from './account-fixtures.ts'
import type { OAuthTest } from './account-fixtures.ts'

export function oauthCodesConformance(test: OAuthTest): void {
  describe('authorization codes', () => {
    test('are found as they were created, with their grant once they are used', async ({
      records,
      clock,
      ben,
      inFuture,
      newCode,
      tokens,
    }) => {
      await newCode('c')
      const code = {
        clientId: 'app',
        userId: ben,
        redirectUri: 'https://app.example/back',
        scopes: ['read:documents', 'write:documents'],
        projectIds: null,
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
        projectIds: null,
        resource: 'https://docs.example/',
        createdAt: clock.now(),
        lastUsedAt: null,
        revokedAt: null,
      })
      expect(await records.oauth.codes.find('c')).toEqual({ ...code, grantId: grant!.id })
      expect(await records.oauth.codes.find('d')).toBeNull()
    })

    test('are redeemed by one of many at the same time, and only its tokens exist', async ({
      records,
      ben,
      newCode,
      tokens,
      isAlive,
    }) => {
      await newCode('c')
      const grants = await Promise.all(Array.from({ length: 50 }, (_, i) => records.oauth.codes.redeem('c', tokens(String(i)))))
      expect(grants.filter((grant) => grant !== null)).toHaveLength(1)
      const alive = await Promise.all(grants.map((_, i) => isAlive(String(i))))
      expect(alive).toEqual(grants.map((grant) => grant !== null))
      expect(await records.oauth.grants.list(ben)).toHaveLength(1)
    })

    test('are refused when expired, and when their user is or was disabled', async ({ records, clock, ben, newCode, tokens }) => {
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
}
