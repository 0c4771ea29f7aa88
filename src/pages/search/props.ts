import type { SearchAnswer } from '../../contract/search.ts'
import type { ProjectChoice } from '../project-fields.tsx'

/** What the user can search. */
export interface Holdings {
  documents: number
  /** Documents that are queued or being processed. */
  pending: number
  projects: readonly ProjectChoice[]
}

/** What only the start view shows. */
export interface StartFacts {
  ready: number
  failed: number
  /** How many documents have warnings, up to `MAX_WARNED`. */
  warned: number
  /** The documents that were added last. */
  recent: readonly { id: string; name: string; path: string; created_at: string }[]
}

/** The start view counts no more documents with warnings. */
export const MAX_WARNED = 100

/** One result page. */
export interface SearchResults {
  answer: SearchAnswer
  /** How many results come before this result page. */
  offset: number
  /** Offsets of the result pages before and after this one; null if there is none. */
  previous: number | null
  next: number | null
  /** False if no passage of the answer has all words of the query. */
  hasAllWords: boolean
}
