import type { Candidate } from './fuse.ts'
import type { SearchQuery, SearchSort } from './search.ts'

/** One result: a passage with its neighbours, or a document shown by its best passage. */
export interface Group {
  best: Candidate
  /** 0 to 1, falling from group to group. */
  score: number
  /** The passages shown, `best` included, in the order of the text. Each follows directly on the one before. */
  joined: Candidate[]
  /** The document's next best passages, with passages on other pages first. Only in groups of documents. */
  next: Candidate[]
  /** Passages of other documents with the same text, best first. */
  twins: Candidate[]
  matchingPassages: number
}

/** Neighbours are joined when they are at most this many results apart, which is the size of a result page by default. */
const REACH = 10
/** A neighbour is joined from this share of the best score on. A weaker one would only bury the passage that was found. */
const MIN_JOINED_SCORE = 0.6
/** About 750 words: a longer text is no passage any more. */
const MAX_JOINED = 3
/** A document keeps this many of its next best passages. */
export const MAX_NEXT = 9
/** Weights of a document's next best passages, applied to the square of their scores: one that is half as good counts a quarter. */
const NEXT_BEST = [0.1, 0.05]

/**
 * Groups candidates into results, best first. Joins and weighs only the first `settled` candidates, which were found first (candidates.ts).
 * So a deeper search for a later result page leaves the earlier result pages unchanged.
 */
export function group(candidates: readonly Candidate[], by: 'chunk' | 'document', settled: number = candidates.length): Group[] {
  const [first, deeper] = [candidates.slice(0, settled), candidates.slice(settled)]
  if (by === 'chunk') return [...joinNeighbours(first), ...deeper.map(alone)]
  return withDeeper(rankDocuments(first), deeper)
}

function alone(best: Candidate): Group {
  return { best, score: best.score, joined: [best], next: [], twins: [], matchingPassages: 1 }
}

/** Makes one result of a text that several documents contain, and of passages that follow one another. */
function joinNeighbours(candidates: readonly Candidate[]): Group[] {
  const groups: Group[] = []
  const byText = new Map<number, Group>()
  const join = (target: Group, candidates: readonly Candidate[]) => {
    target.joined = [...target.joined, ...candidates].toSorted((a, b) => a.passage.index - b.passage.index)
    target.matchingPassages = target.joined.length
    for (const { passage } of candidates) byText.set(passage.textKey, target)
  }
  for (const candidate of candidates) {
    const { textKey, documentKey } = candidate.passage
    const same = byText.get(textKey)
    if (same !== undefined && same.best.passage.documentKey !== documentKey) {
      same.twins.push(candidate)
      continue
    }
    const [before, after] = neighbours(groups, candidate)
    const target = before !== undefined && before.joined.length < MAX_JOINED ? before : after
    if (target === undefined || target.joined.length >= MAX_JOINED) {
      const own = alone(candidate)
      groups.push(own)
      if (same === undefined) byText.set(textKey, own)
      continue
    }
    join(target, [candidate])
    // The passage may close the gap between two results.
    if (target === before && after !== undefined && before.joined.length + after.joined.length <= MAX_JOINED) {
      join(before, after.joined)
      before.twins.push(...after.twins)
      groups.splice(groups.indexOf(after), 1)
    }
  }
  return groups
}

/** Returns the last groups that the passage follows or precedes in the text. There are at most two. */
function neighbours(groups: readonly Group[], candidate: Candidate): Group[] {
  const found: Group[] = []
  for (let i = Math.max(0, groups.length - REACH); i < groups.length; i++)
    if (isNeighbour(groups[i]!, candidate)) found.push(groups[i]!)
  return found
}

/** Passages are neighbours on the same page only, because a result names one page. */
function isNeighbour({ joined, best }: Group, { passage, score }: Candidate): boolean {
  if (best.passage.documentKey !== passage.documentKey) return false
  const [first, last] = [joined[0]!.passage, joined.at(-1)!.passage]
  return (
    first.pageStart === passage.pageStart &&
    last.pageEnd === passage.pageEnd &&
    score >= MIN_JOINED_SCORE * best.score &&
    (passage.index === first.index - 1 || passage.index === last.index + 1)
  )
}

/** Ranks documents by their best passage, and by the next two when they are nearly as good. The number of passages does not count. */
function rankDocuments(candidates: readonly Candidate[]): Group[] {
  const passages = Map.groupBy(candidates, ({ passage }) => passage.documentKey)
  const top = candidates[0]?.score ?? 0
  const share = (candidate: Candidate | undefined) => (candidate === undefined || top === 0 ? 0 : candidate.score / top)
  const weighed = [...passages.values()].map((found) => ({
    group: { ...alone(found[0]!), next: otherPagesFirst(found).slice(0, MAX_NEXT), matchingPassages: found.length },
    value: NEXT_BEST.reduce((sum, weight, i) => sum + weight * share(found[i + 1]) ** 2, share(found[0])),
  }))
  weighed.sort((a, b) => exactness(b.group) - exactness(a.group) || b.value - a.value)
  const maxValue = Math.max(0, ...weighed.map(({ value }) => value))
  return weighed.map(({ group: one, value }) => {
    if (exactness(one) === 1) return { ...one, score: top }
    return { ...one, score: maxValue === 0 ? 0 : (top * value) / maxValue }
  })
}

/** Returns the passages after the best one. The best passage of each further page comes first, because the page is what a reader opens. */
function otherPagesFirst([best, ...others]: readonly Candidate[]): Candidate[] {
  const pages = new Set([best?.passage.pageStart])
  const isOther = others.map(({ passage: { pageStart } }) => !pages.has(pageStart) && pages.add(pageStart) !== undefined)
  return [...others.filter((_, i) => isOther[i]), ...others.filter((_, i) => !isOther[i])]
}

const exactness = ({ best }: Group) => Number(best.isExact === true)

function withDeeper(groups: Group[], deeper: readonly Candidate[]): Group[] {
  const known = new Map(groups.map((one) => [one.best.passage.documentKey, one]))
  for (const candidate of deeper) {
    const one = known.get(candidate.passage.documentKey)
    if (one !== undefined) {
      one.matchingPassages++
      if (one.next.length < MAX_NEXT) one.next.push(candidate)
      continue
    }
    const added = { ...alone(candidate), score: Math.min(candidate.score, groups.at(-1)?.score ?? 1) }
    known.set(candidate.passage.documentKey, added)
    groups.push(added)
  }
  return groups
}

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
