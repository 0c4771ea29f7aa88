import { conditionsOf, type SearchFilter } from '../core/search-filter.ts'
import { hasPhrases, type PhraseWord, phraseWords } from '../text/phrase.ts'
import { type Bitmap, createBitmap, membersOf, setBit, setRange } from '../index/segments/bitmap.ts'
import { PLAIN_BM25 } from '../index/segments/bm25f.ts'
import { filterSegment } from '../index/segments/filter-segment.ts'
import type { OpenSegment, SegmentReader } from '../index/segments/segment-reader.ts'
import { phraseCandidates, withRarestWord } from '../index/segments/phrase-candidates.ts'
import { type SearchedSegment, searchSegments } from '../index/segments/search.ts'
import { searchVectors } from '../index/segments/vectors/search.ts'
import type { FindRequest, PhraseChecks, Question, SearchedProject } from './find-request.ts'

export type FilteredSegment = OpenSegment & SearchedSegment & { projectId: string }

type Filtering = Pick<FindRequest, 'filter' | 'rowsWithPhrases'>

/** `rowOf` remembers terms for an array of segments. So searches of the same projects use the same array. */
const unfiltered = new WeakMap<readonly SearchedProject[], readonly FilteredSegment[]>()

/** Returns all segments of the projects. Returns the same array for the same projects. */
export function segmentsOf(projects: readonly SearchedProject[]): readonly FilteredSegment[] {
  let all = unfiltered.get(projects)
  if (all === undefined) {
    all = projects.flatMap(({ id: projectId, segments }) => segments.map((segment) => ({ ...segment, projectId, allowed: null })))
    unfiltered.set(projects, all)
  }
  return all
}

/** Returns the segments of the projects, each with the passages that a filter allows. */
export function filterSegments(
  projects: readonly SearchedProject[],
  { filter, rowsWithPhrases }: Filtering,
): readonly FilteredSegment[] {
  const all = segmentsOf(projects)
  if (rowsWithPhrases === null && conditionsOf(filter).length === 0) return all
  const phrases = new Phrases(filter)
  const rows = rowsWithPhrases === null ? null : new Set(rowsWithPhrases)
  return all.map((segment) => {
    const allowed = filterSegment(segment.reader, filter)
    if (rows === null) return { ...segment, allowed }
    return { ...segment, allowed: phrases.decided(segment.reader, allowed ?? everyPassage(segment.reader), rows) }
  })
}

function everyPassage({ segment }: SegmentReader): Bitmap {
  const all = createBitmap(segment.passages)
  setRange(all, 0, segment.passages)
  return all
}

/** Checking a text takes about 10 µs of several processors. The deepest search finds 6,000 passages by words and as many by vectors. */
export const MAX_CHECKED = 10_000

/**
 * Finds the passages whose texts have to be checked for the phrases of a filter. Returns null when there are no phrases, or when that has
 * been done. Postings decide for all other passages, so that the cost of a phrase is bounded.
 */
export function findPhraseChecks(
  projects: readonly SearchedProject[],
  { filter, rowsWithPhrases, question }: Filtering & { question: Pick<Question, 'terms' | 'vector' | 'mode'> },
): PhraseChecks | null {
  if (rowsWithPhrases !== null || !hasPhrases(filter)) return null
  const phrases = new Phrases(filter)
  const segments = segmentsOf(projects).map((segment) => {
    const { reader } = segment
    return { ...segment, allowed: phrases.undecided(reader, filterSegment(reader, filter) ?? everyPassage(reader)) }
  })
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
function bestRows(
  segments: readonly FilteredSegment[],
  { terms, vector, mode }: Pick<Question, 'terms' | 'vector' | 'mode'>,
): BigUint64Array {
  const byWords = mode === 'vector' ? [] : searchSegments(segments, terms, { limit: MAX_CHECKED, scoring: PLAIN_BM25 })
  const byVectors = vector === null ? [] : searchVectors(segments, vector, MAX_CHECKED)
  const rows = new Set<bigint>()
  for (let i = 0; i < MAX_CHECKED && rows.size < MAX_CHECKED; i++)
    for (const hit of [byWords[i], byVectors[i]])
      if (hit !== undefined) rows.add(segments[hit.segment]!.reader.segment.sections.rows[hit.passage]!)
  return BigUint64Array.from(rows)
}

/** The words of the phrases of a filter. */
class Phrases {
  readonly #wanted: readonly (readonly PhraseWord[])[]
  readonly #unwanted: readonly (readonly PhraseWord[])[]

  constructor({ phrases = [], withoutPhrases = [] }: SearchFilter) {
    this.#wanted = phrases.map(phraseWords)
    this.#unwanted = withoutPhrases.map(phraseWords)
  }

  /** Returns the allowed passages whose texts decide: those that may have all phrases, or else those that may have an unwanted phrase. */
  undecided(reader: SegmentReader, allowed: Bitmap): Bitmap {
    if (this.#wanted.length > 0)
      return this.#wanted.reduce((candidates, words) => phraseCandidates(reader, words, candidates), allowed)
    const undecided = createBitmap(reader.segment.passages)
    for (const words of this.#unwanted) {
      const candidates = phraseCandidates(reader, words, allowed)
      for (let i = 0; i < undecided.length; i++) undecided[i]! |= candidates[i]!
    }
    return undecided
  }

  /** Returns the allowed passages that have the phrases, and none of the unwanted ones, when `rows` are the undecided ones that do. */
  decided(reader: SegmentReader, allowed: Bitmap, rows: ReadonlySet<bigint>): Bitmap {
    const [first] = this.#wanted
    const undecided = first === undefined ? this.undecided(reader, allowed) : withRarestWord(reader, first, allowed)
    const decided = createBitmap(reader.segment.passages)
    if (first === undefined) for (let i = 0; i < decided.length; i++) decided[i] = allowed[i]! & ~undecided[i]!
    for (const passage of membersOf(undecided)) if (rows.has(reader.segment.sections.rows[passage]!)) setBit(decided, passage)
    return decided
  }
}
