import type { Candidate } from './fuse.ts'
import { group, type Group } from './group.ts'
import type { SearchQuery, SearchSort } from './search.ts'

/** An order by a property of the documents. */
export type DocumentOrder = Exclude<SearchSort, 'relevance'>

/** The properties of a document that results can be sorted by. */
export interface SortDocument {
  readonly name: string
  readonly createdAt: Date
}

interface SortOptions {
  by: SearchQuery['groupBy']
  sort: DocumentOrder
  documentOf: (candidate: Candidate) => SortDocument
}

/** Sorts in the same way on every machine, whatever its language. */
const COLLATOR = new Intl.Collator('en', { sensitivity: 'accent' })

/** Groups candidates and sorts the groups by their documents. The candidates are in order of relevance, and groups that are equal stay in it. */
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
  // Sorts before grouping: if several documents have the same text, the result shows the first document in this order.
  return group(
    candidates.toSorted((a, b) => placeOf(a) - placeOf(b)),
    by,
  )
}

/** Returns the place of each document. Equal documents share a place. Reads each document only once, because it may have thousands of passages. */
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
 * Returns a key that sorts names with numbers in numeric order, so that `Report 9` comes before `Report 10`: it puts the length of each number
 * in front of the number. The collator could compare numbers itself, but takes a hundred times as long for names that consist of digits.
 */
function nameKey(name: string): string {
  return name.replace(/\d+/g, (digits) => {
    const number = digits.replace(/^0+(?=\d)/, '')
    return String(number.length).padStart(4, '0') + number
  })
}
