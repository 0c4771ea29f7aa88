import { termFrequencies } from '../index/segments/statistics.ts'
import { rerankByWords } from '../rerank/builtin.ts'
import { soughtOf } from '../rerank/features.ts'
import { alternativesOf } from './expansion-finds.ts'
import { countFacets, type FacetDocument } from './facets.ts'
import { exactFirst } from './exact.ts'
import { type FilteredSegment, filterSegments, segmentsOf } from './filter-segments.ts'
import type { FindRequest, Found, FoundGroup, FoundPassage, SearchedProject } from './find-request.ts'
import type { Candidate } from './fuse.ts'
import { type Group, group } from './group.ts'
import { Looks } from './looks.ts'
import { PassageWords } from './passage-words.ts'
import { byModel, type ModelScores, reorder, withScore } from './reorder.ts'
import { reserve } from './reserve.ts'
import { type DocumentOrder, groupSorted } from './sort.ts'

/** How many of the best candidates are reranked, on every result page. Reranking a hundred improved no judged collection any further. */
const MAX_RERANKED = 50

/**
 * Finds the best passages of some projects. Scores depend only on these projects: word statistics, fusion and reranking see no other passages.
 * The same request on the same passages gives exactly the same result, no matter which segments have the passages.
 */
export function findPassages(projects: readonly SearchedProject[], request: FindRequest): Found {
  const segments = filterSegments(projects, request)
  const looks = new Looks(segments, request)
  const { sort, groupBy } = request
  const { groups, more, ...ordered } =
    sort === 'relevance' ? findRelevant(segments, looks, request) : findSorted(looks, sort, groupBy)
  return {
    ...ordered,
    groups: withExpansions(
      groups.slice(0, request.wanted).map((one) => toFound(one, request.passagesEach ?? 1)),
      groups,
      segments,
      request,
    ),
    more: more || groups.length > request.wanted,
    facets: request.facets && countFacets(request.facets, documentsOf(looks)),
    isIncomplete: projects.some(({ isIncomplete }) => isIncomplete),
  }
}

type Ordered = Pick<Found, 'more' | 'rerank' | 'forModel'> & { groups: readonly Group[] }

/** Reranks the candidates of the first look, then looks deeper until there are enough groups (looks.ts). */
function findRelevant(segments: readonly FilteredSegment[], looks: Looks, request: FindRequest): Ordered {
  const first = looks.next()
  const words = new PassageWords(segments)
  const began = performance.now()
  const { candidates, ...outcome } = rerank(first, words, request)
  const tookMs = performance.now() - began
  const isReserving = !isByModel(request.rerank) && request.hasMeaning && !request.exact.hasOnlyIdentifiers
  const placed = isReserving ? reserve(candidates, (some) => words.shares(some, request)) : candidates
  const best = exactFirst(placed, request.exact, segments, words)
  const groups = fill(best, looks, request)
  return {
    groups,
    more: looks.more,
    rerank: { ...outcome, tookMs },
    forModel: request.forModel
      ? candidates.slice(0, MAX_RERANKED).map(({ passage: { id, row }, score }) => ({ id, row, score }))
      : [],
  }
}

/** Sorts everything that the search can find, so that all result pages follow the same order. */
function findSorted(looks: Looks, sort: DocumentOrder, groupBy: FindRequest['groupBy']): Ordered {
  const documentOf = (candidate: Candidate) => looks.documentOf(candidate)
  return {
    groups: groupSorted(looks.deepest(), { by: groupBy, sort, documentOf }),
    more: false,
    rerank: { applied: false, tookMs: 0, reason: null },
    forModel: [],
  }
}

/** Returns the documents on all result pages together, each only once. */
function documentsOf(looks: Looks): FacetDocument[] {
  const passages = new Map(looks.deepest().map((candidate) => [candidate.passage.documentKey, candidate]))
  return Array.from(passages.values(), (candidate) => looks.documentOf(candidate))
}

/** Counts the passages of some projects, and the passages with each term. Terms that no passage has are missing. */
export function countTerms(projects: readonly SearchedProject[], terms: readonly string[]): ReturnType<typeof termFrequencies> {
  return termFrequencies(segmentsOf(projects), terms)
}

/** Reorders the candidates of the first look. */
function rerank(
  candidates: readonly Candidate[],
  passageWords: PassageWords,
  { rerank, words, expansions }: FindRequest,
): { candidates: readonly Candidate[]; applied: boolean; reason: string | null } {
  if (candidates.length === 0) return { candidates, applied: false, reason: 'There was nothing to reorder.' }
  if (rerank === 'none') return { candidates, applied: false, reason: null }
  if (isByModel(rerank)) return { candidates: reorder(candidates, byModel(rerank)), applied: true, reason: null }
  const best = candidates.slice(0, MAX_RERANKED)
  const sought = soughtOf(words, expandedFrequency(passageWords, words, expansions, best))
  const finds = passageWords.find(best, sought.byTerm, alternativesOf(expansions, sought.byTerm))
  const scored = rerankByWords(
    best.map(({ score, vectorPart, keywordScore, wordFactor }, i) => ({
      score,
      vectorPart,
      keywordScore,
      wordFactor,
      finds: finds[i]!,
    })),
    sought,
  )
  if (scored === null)
    return {
      candidates,
      applied: false,
      reason: 'The built-in reranker compares words, and keyword search found none of these passages.',
    }
  const scores = new Map(best.map((candidate, i) => [candidate, scored[i]!]))
  return { candidates: reorder(candidates, (candidate) => scores.get(candidate)), applied: true, reason: null }
}

/** Returns how rare a term is. A word that no passage has is as rare as the other words for it. */
function expandedFrequency(
  passageWords: PassageWords,
  words: FindRequest['words'],
  expansions: FindRequest['expansions'],
  best: readonly Candidate[],
): (term: string) => number {
  const alternatives = expansions.flatMap(({ alternatives }) => alternatives.flatMap(({ words }) => words))
  const rarity = passageWords.inverseFrequency(
    [...words, ...alternatives.map((terms) => ({ terms, role: 'word' as const }))],
    best,
  )
  const absent = rarity('')
  const isAbsent = (terms: readonly string[]) => terms.every((term) => rarity(term) === absent)
  const replaced = new Map<string, number>()
  for (const { own, alternatives } of expansions) {
    const found = alternatives.filter(({ words }) => !words.some(isAbsent))
    if (found.length === 0) continue
    const most = Math.max(...found.map(({ words }) => sumOf(words.map((terms) => Math.min(...terms.map(rarity))))))
    for (const terms of own.filter(isAbsent)) for (const term of terms) replaced.set(term, most / own.length)
  }
  return (term) => replaced.get(term) ?? rarity(term)
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0)
}

function isByModel(order: FindRequest['rerank']): order is ModelScores {
  return typeof order === 'object'
}

/** Returns at least `wanted` groups if there are enough. Candidates of deeper looks follow the candidates of the first look. */
function fill(first: readonly Candidate[], looks: Looks, { groupBy, wanted }: FindRequest): Group[] {
  let ordered = first
  // `exactFirst` may have added passages that the first look has not found.
  const known = new Set(first.map(({ passage }) => passage.key))
  let groups = group(ordered, groupBy, first.length)
  while (groups.length < wanted && looks.more) {
    const maxScore = ordered.at(-1)?.score ?? 1
    const added = looks.next().filter(({ passage }) => !known.has(passage.key))
    for (const { passage } of added) known.add(passage.key)
    ordered = [...ordered, ...added.map((candidate) => withScore(candidate, Math.min(maxScore, candidate.score)))]
    groups = group(ordered, groupBy, first.length)
  }
  return groups
}

function toFound({ best, score, joined, next, twins, matchingPassages }: Group, passagesEach: number): FoundGroup {
  return {
    best: toPassage(best),
    score,
    rows: joined.map(({ passage }) => passage.row),
    nextRows: next.slice(0, passagesEach - 1).map(({ passage }) => passage.row),
    twins: twins.map(toPassage),
    matchingPassages,
  }
}

/** Adds to each group by which expansions its best passage was found. */
function withExpansions(
  found: FoundGroup[],
  groups: readonly Group[],
  segments: readonly FilteredSegment[],
  { expansions, mode }: FindRequest,
): FoundGroup[] {
  if (expansions.length === 0 || mode === 'vector') return found
  const best = groups.slice(0, found.length).map((one) => one.best)
  const expansionsIn = new PassageWords(segments).expansionsIn(best, expansions)
  return found.map((one, i) => ({ ...one, best: { ...one.best, stages: { ...one.best.stages, expansions: expansionsIn[i]! } } }))
}

function toPassage({ passage: { id, row, documentId, pageStart }, stages }: Candidate): FoundPassage {
  return { id, row, documentId, pageStart, stages }
}
