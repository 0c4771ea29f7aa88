import type { SavedSearchRecord } from '../core/model.ts'

export interface NewSavedSearch {
  userId: string
  name: string
  /** The search as the query of its address. A user has each search once. */
  parameters: string
  /** How many searches the user may have. */
  maxSearches: number
}

/** The searches that users have saved. Each user sees only their own. */
export interface SavedSearches {
  /** Throws `saved_search_exists` and `too_many_saved_searches`. */
  create(search: NewSavedSearch): Promise<SavedSearchRecord>
  /** Returns all searches of a user, newest first. */
  list(userId: string): Promise<SavedSearchRecord[]>
  /** Returns null when the user has no such search. */
  get(userId: string, id: string): Promise<SavedSearchRecord | null>
  /** Returns null when the user has no such search. */
  rename(userId: string, id: string, name: string): Promise<SavedSearchRecord | null>
  /** Returns false when the user has no such search. */
  delete(userId: string, id: string): Promise<boolean>
}
