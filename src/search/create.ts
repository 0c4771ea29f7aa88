import { fromNow } from '../core/moment.ts'
import type { SearchFilter } from '../core/search-filter.ts'
import { noTelemetry } from '../core/telemetry.ts'
import type { CorrectableWord } from '../text/spelling.ts'
import { ProjectSynonymMatchers } from './expansions/project-synonyms.ts'
import { countFacets } from './facets.ts'
import { MAX_CHECKED } from './filter-segments.ts'
import type { FindAnswer, FindRequest, Question } from './find-request.ts'
import { Measurement, shapeOf } from './measurement.ts'
import { findMessagePages } from './message-pages.ts'
import { parseQuery, type ParsedQuery } from './parse.ts'
import { askQuestion } from './question.ts'
import { askThread, findResultPage, type ResultPage, whyNotReranked } from './result-page.ts'
import type { ActiveIndex, Run, SearchOptions } from './run.ts'
import type { Search, SearchOutcome, SearchQuery } from './search.ts'
import { type Corrected, correct, correctableIn, MAX_WORDS, NOT_CORRECTED } from './spelling.ts'

export type { SearchOptions } from './run.ts'

/** A commit may replace passages between finding and reading them. The search then starts over, with at most this many attempts in all. */
const MAX_ATTEMPTS = 3
/** How long a search waits for the embedder and for the reranker before it continues without them. */
const DEADLINES = { embedMs: 5_000, rerankMs: 3_000 }

const REBUILDING = 'A damaged part of the search index is being rebuilt, so some of your documents are missing from this answer.'

const BEHIND =
  'The object store did not answer in time. Documents that became ready or changed a moment ago may be missing from this answer.'

const UNCHECKED =
  `Very many passages contain the words of a quoted or excluded phrase. docsearch checked the best ${MAX_CHECKED.toLocaleString('en')} ` +
  'of them for the phrase. Other passages may be missing from this answer.'

type Answer = Omit<SearchOutcome, 'tookMs' | 'pendingDocuments'>

/**
 * Answers questions in these steps: read the operators, analyse and embed the question, have a search thread find the best passages
 * (find-passages.ts), correct words that no passage has and ask again, let a model rerank, and read the result page with its documents.
 */
export function createSearch(options: SearchOptions): Search {
  return new DocumentSearch(options)
}

class DocumentSearch implements Search {
  private readonly options: SearchOptions
  private readonly synonyms: ProjectSynonymMatchers

  constructor(options: SearchOptions) {
    this.options = options
    this.synonyms = new ProjectSynonymMatchers(options.records.synonyms)
  }

  async search(query: SearchQuery, signal?: AbortSignal): Promise<SearchOutcome> {
    signal?.throwIfAborted()
    const { records, lifecycle, telemetry = noTelemetry } = this.options
    const measured = new Measurement(telemetry)
    const typed = parseQuery(query.query)
    // Counted before the index is read: a document that becomes searchable meanwhile may be both counted and found, but is never missing from both.
    const pendingDocuments = await records.documents.countPending(new Set(query.projectIds))
    await lifecycle.catchUp?.()
    const active = lifecycle.active()
    const answer =
      active === null ? this.withoutIndex(query, measured) : await this.answer(query, typed, active, measured, signal)
    const tookMs = measured.milliseconds
    measured.end(answer.mode, () => shapeOf(query, typed, answer))
    return { ...answer, tookMs, pendingDocuments }
  }

  private withoutIndex({ mode, facets }: SearchQuery, measured: Measurement): Answer {
    measured.degraded('no_index')
    return {
      hits: [],
      mode,
      modeReason: `There is no search index yet: ${this.options.lifecycle.choice().reason}`,
      correctedQuery: null,
      correctionReason: null,
      relaxedPhrases: [],
      embeddingModel: null,
      rerank: { applied: false, model: null, tookMs: 0, reason: 'There was nothing to reorder.' },
      facets: facets && countFacets(facets, []),
    }
  }

  private async answer(
    query: SearchQuery,
    typed: ParsedQuery,
    active: ActiveIndex,
    measured: Measurement,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const { records, deadlines = DEADLINES } = this.options
    const isCurrent = await active.index.catchUp()
    const run: Run = {
      query,
      typed,
      ...active,
      synonyms: await this.synonyms.of(query.projectIds),
      messagePages: await findMessagePages(query, typed, { records: records.messages, measured, signal }),
      parts: { ...this.options, deadlines },
      measured,
      signal,
    }
    const { request, answer, corrected } = await askCorrected(run)
    const { page, relaxedPhrases } = await relaxPhrases(request, answer, run)
    const { mode, modeReason, degraded } = request.question
    measured.degraded(degraded)
    return {
      hits: page.hits,
      correctedQuery: corrected.query,
      correctionReason: corrected.reason,
      relaxedPhrases,
      mode,
      modeReason: explain(page, { modeReason, isCurrent, measured }),
      embeddingModel: mode === 'keyword' ? null : active.embedder.name,
      rerank: page.rerank,
      facets: page.facets,
    }
  }
}

interface AskedThread {
  request: FindRequest
  /** What the thread has answered. Null when it has to be asked. */
  answer: FindAnswer | null
  corrected: Corrected
}

/** Asks a search thread. Corrects words of the question that no passage has. After a correction, the thread has to be asked again. */
async function askCorrected(run: Run): Promise<AskedThread> {
  const { query, typed, synonyms, measured } = run
  const words = query.correct ? await measured.stage('spelling', async () => correctableIn(query.query, typed.free)) : []
  const request = await requestOf(run, typed, NOT_CORRECTED, { words })
  const answer = await askThread(run, request)
  const settled = { ...request, spelling: [] }
  if (answer.unknown.length === 0) return { request: settled, answer, corrected: NOT_CORRECTED }
  const { vocabulary } = run.parts.records
  const hasSynonyms = (word: string) => synonyms?.matcher.hasWord(word, synonyms.projectIds) === true
  const options = { projects: new Set(query.projectIds), vocabulary, hasSynonyms }
  const corrected = await measured.stage('spelling', () => correct(query.query, words, answer.unknown, options))
  if (corrected.reason !== null) measured.degraded('spelling_stopped')
  const isAsTyped = corrected.query === null && corrected.terms.length === 0
  if (isAsTyped) return { request: settled, answer, corrected }
  const parsed = corrected.query === null ? typed : parseQuery(corrected.query)
  return { request: await requestOf(run, parsed, corrected, { before: request.question }), answer: null, corrected }
}

async function requestOf(
  run: Run,
  parsed: ParsedQuery,
  corrected: Corrected,
  { words = [], before = null }: { words?: readonly CorrectableWord[]; before?: Question | null },
): Promise<FindRequest> {
  const { query, messagePages, measured, parts } = run
  const question = await measured.stage('embed', () => askQuestion(parsed, corrected, run, before))
  const isReranked = whyNotReranked(query) === null
  const filter: SearchFilter = { ...query.filter, ...parsed.filter, ...messagePages }
  return {
    query,
    question,
    filter,
    rowsWithPhrases: null,
    spelling: words.slice(0, MAX_WORDS).map(({ terms }) => terms),
    wanted: query.offset + query.limit,
    rerank: isReranked ? parts.reranker.base : 'none',
    forModel: isReranked && parts.reranker.readsPassages,
  }
}

/**
 * Searches for the words of the quoted phrases when no passage has the phrases. Keeps the empty page when no passage has the words either,
 * or when the caller wants the query exactly as typed.
 */
async function relaxPhrases(
  request: FindRequest,
  answer: FindAnswer | null,
  run: Run,
): Promise<{ page: ResultPage; relaxedPhrases: readonly string[] }> {
  const page = await findComplete(run, request, answer)
  const { phrases = [] } = request.filter
  // Damaged texts are no reason to search for something else.
  if (!page.isEmpty || page.hasDamagedTexts || phrases.length === 0 || !run.query.correct) return { page, relaxedPhrases: [] }
  const relaxed = await findComplete(run, { ...request, filter: { ...request.filter, phrases: [] } }, null)
  return relaxed.isEmpty ? { page, relaxedPhrases: [] } : { page: relaxed, relaxedPhrases: phrases }
}

/** Finds a result page, again if passages were replaced meanwhile. The next attempt no longer finds documents whose texts are damaged. */
async function findComplete(run: Run, request: FindRequest, answer: FindAnswer | null): Promise<ResultPage> {
  let page = await findResultPage(run, request, answer)
  let { hasDamagedTexts } = page
  for (let attempt = 1; !page.isComplete && attempt < MAX_ATTEMPTS; attempt++) {
    await fromNow(() => run.index.catchUp())
    page = await findResultPage(run, request, null)
    hasDamagedTexts ||= page.hasDamagedTexts
  }
  return { ...page, hasDamagedTexts }
}

/** Returns the reason why an answer is incomplete, and logs it. Returns null for a complete answer. */
function explain(
  { hasDamagedTexts, isIncompleteIndex, areAllPhrasesChecked }: ResultPage,
  { modeReason, isCurrent, measured }: { modeReason: string | null; isCurrent: boolean; measured: Measurement },
): string | null {
  const isIncomplete = hasDamagedTexts || isIncompleteIndex
  if (isIncomplete) measured.degraded('index_incomplete')
  if (!isCurrent) measured.degraded('index_behind')
  return sentences(modeReason, isIncomplete && REBUILDING, !areAllPhrasesChecked && UNCHECKED, !isCurrent && BEHIND)
}

/** Returns the sentences that are there, or null. */
function sentences(...all: (string | null | false)[]): string | null {
  return all.filter(Boolean).join(' ') || null
}
