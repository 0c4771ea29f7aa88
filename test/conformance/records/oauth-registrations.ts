import { describe, expect } from 'vitest'
import type { OAuthTest } from './account-fixtures.ts'
import { DAY } from './account-fixtures.ts'

/** Tests of OAuthRecords.registrations, and of what sweep does to them. */
export function oauthRegistrationsConformance(test: OAuthTest): void {
  describe('registrations', () => {
    test('are found by their ID, have no owner, and are in nobody’s list', async ({ records, clock, ann }) => {
      const grantTypes = ['authorization_code']
      const sent = { name: 'Agent', redirectUris: ['http://localhost/cb'], scopes: ['read:documents'] as const, grantTypes }
      const stored = await records.oauth.registrations.create(sent, 10)
      expect(stored).toEqual({
        ...sent,
        id: expect.stringMatching(/^app_[A-Za-z0-9_-]+$/),
        ownerId: null,
        type: 'public',
        createdAt: clock.now(),
        updatedAt: clock.now(),
        secrets: [],
      })
      expect(await records.oauth.registrations.get(stored.id)).toEqual(stored)
      expect(await records.oauth.registrations.get('app_none')).toBeNull()
      expect(await records.oauth.applications.get(stored.id)).toBeNull()
      expect(await records.oauth.applications.list(ann)).toEqual([])
    })

    test('are stored and replaced under an ID from outside', async ({ records, clock }) => {
      const { registrations } = records.oauth
      const id = 'https://agent.example.com/client.json'
      const first = { id, name: 'Agent', redirectUris: ['http://localhost/cb'], scopes: ['read:documents'] as const }
      await registrations.put({ ...first, scopes: [...first.scopes] })
      expect(await registrations.get(id)).toMatchObject({ ...first, ownerId: null, type: 'public', secrets: [] })
      clock.advance(DAY - 1)
      await registrations.put({
        id,
        name: 'Agent 2',
        redirectUris: ['https://agent.example.com/cb'],
        scopes: ['write:documents'],
        grantTypes: ['authorization_code'],
      })
      clock.advance(DAY - 1)
      await records.oauth.sweep()
      expect(await registrations.get(id)).toMatchObject({
        name: 'Agent 2',
        redirectUris: ['https://agent.example.com/cb'],
        scopes: ['write:documents'],
        grantTypes: ['authorization_code'],
      })
      clock.advance(1)
      await records.oauth.sweep()
      expect(await registrations.get(id)).toBeNull()
    })

    test('stay while they are used, and for a day otherwise', async ({ records, clock, ben, newCode, tokens }) => {
      const create = async (name: string) =>
        (await records.oauth.registrations.create({ name, redirectUris: [], scopes: [] }, 10)).id
      const [unused, waiting, granted] = [await create('a'), await create('b'), await create('c')]
      await newCode('granted', { clientId: granted })
      await records.oauth.codes.redeem('granted', tokens('1'))
      clock.advance(DAY - 1)
      await newCode('waiting', { clientId: waiting })
      await records.oauth.sweep()
      expect(await records.oauth.registrations.get(unused)).not.toBeNull()
      clock.advance(1)
      await records.oauth.sweep()
      const found = async (id: string) => (await records.oauth.registrations.get(id)) !== null
      expect([await found(unused), await found(waiting), await found(granted)]).toEqual([false, true, true])
      expect(await records.oauth.grants.list(ben)).toHaveLength(1)
      clock.advance(33 * DAY)
      await records.oauth.sweep()
      await records.oauth.sweep()
      expect([await found(waiting), await found(granted)]).toEqual([false, false])
    })

    test('only the newest unused ones stay', async ({ records, clock, newCode }) => {
      const ids: string[] = []
      for (let i = 0; i < 6; i++) {
        clock.advance(1)
        const { id } = await records.oauth.registrations.create({ name: `${i}`, redirectUris: [], scopes: [] }, 3)
        if (i === 0) await newCode('used', { clientId: id })
        ids.push(id)
      }
      const found = await Promise.all(ids.map(async (id) => (await records.oauth.registrations.get(id)) !== null))
      expect(found).toEqual([true, false, false, true, true, true])
    })
  })
}
