import { DeadlinePassed, withDeadline } from '../core/deadline.ts'
import type { DegradedReason } from '../core/telemetry.ts'
import type { RerankCandidate } from '../rerank/reranker.ts'
import { highlight, isQuickToHighlight } from '../text/highlight.ts'
import type { FindAnswer, FindRequest, Found, ModelScores } from './find-request.ts'
import { neededRows, present, type Result, takeExisting, type Unmarked } from './results.ts'
import type { Run } from './run.ts'
import type { SearchHit, SearchOutcome, SearchQuery } from './search.ts'

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

/** If documents of results no longer exist, the search asks for this many times as many results. */
const MORE = 4

/** Returns the results from `query.offset` on. `answer` is what a search thread has already answered to the request. */
export async function findResultPage(run: Run, asked: FindRequest, answer: FindAnswer | null): Promise<ResultPage> {
  const { query, index, measured } = run
  const { found: first, request, checked, areAllPhrasesChecked } = await find(run, asked, answer)
  const { found, order, report } = await rerank(first, request, run)
  const results = await fillPage(found, order, run)
  const page = results.slice(query.offset, query.offset + query.limit)
  const rows = page.flatMap(neededRows)
  const texts = await measured.stage('read', () => index.passages(rows))
  const hits = page.flatMap((result, i) => present(result, texts, query.offset + i + 1) ?? [])
  return {
    hits: await mark(hits, request, run),
    rerank: report,
    facets: first.facets,
    isEmpty: results.length === 0,
    isComplete: hits.length === page.length,
    isIncompleteIndex: found.isIncomplete,
    hasDamagedTexts: index.hasDamagedTexts([...checked, ...first.forModel.map(({ row }) => row), ...rows]),
    areAllPhrasesChecked,
  }
}

/** Asks a search thread. */
export function askThread({ parts, index, measured, signal }: Run, request: FindRequest): Promise<FindAnswer> {
  return measured.stage('find', () => parts.threads.find(index, request, signal))
}

interface First {
  found: Found
  /** The request with the rows that have its phrases. */
  request: FindRequest
  /** The rows that were checked for phrases. */
  checked: readonly bigint[]
  areAllPhrasesChecked: boolean
}

/** Returns what a search thread finds. For a filter with phrases, reads the texts that may have them before. */
async function find(run: Run, request: FindRequest, answered: FindAnswer | null): Promise<First> {
  const { found, phraseChecks } = answered ?? (await askThread(run, request))
  if (phraseChecks === null) return { found, request, checked: [], areAllPhrasesChecked: true }
  const { index, measured, signal } = run
  signal?.throwIfAborted()
  const checked = [...phraseChecks.rows]
  const rows = await measured.stage('phrases', () => index.rowsWithPhrases(checked, request.filter))
  const complete = { ...request, rowsWithPhrases: BigUint64Array.from(rows) }
  return {
    found: (await askThread(run, complete)).found!,
    request: complete,
    checked,
    areAllPhrasesChecked: phraseChecks.isComplete,
  }
}

export function whyNotReranked({ rerank, sort }: SearchQuery): string | null {
  if (!rerank) return 'The request turned reranking off.'
  return sort === 'relevance' ? null : `Results are reranked only in order of relevance, and \`sort\` is \`${sort}\`.`
}

interface Reranked {
  found: Found
  /** The request that finds the same order again. */
  order: FindRequest
  report: SearchOutcome['rerank']
}

/** Asks the reranker. If a model has scored the best passages, finds them again in the order of the model. */
async function rerank(found: Found, request: FindRequest, run: Run): Promise<Reranked> {
  const { query, measured } = run
  // The first request has already counted the facets.
  const again: FindRequest = { ...request, query: { ...query, facets: null }, forModel: false }
  const reason = whyNotReranked(query)
  if (reason !== null) return { found, order: again, report: { applied: false, model: null, tookMs: 0, reason } }
  const { scores, report, degraded } = await measured.stage('rerank', () => askReranker(found, request, run))
  measured.degraded(degraded)
  if (scores === null) return { found, order: again, report }
  const order: FindRequest = { ...again, rerank: scores }
  return { found: (await askThread(run, order)).found!, order, report }
}

interface ModelAnswer {
  /** The scores of a model that read the passages. Null keeps the order that the search found. */
  scores: ModelScores | null
  report: SearchOutcome['rerank']
  degraded: DegradedReason | null
}

/** Lets the reranker reorder the best candidates. When it fails or is late, the order stays and the report says so. */
async function askReranker({ rerank, groups, forModel }: Found, { question }: FindRequest, run: Run): Promise<ModelAnswer> {
  const { query, index, signal } = run
  const { reranker, log, deadlines } = run.parts
  const started = performance.now()
  const { tookMs, ...before } = rerank
  const report = (outcome: { applied: boolean; reason: string | null; model?: string | null }): SearchOutcome['rerank'] => ({
    model: reranker.model,
    ...outcome,
    tookMs: tookMs + performance.now() - started,
  })
  if (groups.length === 0) return { scores: null, report: report(before), degraded: null }
  try {
    const candidates = await read(forModel, index)
    const asking = { query: question.text, candidates, before, user: query.userId }
    const {
      scores,
      features,
      degraded = null,
      ...outcome
    } = await withDeadline(deadlines.rerankMs, signal, (stop) => reranker.rerank({ ...asking, signal: stop }))
    return { scores: scores && { scores, features }, report: report(outcome), degraded }
  } catch (error) {
    signal?.throwIfAborted()
    log.warn({ err: error, model: reranker.model }, 'not reranked')
    const isLate = error instanceof DeadlinePassed
    const why = isLate ? `did not answer within ${deadlines.rerankMs / 1000} s` : 'failed'
    return {
      scores: null,
      report: report({ ...before, reason: `The reranker ${why}: this is the order without it.` }),
      degraded: isLate ? 'reranker_timeout' : 'reranker_failed',
    }
  }
}

/** Reads the texts of candidates. Leaves out passages that no longer exist. */
async function read(candidates: Found['forModel'], index: Run['index']): Promise<RerankCandidate[]> {
  if (candidates.length === 0) return []
  const texts = await index.passages(candidates.map(({ row }) => row))
  return candidates.flatMap(({ id, row, score }) => {
    const passage = texts.get(row)
    if (passage === undefined) return []
    return { id, score, text: passage.text, title: passage.title || null, heading: passage.heading }
  })
}

/** Returns the results up to the end of the page, without those whose documents no longer exist. */
async function fillPage(first: Found, order: FindRequest, run: Run): Promise<Result[]> {
  const { query, parts, measured, signal } = run
  const projects = new Set(query.projectIds)
  const getMany = (ids: readonly string[]) => parts.records.documents.getMany(projects, ids)
  const resultsOf = ({ groups }: Found) => measured.stage('read', () => takeExisting(groups, order.wanted, getMany))
  let found = first
  let results = await resultsOf(found)
  for (let wanted = MORE * order.wanted; results.length < order.wanted && found.more; wanted *= MORE) {
    signal?.throwIfAborted()
    found = (await askThread(run, { ...order, wanted })).found!
    results = await resultsOf(found)
  }
  return results
}

/**
 * Marks the words of the question, and the other words for them, in the texts. For quick texts, asking a thread would take longer than marking
 * them. Other texts would make other requests wait.
 */
async function mark(
  hits: readonly Unmarked[],
  { question }: FindRequest,
  { query, parts, measured, signal }: Run,
): Promise<SearchHit[]> {
  const { terms, expansions } = question
  const others = expansions.flatMap(({ alternatives }) => alternatives.flatMap(({ words }) => words.flat()))
  const marked = [...terms, ...others]
  const texts = hits.flatMap(({ text, more }) => [text, ...more.map((other) => other.text)])
  const highlights = await measured.stage('highlight', async () =>
    isQuickToHighlight(texts) ? highlight(texts, marked) : parts.threads.highlight(query.userId, texts, marked, signal),
  )
  let at = 0
  return hits.map((hit) => ({
    ...hit,
    highlights: highlights[at++]!,
    more: hit.more.map((other) => ({ ...other, highlights: highlights[at++]! })),
  }))
}
