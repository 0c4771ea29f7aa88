import { newId } from '../../../src/core/ids.ts'
import type { SavedSearchRecord } from '../../../src/core/model.ts'
import { savedSearchExists, tooManySavedSearches } from '../../../src/records/errors.ts'
import type { SavedSearches } from '../../../src/records/saved-searches.ts'
import type { MemoryStore } from './store.ts'

export function memorySavedSearches(store: MemoryStore): SavedSearches {
  const { savedSearches } = store
  const own = (userId: string) => [...savedSearches.values()].filter((search) => search.userId === userId)
  const find = (userId: string, id: string) => own(userId).find((search) => search.id === id)
  const present = ({ id, name, parameters, createdAt }: SavedSearchRecord) => ({ id, name, parameters, createdAt })
  return {
    async create({ userId, name, parameters, maxSearches }) {
      const same = own(userId).find((search) => search.parameters === parameters)
      if (same !== undefined) throw savedSearchExists(same.id)
      if (own(userId).length >= maxSearches) throw tooManySavedSearches(maxSearches)
      const createdAt = store.now()
      const search = { id: newId('sea', createdAt), userId, name, parameters, createdAt }
      savedSearches.set(search.id, search)
      store.record({ action: 'saved_search.create', userId, details: { saved_search: search.id } })
      return present(search)
    },
    async list(userId) {
      const order = (a: SavedSearchRecord, b: SavedSearchRecord) =>
        b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1)
      return own(userId).toSorted(order).map(present)
    },
    async get(userId, id) {
      const search = find(userId, id)
      return search === undefined ? null : present(search)
    },
    async rename(userId, id, name) {
      const search = find(userId, id)
      if (search === undefined) return null
      search.name = name
      store.record({ action: 'saved_search.update', userId, details: { saved_search: id } })
      return present(search)
    },
    async delete(userId, id) {
      if (find(userId, id) === undefined) return false
      savedSearches.delete(id)
      store.record({ action: 'saved_search.delete', userId, details: { saved_search: id } })
      return true
    },
  }
}
