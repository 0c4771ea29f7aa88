import { membersOf } from '../index/segments/bitmap.ts'
import { PLAIN_BM25 } from '../index/segments/bm25f.ts'
import { filterSegment } from '../index/segments/filter-segment.ts'
import { searchSegments } from '../index/segments/search.ts'
import { searchVectors } from '../index/segments/vectors/search.ts'
import { everyPassage, type FilteredSegment } from './filter-segments.ts'
import type { FindRequest, SearchedProject } from './find-request.ts'
import { Phrases } from './phrases.ts'

/** Checking a text takes about 10 µs of several processors. The deepest look finds 6,000 passages by words and as many by vectors. */
export const MAX_CHECKED = 10_000

/** The passages whose texts have to be checked for the phrases of a search. */
export interface PhraseChecks {
  rows: BigUint64Array
  /** False when there are too many. Then these are the best of them, and the others are not found. */
  isComplete: boolean
}

export type PhraseQuestion = Pick<FindRequest, 'userId' | 'projectIds' | 'filter' | 'terms' | 'vector' | 'mode'>

/** Finds the passages whose texts have to be checked. Postings decide for all others, so that the cost of a phrase is bounded. */
export function findPhraseChecks(projects: readonly SearchedProject[], question: PhraseQuestion): PhraseChecks {
  const phrases = new Phrases(question.filter)
  const segments = projects.flatMap(({ id: projectId, segments }) =>
    segments.map((segment) => {
      const { reader } = segment
      const allowed = phrases.undecided(reader, filterSegment(reader, question.filter) ?? everyPassage(reader))
      return { ...segment, projectId, allowed }
    }),
  )
  const rows: bigint[] = []
  for (const { reader, allowed } of segments) {
    for (const passage of membersOf(allowed)) {
      if (rows.length === MAX_CHECKED) return { rows: bestRows(segments, question), isComplete: false }
      rows.push(reader.segment.sections.rows[passage]!)
    }
  }
  return { rows: BigUint64Array.from(rows), isComplete: true }
}

/** Returns the rows of the passages that a search would find first, by words and by vectors in turn. */
function bestRows(segments: readonly FilteredSegment[], { terms, vector, mode }: PhraseQuestion): BigUint64Array {
  const byWords = mode === 'vector' ? [] : searchSegments(segments, terms, { limit: MAX_CHECKED, scoring: PLAIN_BM25 })
  const byVectors = vector === null ? [] : searchVectors(segments, vector, MAX_CHECKED)
  const rows = new Set<bigint>()
  for (let i = 0; i < MAX_CHECKED && rows.size < MAX_CHECKED; i++)
    for (const hit of [byWords[i], byVectors[i]])
      if (hit !== undefined) rows.add(segments[hit.segment]!.reader.segment.sections.rows[hit.passage]!)
  return BigUint64Array.from(rows)
}
