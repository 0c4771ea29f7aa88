import { DocsearchError } from '../core/errors.ts'
import type { SavedSearchRecord } from '../core/model.ts'
import type { Records } from '../records/records.ts'
import { requireAccount, requireScope, type Actor } from './access.ts'

/** Like the keys of a user. More would make the start view long. */
export const MAX_SAVED_SEARCHES = 100

/**
 * The searches that the actor has saved. They belong to the account, so a credential that is limited to projects can't use them. Reading
 * needs `read:documents`, changing needs `write:documents`. Every function throws `insufficient_scope` and `limited_to_projects`.
 */
export interface SavedSearches {
  /** Newest first. */
  list(actor: Actor): Promise<SavedSearchRecord[]>
  /** Throws `saved_search_not_found`. */
  get(actor: Actor, id: string): Promise<SavedSearchRecord>
  /** `parameters` is the checked query of the search's address. Throws `saved_search_exists` and `too_many_saved_searches`. */
  create(actor: Actor, search: { name: string; parameters: string }): Promise<SavedSearchRecord>
  /** Throws `saved_search_not_found`. */
  rename(actor: Actor, id: string, name: string): Promise<SavedSearchRecord>
  /** Throws `saved_search_not_found`. */
  delete(actor: Actor, id: string): Promise<void>
}

export function createSavedSearches({ records }: { records: Pick<Records, 'savedSearches'> }): SavedSearches {
  const { savedSearches } = records
  function toRead(actor: Actor): string {
    requireScope(actor, 'read:documents')
    requireAccount(actor)
    return actor.userId
  }
  function toChange(actor: Actor): string {
    requireScope(actor, 'write:documents')
    requireAccount(actor)
    return actor.userId
  }
  return {
    list: async (actor) => savedSearches.list(toRead(actor)),
    get: async (actor, id) => (await savedSearches.get(toRead(actor), id)) ?? notFound(),
    create: async (actor, search) =>
      savedSearches.create({ ...search, userId: toChange(actor), maxSearches: MAX_SAVED_SEARCHES }),
    rename: async (actor, id, name) => (await savedSearches.rename(toChange(actor), id, name)) ?? notFound(),
    async delete(actor, id) {
      if (!(await savedSearches.delete(toChange(actor), id))) notFound()
    },
  }
}

function notFound(): never {
  throw new DocsearchError('saved_search_not_found', 'You have no saved search with this ID.')
}
