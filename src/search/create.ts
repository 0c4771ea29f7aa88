import type { Chance } from '../core/noise.ts'
import type { Logger } from '../core/logger.ts'
import { fromNow } from '../core/moment.ts'
import { noTelemetry, type Telemetry } from '../core/telemetry.ts'
import type { Embedder } from '../embed/embedder.ts'
import type { PassageIndex } from '../index/passage-index.ts'
import type { IndexReading } from '../lifecycle/lifecycle.ts'
import type { Documents, Messages, Synonyms, Vocabulary } from '../records/records.ts'
import type { Reranker } from '../rerank/reranker.ts'
import { exactQuestion } from './exact-question.ts'
import type { OwnSynonyms } from './expansions/expand.ts'
import { ProjectSynonymMatchers } from './expansions/project-synonyms.ts'
import { countFacets } from './facets.ts'
import { findMessagePages } from './message-pages.ts'
import { Measurement, shapeOf } from './measurement.ts'
import { parseQuery, type ParsedQuery } from './parse.ts'
import { askQuestion } from './question.ts'
import { findResultPage, type ResultPage } from './result-page.ts'
import { MAX_CHECKED } from './phrase-checks.ts'
import type { Search, SearchOutcome, SearchQuery } from './search.ts'
import { type Corrected, correct, NOT_CORRECTED } from './spelling.ts'
import type { SearchThreads } from './threads/search-threads.ts'
import { queryWords } from '../text/analyse.ts'

/** A commit may replace passages between finding and reading them. The search then starts over, with at most this many attempts in all. */
const MAX_ATTEMPTS = 3
/** How long a search waits for the embedder and for the reranker before it goes on without them. */
const DEADLINES = { embedMs: 5_000, rerankMs: 3_000 }

const REBUILDING = 'A damaged part of the search index is being rebuilt, so some of your documents are missing from this answer.'

const BEHIND =
  'The object store did not answer in time. Documents that became ready or changed a moment ago may be missing from this answer.'

const UNCHECKED =
  `Very many passages contain the words of a quoted or excluded phrase. docsearch checked the best ${MAX_CHECKED.toLocaleString('en')} ` +
  'of them for the phrase. Other passages may be missing from this answer.'

/** The index that is active, with its embedder. */
interface ActiveIndex {
  embedder: Embedder
  index: PassageIndex
  /** See `OpenIndex.chance`. */
  chance: Chance | null
}

export interface SearchOptions {
  records: {
    documents: Pick<Documents, 'getMany' | 'countPending'>
    vocabulary: Pick<Vocabulary, 'wordsFrom' | 'entries'>
    synonyms: Pick<Synonyms, 'byProject' | 'version'>
    messages: Pick<Messages, 'find'>
  }
  lifecycle: Pick<IndexReading, 'choice' | 'catchUp'> & { active(): ActiveIndex | null }
  reranker: Reranker
  log: Logger
  telemetry?: Telemetry
  threads: SearchThreads
  /** Weight of the vector channel. By default, or when null, the embedder's own weight. */
  fusionWeight?: number | null
  /** How long a search waits for the embedder and for the reranker. */
  deadlines?: { embedMs: number; rerankMs: number }
}

type Answer = Omit<SearchOutcome, 'tookMs' | 'pendingDocuments'>

/**
 * Answers questions in these steps: read the operators, correct the spelling, analyse and embed the question, find candidates by
 * keywords and by vectors, fuse them into one order, rerank the best, group them, and read the result page with its documents.
 */
export function createSearch(options: SearchOptions): Search {
  return new DocumentSearch(options)
}

class DocumentSearch implements Search {
  private readonly options: SearchOptions
  private readonly deadlines: typeof DEADLINES
  private readonly synonyms: ProjectSynonymMatchers

  constructor(options: SearchOptions) {
    this.options = options
    this.deadlines = options.deadlines ?? DEADLINES
    this.synonyms = new ProjectSynonymMatchers(options.records.synonyms)
  }

  async search(query: SearchQuery, signal?: AbortSignal): Promise<SearchOutcome> {
    signal?.throwIfAborted()
    const { records, lifecycle, telemetry = noTelemetry } = this.options
    const measured = new Measurement(telemetry)
    const parsed = parseQuery(query.query)
    // Counted before the index is read: a document that becomes searchable meanwhile may be both counted and found, but is never missing from both.
    const pendingDocuments = await records.documents.countPending(new Set(query.projectIds))
    await lifecycle.catchUp?.()
    const active = lifecycle.active()
    const answer =
      active === null ? this.withoutIndex(query, measured) : await this.answer(query, parsed, active, measured, signal)
    const tookMs = measured.milliseconds
    measured.end(answer.mode, () => shapeOf(query, parsed, answer))
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
    parsed: ParsedQuery,
    active: ActiveIndex,
    measured: Measurement,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const isCurrent = await active.index.catchUp()
    const synonyms = await this.synonyms.of(query.projectIds)
    const spelling = { synonyms, index: active.index, signal }
    const corrected = query.correct
      ? await measured.stage('spelling', () => this.correct(query, parsed, spelling))
      : NOT_CORRECTED
    if (corrected.reason !== null) measured.degraded('spelling_stopped')
    const asked = corrected.query === null ? parsed : parseQuery(corrected.query)
    const asking = {
      query: asked.text,
      expandable: asked.free.map(([start, end]) => (corrected.query ?? query.query).slice(start, end)),
      synonyms,
      furtherTerms: corrected.terms,
      mode: query.mode,
      embedder: active.embedder,
      user: query.userId,
      deadlineMs: this.deadlines.embedMs,
      signal,
      log: this.options.log,
    }
    const question = await measured.stage('embed', () => askQuestion(asking))
    measured.degraded(question.degraded)
    const { records, reranker, threads, log, fusionWeight = null } = this.options
    const exact = exactQuestion(parsed.text)
    const typedTerms = corrected.query === null ? null : queryWords(parsed.text).flatMap(({ terms }) => terms)
    const messagePages = await findMessagePages(query, parsed, { records: records.messages, measured, signal })
    const find = async (parsed: ParsedQuery): Promise<ResultPage> => {
      const request = {
        messagePages,
        query,
        parsed,
        question,
        exact,
        typedTerms,
        ...active,
        fusionWeight,
        threads,
        records,
        reranker,
        rerankMs: this.deadlines.rerankMs,
        measured,
        signal,
        log,
      }
      let page = await findResultPage(request)
      let { hasDamagedTexts } = page
      // The next attempt no longer finds documents whose texts are damaged.
      for (let attempt = 1; !page.isComplete && attempt < MAX_ATTEMPTS; attempt++) {
        await fromNow(() => active.index.catchUp())
        page = await findResultPage(request)
        hasDamagedTexts ||= page.hasDamagedTexts
      }
      return { ...page, hasDamagedTexts }
    }
    const { page, relaxedPhrases } = await relaxPhrases(asked, query, find)
    const { mode } = question
    return {
      hits: page.hits,
      correctedQuery: corrected.query,
      correctionReason: corrected.reason,
      relaxedPhrases,
      mode,
      modeReason: explain(page, { modeReason: question.modeReason, isCurrent, measured }),
      embeddingModel: mode === 'keyword' ? null : active.embedder.name,
      rerank: page.rerank,
      facets: page.facets,
    }
  }

  private correct(
    { query, userId, projectIds }: SearchQuery,
    { free }: ParsedQuery,
    { synonyms, index, signal }: { synonyms: OwnSynonyms | null; index: PassageIndex; signal: AbortSignal | undefined },
  ): Promise<Corrected> {
    const { records, threads } = this.options
    const countTerms = (terms: readonly string[]) => threads.countTerms(index, { userId, projectIds }, terms, signal)
    const hasSynonyms = (word: string) => synonyms?.matcher.hasWord(word, synonyms.projectIds) === true
    return correct(query, { projects: new Set(projectIds), spans: free, vocabulary: records.vocabulary, countTerms, hasSynonyms })
  }
}

/**
 * Searches for the words of the quoted phrases when no passage has the phrases. Keeps the empty page when no passage has the words either,
 * or when the caller wants the query exactly as typed.
 */
async function relaxPhrases(
  asked: ParsedQuery,
  { correct }: Pick<SearchQuery, 'correct'>,
  find: (parsed: ParsedQuery) => Promise<ResultPage>,
): Promise<{ page: ResultPage; relaxedPhrases: readonly string[] }> {
  const page = await find(asked)
  const { phrases = [] } = asked.filter
  // Damaged texts are no reason to search for something else.
  if (!page.isEmpty || page.hasDamagedTexts || phrases.length === 0 || !correct) return { page, relaxedPhrases: [] }
  const relaxed = await find({ ...asked, filter: { ...asked.filter, phrases: [] } })
  return relaxed.isEmpty ? { page, relaxedPhrases: [] } : { page: relaxed, relaxedPhrases: phrases }
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
