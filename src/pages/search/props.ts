import type { SearchAnswer } from '../../contract/search.ts'
import type { ProjectChoice } from './form.tsx'

/** What the user can search. */
export interface Holdings {
  documents: number
  /** Documents that are queued or being processed. */
  pending: number
  projects: readonly ProjectChoice[]
}

/** One result page. */
export interface Found {
  answer: SearchAnswer
  /** How many results come before this result page. */
  offset: number
  /** Offsets of the result pages before and after this one; null if there is none. */
  previous: number | null
  next: number | null
}
