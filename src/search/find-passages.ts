import { termFrequencies } from '../index/segments/segment-row.ts'
import { rerankByWords } from '../rerank/builtin.ts'
import { soughtOf } from '../rerank/features.ts'
import { CandidateSearch } from './candidates.ts'
import { countFacets, type FacetDocument } from './facets.ts'
import { type FilteredSegment, filterSegments, findPhraseChecks, segmentsOf } from './filter-segments.ts'
import type { FindAnswer, FindRequest, Found, FoundGroup, FoundPassage, ModelScores, SearchedProject } from './find-request.ts'
import type { Candidate } from './fuse.ts'
import { type DocumentOrder, type Group, group, groupSorted } from './group.ts'
import { alternativesOf, PassageWords } from './passage-words.ts'
import { promoteExact, promoteNearest } from './promote.ts'

/** Answers a request of the main thread. It answers at once even if some words may be misspelled, because most questions have none. */
export function answerRequest(projects: readonly SearchedProject[], request: FindRequest): FindAnswer {
  const unknown = unknownWords(projects, request.spelling)
  const phraseChecks = findPhraseChecks(projects, request)
  return phraseChecks === null
    ? { unknown, found: findPassages(projects, request), phraseChecks }
    : { unknown, found: null, phraseChecks }
}

/** Returns the positions of the words that no passage has. Returns none if there are no passages, because there is nothing to correct to. */
function unknownWords(projects: readonly SearchedProject[], words: FindRequest['spelling']): number[] {
  if (words.length === 0) return []
  const { passages, frequency } = termFrequencies(segmentsOf(projects), words.flat())
  if (passages === 0) return []
  return [...words.keys()].filter((word) => !words[word]!.some((term) => frequency.has(term)))
}

/**
 * Finds the best passages of some projects. Scores depend only on these projects: word statistics, fusion and reranking see no other passages.
 * The same request on the same passages gives exactly the same result, no matter which segments have the passages.
 */
export function findPassages(projects: readonly SearchedProject[], request: FindRequest): Found {
  const { query, question, wanted } = request
  const segments = filterSegments(projects, request)
  const search = new CandidateSearch(segments, question)
  const { groups, more, ...ordered } =
    query.sort === 'relevance' ? inOrderOfRelevance(segments, search, request) : sorted(search, query.sort, query.groupBy)
  return {
    ...ordered,
    groups: withExpansions(
      groups.slice(0, wanted).map((one) => toFound(one, query.passagesEach ?? 1)),
      groups,
      segments,
      request,
    ),
    more: more || groups.length > wanted,
    facets: query.facets && countFacets(query.facets, documentsOf(search)),
    isIncomplete: projects.some(({ isIncomplete }) => isIncomplete),
  }
}

type Ordered = Pick<Found, 'more' | 'rerank' | 'forModel'> & { groups: readonly Group[] }

/** Applies every rule that decides the order of relevance, one after another. Each function has the constants of its rule. */
function inOrderOfRelevance(segments: readonly FilteredSegment[], search: CandidateSearch, request: FindRequest): Ordered {
  const { question, forModel } = request
  const words = new PassageWords(segments)
  // Two channels find candidates. BM25 finds words: synonyms (expansions/) count less, and passages in another language count 0.8 times.
  // Cosine similarity finds meaning. In hybrid mode, passages that are no nearer than chance are dropped
  // (candidates.ts). The fused score is the sum of both channels, the vectors' part squared and weighted by the embedder (fuse.ts).
  const fused = search.deepen()
  // The best 50 are reordered by where they have the words: near each other, in order, in titles (rerank/features.ts), or by a model
  // that has read them.
  const { candidates: reranked, ...outcome } = rerank(fused, words, request)
  // Passages that mean the same as the question get up to five places even without any of its words (promote.ts). A reranker model judges this better.
  const isPromoting = !isByModel(request.rerank) && question.hasMeaning && !question.exact.hasOnlyIdentifiers
  const promoted = isPromoting ? promoteNearest(reranked, (some) => words.shares(some, question)) : reranked
  // A document whose name is the question comes first, then passages with the number or identifier that makes up the question (promote.ts).
  const exact = promoteExact(promoted, question.exact, segments, words)
  // Neighbouring passages and equal texts become one result. For documents, the best passage counts, and the next two a little (group.ts).
  const groups = fill(exact, search, request)
  return {
    groups,
    more: search.more,
    rerank: outcome,
    forModel: forModel ? reranked.slice(0, MAX_RERANKED).map(({ passage: { id, row }, score }) => ({ id, row, score })) : [],
  }
}

/** Sorts everything that the search can find, so that all result pages follow the same order. */
function sorted(search: CandidateSearch, sort: DocumentOrder, groupBy: FindRequest['query']['groupBy']): Ordered {
  const documentOf = (candidate: Candidate) => search.documentOf(candidate)
  return {
    groups: groupSorted(search.deepest(), { by: groupBy, sort, documentOf }),
    more: false,
    rerank: { applied: false, tookMs: 0, reason: null },
    forModel: [],
  }
}

/** Returns the documents on all result pages together, each only once. */
function documentsOf(search: CandidateSearch): FacetDocument[] {
  const passages = new Map(search.deepest().map((candidate) => [candidate.passage.documentKey, candidate]))
  return Array.from(passages.values(), (candidate) => search.documentOf(candidate))
}

/** How many of the best candidates are reranked, on every result page. Reranking a hundred improved no judged collection any further. */
const MAX_RERANKED = 50

/** Reorders the candidates that were found first. */
function rerank(
  candidates: readonly Candidate[],
  passageWords: PassageWords,
  { rerank, question: { words, expansions } }: FindRequest,
): { candidates: readonly Candidate[] } & Found['rerank'] {
  const began = performance.now()
  const outcome = (candidates: readonly Candidate[], reason: string | null, applied = false) => ({
    candidates,
    applied,
    reason,
    tookMs: performance.now() - began,
  })
  if (candidates.length === 0) return outcome(candidates, 'There was nothing to reorder.')
  if (rerank === 'none') return outcome(candidates, null)
  if (isByModel(rerank)) return outcome(reorder(candidates, byModel(rerank)), null, true)
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
    return outcome(candidates, 'The built-in reranker compares words, and keyword search found none of these passages.')
  const scores = new Map(best.map((candidate, i) => [candidate, scored[i]!]))
  return outcome(
    reorder(candidates, (candidate) => scores.get(candidate)),
    null,
    true,
  )
}

/** Returns how rare a term is. A word that no passage has is as rare as the other words for it. */
function expandedFrequency(
  passageWords: PassageWords,
  words: FindRequest['question']['words'],
  expansions: FindRequest['question']['expansions'],
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

interface NewScore {
  score: number
  /** How much each feature contributes to the score, when the reranker knows. */
  features?: Readonly<Record<string, number>> | undefined
}

/** Puts candidates with a new score first, best first. The others follow in their old order, with scores no higher. */
function reorder(candidates: readonly Candidate[], newScoreOf: (candidate: Candidate) => NewScore | undefined): Candidate[] {
  const [first, rest]: [Candidate[], Candidate[]] = [[], []]
  for (const candidate of candidates) {
    const found = newScoreOf(candidate)
    if (found === undefined) {
      rest.push(candidate)
      continue
    }
    const score = Math.min(1, Math.max(0, found.score))
    const rerank = { rank: 0, score, ...(found.features && { features: found.features }) }
    first.push({ ...candidate, score, stages: { ...candidate.stages, rerank } })
  }
  first.sort((a, b) => b.score - a.score || a.stages.fused.rank - b.stages.fused.rank)
  for (const [i, { stages }] of first.entries()) stages.rerank!.rank = i + 1
  const maxScore = first.at(-1)?.score ?? 1
  return [...first, ...rest.map((candidate) => withScore(candidate, Math.min(maxScore, candidate.score)))]
}

/** Returns how `reorder` finds the scores of a model. */
function byModel({ scores, features }: ModelScores): (candidate: Candidate) => NewScore | undefined {
  return ({ passage: { id } }) => {
    const score = scores.get(id)
    return score === undefined ? undefined : { score, features: features?.get(id) }
  }
}

function withScore(candidate: Candidate, score: number): Candidate {
  return candidate.score === score ? candidate : { ...candidate, score }
}

/** Returns at least `wanted` groups if there are enough. Candidates that a deeper search adds follow the first ones. */
function fill(first: readonly Candidate[], search: CandidateSearch, { query: { groupBy }, wanted }: FindRequest): Group[] {
  let ordered = first
  // `promoteExact` may have added passages that no channel has found yet.
  const known = new Set(first.map(({ passage }) => passage.key))
  let groups = group(ordered, groupBy, first.length)
  while (groups.length < wanted && search.more) {
    const maxScore = ordered.at(-1)?.score ?? 1
    const added = search.deepen().filter(({ passage }) => !known.has(passage.key))
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
  { question: { expansions, mode } }: FindRequest,
): FoundGroup[] {
  if (expansions.length === 0 || mode === 'vector') return found
  const best = groups.slice(0, found.length).map((one) => one.best)
  const expansionsIn = new PassageWords(segments).expansionsIn(best, expansions)
  return found.map((one, i) => ({ ...one, best: { ...one.best, stages: { ...one.best.stages, expansions: expansionsIn[i]! } } }))
}

function toPassage({ passage: { id, row, documentId, pageStart }, stages }: Candidate): FoundPassage {
  return { id, row, documentId, pageStart, stages }
}
