import { describe, expect } from 'vitest'
import { errorCode } from '../../support/codes.ts'
import type { AccountsTest } from './account-fixtures.ts'

export function savedSearchesConformance(base: AccountsTest): void {
  const test = base.extend('save', ({ records }) => (userId: string, parameters: string, name = 'Leases') => {
    return records.savedSearches.create({ userId, name, parameters, maxSearches: 3 })
  })

  describe('saved searches', () => {
    test('lists the searches of a user, newest first, and renames and deletes them', async ({ records, clock, ann, save }) => {
      const first = await save(ann, 'q=lease')
      clock.advance(1000)
      const second = await save(ann, 'q=rent')
      expect(first).toMatchObject({ name: 'Leases', parameters: 'q=lease' })
      expect(await records.savedSearches.list(ann)).toEqual([second, first])
      const renamed = { ...first, name: 'Rents' }
      expect(await records.savedSearches.rename(ann, first.id, 'Rents')).toEqual(renamed)
      expect(await records.savedSearches.get(ann, first.id)).toEqual(renamed)
      expect(await records.savedSearches.delete(ann, second.id)).toBe(true)
      expect(await records.savedSearches.delete(ann, second.id)).toBe(false)
      expect(await records.savedSearches.list(ann)).toEqual([renamed])
    })

    test('keeps the searches of a user from others', async ({ records, ann, ben, save }) => {
      const { id } = await save(ann, 'q=lease')
      expect(await records.savedSearches.list(ben)).toEqual([])
      expect(await records.savedSearches.get(ben, id)).toBeNull()
      expect(await records.savedSearches.rename(ben, id, 'Taken')).toBeNull()
      expect(await records.savedSearches.delete(ben, id)).toBe(false)
      expect(await records.savedSearches.get(ann, id)).toMatchObject({ name: 'Leases' })
      await save(ben, 'q=lease')
    })

    test('saves a search once, and a limited number, also when many are saved at once', async ({ records, ann, save }) => {
      const failures = async (searches: string[]) => {
        const made = await Promise.allSettled(searches.map((parameters) => save(ann, parameters)))
        return made.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { code: string }).code] : []))
      }
      expect(await failures(['q=a', 'q=a'])).toEqual([errorCode('saved_search_exists')])
      expect(await failures(['q=b', 'q=c', 'q=d'])).toEqual([errorCode('too_many_saved_searches')])
      expect(await records.savedSearches.list(ann)).toHaveLength(3)
    })

    test('records each change, without the question', async ({ records, ann, save }) => {
      const { id } = await save(ann, 'q=secret')
      await records.savedSearches.rename(ann, id, 'secret name')
      await records.savedSearches.delete(ann, id)
      const sight = { userId: ann, projects: new Set<string>(), limit: null, accounts: 'own' as const }
      const { events } = await records.audit.list(sight, {})
      const own = events.filter(({ action }) => action.startsWith('saved_search.'))
      expect(own.map(({ action }) => action)).toEqual(['saved_search.delete', 'saved_search.update', 'saved_search.create'])
      for (const { user, details } of own) expect([user?.id, details]).toEqual([ann, { saved_search: id }])
    })
  })
}
