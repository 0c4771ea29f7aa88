import { BreakerOpen } from '../core/breaker.ts'
import { isDocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { DegradedReason } from '../core/telemetry.ts'
import type { Embedder } from '../embed/embedder.ts'
import { expand, type OwnSynonyms } from './expansions/expand.ts'
import type { Expansion } from './expansions/expansion.ts'
import { analyse, queryWords, type QueryWord } from '../text/analyse.ts'
import { shownLanguage } from '../text/language.ts'
import { DeadlinePassed, withDeadline } from '../core/deadline.ts'
import type { SearchMode } from './search.ts'

/**
 * How many words of a question keyword search and reranking use, because each word costs time in every candidate. A pasted page
 * of prose has fewer. The vector covers the whole question.
 */
const MAX_WORDS = 512

/** A question as the index takes it, and the mode that it can be searched in. */
export interface Question {
  terms: string[]
  /** The same terms, word by word. */
  words: readonly QueryWord[]
  expansions: readonly Expansion[]
  /** The language that it shows, or `NO_LANGUAGE`. */
  language: number
  /** Null in keyword mode, and when the question has nothing to embed. */
  vector: Float32Array | null
  mode: SearchMode
  modeReason: string | null
  /** Set if the question could not be embedded. */
  degraded: DegradedReason | null
}

export interface AskOptions {
  /** The question without its operators. */
  query: string
  /** The parts of the question outside of quotes and operators. Only these are expanded. */
  expandable: readonly string[]
  synonyms: OwnSynonyms | null
  /** Terms to search in addition to the question's terms. */
  furtherTerms: readonly string[]
  mode: SearchMode
  embedder: Embedder
  /** Who asks. */
  user: string
  deadlineMs: number
  signal: AbortSignal | undefined
  log: Logger
}

/** Analyses and embeds a question. When the embedder is down, too slow or not the one of the index, the mode becomes `keyword`. */
export async function askQuestion({
  query,
  expandable,
  synonyms,
  furtherTerms,
  mode,
  embedder,
  user,
  deadlineMs,
  signal,
  log,
}: AskOptions): Promise<Question> {
  const words = readFiscalYears(queryWords(query)).slice(0, MAX_WORDS)
  const language = shownLanguage(analyse(query), 1)
  const terms = [...words.flatMap((word) => word.terms), ...furtherTerms]
  const asked = { terms, words, language, expansions: expand({ texts: expandable, words, synonyms }) }
  if (mode === 'keyword') return { ...asked, vector: null, mode, modeReason: null, degraded: null }
  try {
    const vector = await withDeadline(deadlineMs, signal, (stop) => embedder.embedQuery(query, stop, user))
    if (vector.length === embedder.dimensions)
      return { ...asked, vector: hasDirection(vector) ? vector : null, mode, modeReason: null, degraded: null }
    log.warn(
      { model: embedder.name, expected: embedder.dimensions, got: vector.length },
      'the embedder returned a vector of another length',
    )
    return {
      ...asked,
      vector: null,
      mode: 'keyword',
      modeReason: becauseOf(embedder, 'answers like another model than the one that made the index'),
      degraded: 'embedder_changed',
    }
  } catch (error) {
    signal?.throwIfAborted()
    const failure = describe(error, deadlineMs)
    if (failure === null) throw error
    log.warn({ err: error, model: embedder.name }, 'question not embedded, searching by keywords')
    const { reason, degraded } = failure
    return { ...asked, vector: null, mode: 'keyword', modeReason: becauseOf(embedder, reason), degraded }
  }
}

/** False for the vector of a text without any feature: all zeros, equally far from everything. */
function hasDirection(vector: Float32Array): boolean {
  let square = 0
  for (let i = 0; i < vector.length; i++) square += vector[i]! * vector[i]!
  return Number.isFinite(square) && square > 0
}

function describe(error: unknown, deadlineMs: number): { reason: string; degraded: DegradedReason } | null {
  if (error instanceof DeadlinePassed)
    return { reason: `did not answer within ${deadlineMs / 1000} s`, degraded: 'embedder_timeout' }
  if (!isDocsearchError(error)) return null
  if (error.cause instanceof BreakerOpen)
    return { reason: 'did not answer an earlier query in time and has not answered since', degraded: 'embedder_timeout' }
  if (error.code === 'embedding_model_changed')
    return { reason: 'now gives other vectors than those in the index', degraded: 'embedder_changed' }
  if (error.code === 'embedder_unavailable')
    return { reason: 'cannot be reached or is overloaded', degraded: 'embedder_unavailable' }
  return { reason: `could not embed the question (${error.code})`, degraded: 'embedder_failed' }
}

function becauseOf(embedder: Embedder, what: string): string {
  return `Searched by keywords only: the embedder ${embedder.name} ${what}.`
}

const FISCAL_YEAR = /^fy(?:20)?(?<year>\d\d)$/
const YEAR = /^(?:20)?\d\d$/

/**
 * Reads `FY2018` and `FY18` as the same word, and as the year 2018. `FY` alone is no word of such a question: a report that writes
 * `fiscal 2018` would lose to every list that has FY23.
 */
export function readFiscalYears(words: readonly QueryWord[]): QueryWord[] {
  const read: QueryWord[] = []
  /** The year whose parts come next. */
  let year: string | null = null
  for (const [i, word] of words.entries()) {
    const [term] = word.terms
    if (word.role !== 'part') year = FISCAL_YEAR.exec(term!)?.groups!['year'] ?? null
    if (word.role !== 'part' && year !== null) read.push({ ...word, terms: [`fy20${year}`, `fy${year}`] })
    else if (word.role === 'part' && year !== null) {
      if (term !== 'fy') read.push({ ...word, terms: [`20${year}`] })
    } else if (term !== 'fy' || !YEAR.test(words[i + 1]?.terms[0] ?? '')) read.push(word)
  }
  return read
}
