import type { Logger } from '../core/logger.ts'
import { type Chance, measuredFloor, type NoiseFloor } from '../core/noise.ts'
import type { SearchFilter } from '../core/search-filter.ts'
import type { Embedder } from '../embed/embedder.ts'
import { isInVocabulary } from '../embed/model/vocabulary.ts'
import type { PassageIndex } from '../index/passage-index.ts'
import { hasPhrases } from '../index/phrase.ts'
import type { Documents } from '../records/records.ts'
import type { Reranker } from '../rerank/reranker.ts'
import { correctableWords } from '../text/spelling.ts'
import type { ExactQuestion } from './exact-question.ts'
import type { FindRequest, Found } from './find-request.ts'
import type { MessagePages } from './message-pages.ts'
import type { Measurement } from './measurement.ts'
import type { ParsedQuery } from './parse.ts'
import type { Question } from './question.ts'
import { rerankBest } from './rerank.ts'
import { neededRows, present, type Result, takeExisting, type Unmarked } from './results.ts'
import type { SearchHit, SearchOutcome, SearchQuery } from './search.ts'
import type { SearchThreads } from './threads/search-threads.ts'

export interface PageRequest {
  query: SearchQuery
  messagePages: MessagePages
  parsed: ParsedQuery
  question: Question
  /** What the user typed, before any correction. */
  exact: ExactQuestion
  embedder: Pick<Embedder, 'fusionWeight' | 'hasMeaning' | 'noiseFloor'>
  /** See `OpenIndex.chance`. */
  chance: Chance | null
  /** See `FindRequest`. */
  typedTerms: readonly string[] | null
  index: PassageIndex
  threads: SearchThreads
  /** Weight of the vector channel; null: the embedder's own. */
  fusionWeight: number | null
  records: { documents: Pick<Documents, 'getMany'> }
  reranker: Reranker
  rerankMs: number
  measured: Measurement
  signal: AbortSignal | undefined
  log: Logger
}

export type ResultPage = Pick<SearchOutcome, 'hits' | 'rerank' | 'facets'> & {
  /** True when the search found nothing, on any result page. */
  isEmpty: boolean
  /** False when a commit removed passages after they were found, and before they were read. */
  isComplete: boolean
  /** True while a part of the searched projects is missing from the index and being rebuilt. */
  isIncompleteIndex: boolean
  /** True when texts that this answer needs are damaged. */
  hasDamagedTexts: boolean
  /** False when too many passages would have to be checked for the phrases. */
  areAllPhrasesChecked: boolean
}

/** How much the vectors count in a question of numbers and identifiers: they only decide between equals. */
const IDENTIFIERS_WEIGHT = 0.1

/** If documents of results no longer exist, the search asks for this many times as many results. */
const MORE = 4

/** Returns the results from `query.offset` on. */
export async function findResultPage(request: PageRequest): Promise<ResultPage> {
  const { query, question, index, threads, measured, signal } = request
  const { asked, checked, areAllPhrasesChecked } = await toFindRequest(request)
  const first = await measured.stage('find', () => threads.find(index, asked, signal))
  const { found, order, report } = await rerank(first, asked, request)
  const results = await fillPage(found, order, request)
  const page = results.slice(query.offset, query.offset + query.limit)
  const rows = page.flatMap(neededRows)
  const texts = await measured.stage('read', () => index.passages(rows))
  const hits = page.flatMap((result, i) => present(result, texts, query.offset + i + 1) ?? [])
  const marked = [
    ...question.terms,
    ...question.expansions.flatMap(({ alternatives }) => alternatives.flatMap(({ words }) => words.flat())),
  ]
  const foundTexts = hits.flatMap(({ text, more }) => [text, ...more.map((other) => other.text)])
  const highlights = await measured.stage('highlight', () => threads.highlight(query.userId, foundTexts, marked, signal))
  return {
    hits: withHighlights(hits, highlights),
    rerank: report,
    facets: first.facets,
    isEmpty: results.length === 0,
    isComplete: hits.length === page.length,
    isIncompleteIndex: found.isIncomplete,
    hasDamagedTexts: index.hasDamagedTexts([...checked, ...first.forModel.map(({ row }) => row), ...rows]),
    areAllPhrasesChecked,
  }
}

/** Adds the highlights of each text, which are in the order of the texts. */
function withHighlights(hits: readonly Unmarked[], highlights: readonly [number, number][][]): SearchHit[] {
  let at = 0
  return hits.map((hit) => ({
    ...hit,
    highlights: highlights[at++]!,
    more: hit.more.map((other) => ({ ...other, highlights: highlights[at++]! })),
  }))
}

interface Asked {
  asked: FindRequest
  /** The rows that were checked for phrases. */
  checked: readonly bigint[]
  areAllPhrasesChecked: boolean
}

async function toFindRequest(request: PageRequest): Promise<Asked> {
  const { query, parsed, question, embedder, reranker, exact } = request
  const { terms, words, expansions, language, vector, mode } = question
  const filter: SearchFilter = { ...query.filter, ...parsed.filter, ...request.messagePages }
  const isReranked = whyNotReranked(query) === null
  const { rowsWithPhrases, checked, isComplete } = await checkPhrases(filter, request)
  const asked: FindRequest = {
    userId: query.userId,
    projectIds: query.projectIds,
    filter,
    rowsWithPhrases,
    terms,
    words,
    expansions,
    language,
    vector,
    exact,
    mode,
    fusionWeight: vector === null ? 0 : weightOf(vector, request),
    hasMeaning: vector !== null && embedder.hasMeaning(vector),
    typedTerms: request.typedTerms,
    noiseFloor: vector && floorOf(vector, request),
    groupBy: query.groupBy,
    passagesEach: query.passagesEach ?? 1,
    sort: query.sort,
    facets: query.facets,
    wanted: query.offset + query.limit,
    rerank: isReranked ? reranker.base : 'none',
    forModel: isReranked && reranker.readsPassages,
  }
  return { asked, checked, areAllPhrasesChecked: isComplete }
}

function floorOf(vector: Float32Array, { embedder, chance, exact }: PageRequest): NoiseFloor | null {
  return embedder.noiseFloor(vector) ?? (chance && measuredFloor(chance, hasKnownWords(exact.name)))
}

/** Returns whether at least half of the words that a question consists of are English, and not letters without a meaning. */
function hasKnownWords(question: string): boolean {
  const words = correctableWords(question)
  const known = words.filter(({ word, isCommon }) => isCommon() || isInVocabulary(word))
  return known.length > 0 && known.length >= words.length / 2
}

/** Returns how much the vector channel counts. Names and numbers are found by their letters, and vectors disturb. */
function weightOf(vector: Float32Array, { embedder, fusionWeight, parsed, exact }: PageRequest): number {
  const weight = fusionWeight ?? embedder.fusionWeight(vector, parsed.text)
  return exact.hasOnlyIdentifiers ? weight * IDENTIFIERS_WEIGHT : weight
}

/** Reads the texts of the passages that may have the phrases of the filter. */
async function checkPhrases(
  filter: SearchFilter,
  { query: { userId, projectIds }, question, index, threads, measured, signal }: PageRequest,
): Promise<Pick<FindRequest, 'rowsWithPhrases'> & { checked: readonly bigint[]; isComplete: boolean }> {
  if (!hasPhrases(filter)) return { rowsWithPhrases: null, checked: [], isComplete: true }
  const { terms, vector, mode } = question
  return measured.stage('phrases', async () => {
    const request = { userId, projectIds, filter, terms, vector, mode }
    const { rows, isComplete } = await threads.findPhraseChecks(index, request, signal)
    signal?.throwIfAborted()
    const checked = [...rows]
    return { rowsWithPhrases: BigUint64Array.from(await index.rowsWithPhrases(checked, filter)), checked, isComplete }
  })
}

function whyNotReranked({ rerank, sort }: SearchQuery): string | null {
  if (!rerank) return 'The request turned reranking off.'
  return sort === 'relevance' ? null : `Results are reranked only in order of relevance, and \`sort\` is \`${sort}\`.`
}

interface Ordered {
  found: Found
  /** The request that finds the same order again. */
  order: FindRequest
  report: SearchOutcome['rerank']
}

/** Asks the reranker. If a model has scored the best passages, finds them again in the order of the model. */
async function rerank(found: Found, asked: FindRequest, request: PageRequest): Promise<Ordered> {
  const { query, parsed, reranker, index, threads, rerankMs, measured, signal, log } = request
  // The first request has already counted the facets.
  const again: FindRequest = { ...asked, facets: null }
  const reason = whyNotReranked(query)
  if (reason !== null) return { found, order: again, report: { applied: false, model: null, tookMs: 0, reason } }
  const asking = { query: parsed.text, user: query.userId, found, reranker, index, deadlineMs: rerankMs, signal, log }
  const { scores, report, degraded } = await measured.stage('rerank', () => rerankBest(asking))
  measured.degraded(degraded)
  const order: FindRequest = { ...again, rerank: scores ?? asked.rerank, forModel: false }
  if (scores === null) return { found, order, report }
  return { found: await measured.stage('find', () => threads.find(index, order, signal)), order, report }
}

/** Returns the results up to the end of the page, without those whose documents no longer exist. */
async function fillPage(first: Found, order: FindRequest, request: PageRequest): Promise<Result[]> {
  const { query, records, index, threads, measured, signal } = request
  const projects = new Set(query.projectIds)
  const getMany = (ids: readonly string[]) => records.documents.getMany(projects, ids)
  const resultsOf = ({ groups }: Found) => measured.stage('read', () => takeExisting(groups, order.wanted, getMany))
  let found = first
  let results = await resultsOf(found)
  for (let wanted = MORE * order.wanted; results.length < order.wanted && found.more; wanted *= MORE) {
    signal?.throwIfAborted()
    found = await measured.stage('find', () => threads.find(index, { ...order, wanted }, signal))
    results = await resultsOf(found)
  }
  return results
}
