import { describe, expect } from 'vitest'
import { DAY, MINUTE } from './account-fixtures.ts'
import type { OAuthTest } from './account-fixtures.ts'

export function oauthApplicationsConformance(test: OAuthTest): void {
  describe('applications', () => {
    test('are found by any user, and listed and changed only by their owner', async ({
      records,
      clock,
      ann,
      ben,
      newApplication,
    }) => {
      const { id } = await newApplication()
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
      expect(await records.oauth.applications.get(id)).toEqual(record)
      expect(await records.oauth.applications.list(ann)).toEqual([record])
      expect(await records.oauth.applications.list(ben)).toEqual([])
      expect(await records.oauth.applications.update(ben, id, { name: 'Mine' })).toBeNull()
      clock.advance(1)
      const changed = { ...record, name: 'Other', redirectUris: ['https://b.example/'], updatedAt: clock.now() }
      expect(await records.oauth.applications.update(ann, id, { name: 'Other', redirectUris: ['https://b.example/'] })).toEqual(
        changed,
      )
      expect(await records.oauth.applications.get(id)).toEqual(changed)
      const newer = await newApplication()
      expect((await records.oauth.applications.list(ann)).map((application) => application.id)).toEqual([newer.id, id])
    })

    test('accept an earlier secret until its expiry, which a second rotation does not extend', async ({
      records,
      clock,
      ann,
      ben,
      inFuture,
      newApplication,
    }) => {
      const { id } = await newApplication()
      const has = (sha256: string) => records.oauth.applications.hasSecret(id, sha256)
      expect([await has('secret'), await has('wrong')]).toEqual([true, false])
      expect(await records.oauth.applications.rotate(ben, id, { sha256: 'x', lastFour: 'xxxx' }, inFuture(DAY))).toBeNull()
      const rotated = await records.oauth.applications.rotate(
        ann,
        id,
        { sha256: 'second', lastFour: '2222' },
        inFuture(10 * MINUTE),
      )
      expect(rotated?.secrets).toEqual([
        { lastFour: '2222', createdAt: clock.now(), expiresAt: null },
        { lastFour: 'abcd', createdAt: clock.now(), expiresAt: inFuture(10 * MINUTE) },
      ])
      const again = await records.oauth.applications.rotate(ann, id, { sha256: 'third', lastFour: '3333' }, inFuture(DAY))
      expect(again?.secrets.map((secret) => secret.expiresAt)).toEqual([null, inFuture(DAY), inFuture(10 * MINUTE)])
      clock.advance(10 * MINUTE - 1)
      expect(await has('secret')).toBe(true)
      clock.advance(1)
      expect([await has('secret'), await has('second'), await has('third')]).toEqual([false, true, true])
      expect((await records.oauth.applications.get(id))?.secrets).toHaveLength(2)
    })

    test('drop the earlier secret at once without a grace period, and have none to rotate when public', async ({
      records,
      clock,
      ann,
      newApplication,
    }) => {
      const { id } = await newApplication()
      const rotated = await records.oauth.applications.rotate(ann, id, { sha256: 'second', lastFour: '2222' }, clock.now())
      expect(rotated?.secrets).toHaveLength(1)
      expect(await records.oauth.applications.hasSecret(id, 'secret')).toBe(false)
      const open = await newApplication(ann, null)
      expect(open).toMatchObject({ type: 'public', secrets: [] })
      expect(await records.oauth.applications.rotate(ann, open.id, { sha256: 's', lastFour: 'ssss' }, clock.now())).toBeNull()
    })

    test('are deleted with the codes, device codes and tokens of all users', async ({
      records,
      ann,
      ben,
      newApplication,
      newCode,
      newGrant,
      isAlive,
    }) => {
      const { id: clientId } = await newApplication()
      await newGrant('1', { clientId })
      await newCode('unused', { clientId })
      await newGrant('other')
      expect(await records.oauth.applications.delete(ben, clientId)).toBe(false)
      expect(await records.oauth.applications.delete(ann, clientId)).toBe(true)
      expect(await records.oauth.applications.delete(ann, clientId)).toBe(false)
      expect(await records.oauth.applications.get(clientId)).toBeNull()
      expect(await isAlive('1')).toBe(false)
      expect(await records.oauth.grants.findToken('refresh 1')).toBeNull()
      expect(await records.oauth.codes.find('unused')).toBeNull()
      expect(await isAlive('other')).toBe(true)
    })

    test('are deleted with their owner, with what other users allowed them', async ({
      records,
      ann,
      ben,
      newApplication,
      newGrant,
      isAlive,
    }) => {
      const { id: clientId } = await newApplication(ben)
      await newGrant('of ann', { clientId, userId: ann })
      await newGrant('of ben')
      await records.users.delete(ben)
      expect(await records.oauth.applications.get(clientId)).toBeNull()
      expect(await isAlive('of ann')).toBe(false)
      expect(await records.oauth.grants.findToken('access of ben')).toBeNull()
    })
  })
}
