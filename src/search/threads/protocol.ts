import type { ProjectSegments } from '../../index/segments/store/project-segments.ts'
import type { FindAnswer, FindRequest } from '../find-request.ts'

/** Spans [start, end) in UTF-16 code units. */
export type Spans = [start: number, end: number][]

/** The name of a segment in which a search has found damage on disk. Another attempt can answer without this segment. */
export interface Damaged {
  damagedSegment: string
}

/** What a search thread is asked and told. It takes everything in order, so a search sees every change that was sent before it. */
export interface SearchCalls {
  /** Sent when segments of some projects have changed. Each project replaces the earlier state of that project in the thread. */
  segments: { request: IndexNumber & { projects: readonly ProjectSegments[] }; answer: void }
  /** Sent when no more searches will use this index. */
  closed: { request: IndexNumber; answer: void }
  find: { request: IndexNumber & { request: FindRequest }; answer: FindAnswer | Damaged }
  highlight: { request: { texts: readonly string[]; terms: readonly string[] }; answer: Spans[] }
  /** Asks the thread for an answer after it has handled everything that was sent before. */
  settle: { request: null; answer: null }
}

interface IndexNumber {
  /** The number that `SearchThreads` gave the index. */
  index: number
}
