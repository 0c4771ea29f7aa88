import { isDocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { Embedder } from '../embed/embedder.ts'
import { queryWords, type QueryWord } from '../text/analyse.ts'
import { DeadlinePassed, withDeadline } from './deadline.ts'
import type { SearchMode } from './search.ts'

/** A question as the index takes it, and the mode that is possible with it. */
export interface Question {
  terms: string[]
  /** The same word by word. */
  words: readonly QueryWord[]
  /** Null in keyword mode, and when the question has nothing that could be embedded. */
  vector: Float32Array | null
  mode: SearchMode
  modeReason: string | null
}

export interface AskOptions {
  /** Without operators. */
  query: string
  /** Asked for beside those of the question. */
  furtherTerms: readonly string[]
  mode: SearchMode
  embedder: Embedder
  deadlineMs: number
  signal: AbortSignal | undefined
  log: Logger
}

/** Analyses and embeds. An embedder that is down, slow or not the one the index was made with leaves the words to search by. */
export async function askQuestion({
  query,
  furtherTerms,
  mode,
  embedder,
  deadlineMs,
  signal,
  log,
}: AskOptions): Promise<Question> {
  const words = queryWords(query)
  const terms = [...words.flatMap((word) => word.terms), ...furtherTerms]
  if (mode === 'keyword') return { terms, words, vector: null, mode, modeReason: null }
  try {
    const vector = await withDeadline(deadlineMs, signal, (stop) => embedder.embedQuery(query, stop))
    if (vector.length === embedder.dimensions)
      return { terms, words, vector: pointsSomewhere(vector) ? vector : null, mode, modeReason: null }
    log.warn(
      { model: embedder.name, expected: embedder.dimensions, got: vector.length },
      'the embedder gave a vector of another length',
    )
    return {
      terms,
      words,
      vector: null,
      mode: 'keyword',
      modeReason: becauseOf(embedder, 'answers as another model than the one the index was made with'),
    }
  } catch (error) {
    signal?.throwIfAborted()
    const reason = describe(error, deadlineMs)
    if (reason === null) throw error
    log.warn({ err: error, model: embedder.name }, 'question not embedded, searching by keywords')
    return { terms, words, vector: null, mode: 'keyword', modeReason: becauseOf(embedder, reason) }
  }
}

/** False for a vector of zeros, as a text without any feature gives: it is equally far from everything. */
function pointsSomewhere(vector: Float32Array): boolean {
  const square = vector.reduce((sum, x) => sum + x * x, 0)
  return Number.isFinite(square) && square > 0
}

function describe(error: unknown, deadlineMs: number): string | null {
  if (error instanceof DeadlinePassed) return `did not answer within ${deadlineMs / 1000} s`
  if (isDocsearchError(error, 'embedding_model_changed')) return 'is no longer the model the index was made with'
  if (isDocsearchError(error, 'embedder_unavailable')) return 'cannot be reached or is overloaded'
  if (isDocsearchError(error)) return `could not embed the question (${error.code})`
  return null
}

function becauseOf(embedder: Embedder, what: string): string {
  return `Searched by keywords only: the embedder ${embedder.name} ${what}.`
}
