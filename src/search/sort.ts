import type { Candidate } from './fuse.ts'
import { group, type Group } from './group.ts'
import type { SearchQuery, SearchSort } from './search.ts'

/** An order in which the documents decide. */
export type DocumentOrder = Exclude<SearchSort, 'relevance'>

/** What orders the results, except their relevance. */
export interface SortDocument {
  readonly name: string
  readonly createdAt: Date
}

interface SortOptions {
  by: SearchQuery['groupBy']
  sort: DocumentOrder
  documentOf: (candidate: Candidate) => SortDocument
}

/** Doesn't depend on the language of the machine. */
const COLLATOR = new Intl.Collator('en', { sensitivity: 'accent' })

/** Groups candidates, which are in order of relevance, and returns the groups in the order of their documents. Equal ones stay in order of relevance. */
export function groupSorted(candidates: readonly Candidate[], { by, sort, documentOf }: SortOptions): Group[] {
  const places =
    sort === 'newest'
      ? placesOf(
          candidates,
          (candidate) => documentOf(candidate).createdAt.getTime(),
          (a, b) => b - a,
        )
      : placesOf(candidates, (candidate) => nameKey(documentOf(candidate).name), COLLATOR.compare)
  const placeOf = (candidate: Candidate) => places.get(candidate.passage.documentKey)!
  if (by === 'document') return group(candidates, by).sort((a, b) => placeOf(a.best) - placeOf(b.best))
  // Sorted before they are grouped: if several documents have the same text, the first one in this order shows it.
  return group(
    candidates.toSorted((a, b) => placeOf(a) - placeOf(b)),
    by,
  )
}

/** Returns the place of each document. Equal documents have the same place. Reads each document once, because it may have thousands of passages. */
function placesOf<Key>(
  candidates: readonly Candidate[],
  keyOf: (candidate: Candidate) => Key,
  compare: (a: Key, b: Key) => number,
): Map<number, number> {
  const keys = new Map<number, Key>()
  for (const candidate of candidates) {
    const { documentKey } = candidate.passage
    if (!keys.has(documentKey)) keys.set(documentKey, keyOf(candidate))
  }
  const sorted = [...keys].sort(([, a], [, b]) => compare(a, b))
  const places = new Map<number, number>()
  let place = 0
  sorted.forEach(([document, key], i) => {
    if (i > 0 && compare(sorted[i - 1]![1], key) !== 0) place = i
    places.set(document, place)
  })
  return places
}

/**
 * Returns a name in which longer numbers come after shorter ones, so that `Report 9` comes before `Report 10`: each number follows
 * its length. The collator could compare numbers itself, but takes a hundred times as long for names that consist of digits.
 */
function nameKey(name: string): string {
  return name.replace(/\d+/g, (digits) => {
    const number = digits.replace(/^0+(?=\d)/, '')
    return String(number.length).padStart(4, '0') + number
  })
}
