import { describe, expect } from 'vitest'
import { errorCode } from '../../support/codes.ts'
import type { AccountsTest } from './account-fixtures.ts'

export function keysConformance(test: AccountsTest): void {
  describe('keys', () => {
    test('finds a key by its hash until it expires or is deleted', async ({ records, clock, ann, ben, key }) => {
      const made = await key(ann, 'h1', new Date(clock.now().getTime() + 1000))
      expect(await records.keys.findByHash('h1')).toEqual(made)
      expect(await records.keys.findByHash('h2')).toBeNull()
      clock.advance(1000)
      expect(await records.keys.findByHash('h1')).toBeNull()
      const other = await key(ann, 'h2')
      expect(await records.keys.delete(ben, other.id)).toBe(false)
      expect(await records.keys.delete(ann, other.id)).toBe(true)
      expect(await records.keys.findByHash('h2')).toBeNull()
    })

    test('keeps the limit to projects', async ({ records, ann }) => {
      const key = { ownerId: ann, name: 'k', lastFour: 'abcd', scopes: [], expiresAt: null, maxKeys: 10 }
      for (const [sha256, projectIds] of Object.entries({ some: ['prj_1', 'prj_2'], none: [], all: null })) {
        expect((await records.keys.create({ ...key, sha256, projectIds })).projectIds).toEqual(projectIds)
        expect((await records.keys.findByHash(sha256))?.projectIds).toEqual(projectIds)
      }
    })

    test('writes the last use at most once a minute', async ({ records, clock, ann, key }) => {
      const { id } = await key(ann, 'h1')
      await records.keys.touch(id)
      const first = clock.now()
      clock.advance(59_000)
      await records.keys.touch(id)
      expect((await records.keys.findByHash('h1'))?.lastUsedAt).toEqual(first)
      clock.advance(1_000)
      await records.keys.touch(id)
      expect((await records.keys.findByHash('h1'))?.lastUsedAt).toEqual(clock.now())
    })

    test('limits the keys of a user, also when many are created at once, and deletes expired keys to make room', async ({
      records,
      clock,
      ann,
      ben,
      key,
      inFuture,
    }) => {
      const soon = await key(ann, 'soon', inFuture(1000))
      const sooner = await key(ann, 'sooner', inFuture(500))
      const made = await Promise.allSettled(Array.from({ length: 10 }, (_, i) => key(ann, `h${i}`)))
      expect(made.filter(({ status }) => status === 'fulfilled').length).toBe(8)
      const idsOf = async (owner: string) => (await records.keys.list(owner, { limit: 1000 })).items.map(({ id }) => id)
      expect(await idsOf(ann)).toHaveLength(10)
      const refusal = { code: errorCode('too_many_keys'), details: { limit: 10 } }
      await expect(key(ann, 'late')).rejects.toMatchObject(refusal)
      expect(await records.keys.findByHash('late')).toBeNull()
      await key(ben, 'b')

      clock.advance(1000)
      await key(ann, 'late')
      expect(await idsOf(ann)).toContain(soon.id)
      expect(await idsOf(ann)).not.toContain(sooner.id)
      await key(ann, 'later')
      expect(await idsOf(ann)).toHaveLength(10)
      await expect(key(ann, 'last')).rejects.toMatchObject(refusal)
    })

    test('lists the keys of one owner, a result page at a time', async ({ records, ann, ben, key }) => {
      for (let i = 0; i < 5; i++) await key(ann, `h${i}`)
      const first = await records.keys.list(ann, { limit: 3 })
      const second = await records.keys.list(ann, { limit: 3, cursor: first.nextCursor! })
      expect([first.items.length, second.items.length, second.nextCursor]).toEqual([3, 2, null])
      expect(new Set([...first.items, ...second.items].map((item) => item.id)).size).toBe(5)
      expect((await records.keys.list(ben, { limit: 3 })).items).toEqual([])
    })
  })
}
