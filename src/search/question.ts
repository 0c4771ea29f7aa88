import { BreakerOpen } from '../core/breaker.ts'
import { DeadlinePassed, withDeadline } from '../core/deadline.ts'
import { isDocsearchError } from '../core/errors.ts'
import { measuredFloor } from '../core/noise.ts'
import type { DegradedReason } from '../core/telemetry.ts'
import { isInVocabulary } from '../text/english-words.ts'
import { analyse, possibleTerms, queryWords, type QueryWord } from '../text/analyse.ts'
import { shownLanguage } from '../text/language.ts'
import { correctableWords } from '../text/spelling.ts'
import { isUnspaced } from '../text/tokenize.ts'
import { expand } from './expansions/expand.ts'
import type { ExactQuestion, Question } from './find-request.ts'
import type { ParsedQuery } from './parse.ts'
import type { Run } from './run.ts'
import type { Corrected } from './spelling.ts'

/**
 * How many words of a question keyword search and reranking use, because each word costs time in every candidate. A pasted page
 * of prose has fewer. The vector covers the whole question.
 */
const MAX_WORDS = 512

/** What `askQuestion` needs of a search. */
type Asking = Pick<Run, 'query' | 'typed' | 'synonyms' | 'embedder' | 'unrelatedSimilarity' | 'signal'> & {
  parts: Pick<Run['parts'], 'deadlines' | 'log' | 'fusionWeight'>
}

/**
 * Analyses and embeds a question after its words have been corrected. When the embedder is down, too slow or not the one of the index, the
 * mode becomes `keyword`. `before` is the question before the correction.
 */
export async function askQuestion(
  { text, free }: ParsedQuery,
  corrected: Corrected,
  run: Asking,
  before: Question | null = null,
): Promise<Question> {
  const { query, typed, synonyms } = run
  const expandable = free.map(([start, end]) => (corrected.query ?? query.query).slice(start, end))
  const words = readFiscalYears(queryWords(text)).slice(0, MAX_WORDS)
  const { vector, ...embedded } = before !== null && isEmbedded(before, text) ? embeddedOf(before) : await embed(text, run)
  return {
    text,
    terms: [...words.flatMap((word) => word.terms), ...corrected.terms],
    words,
    expansions: expand({ texts: expandable, words, synonyms }),
    language: shownLanguage(analyse(text), 1),
    typedTerms: corrected.query === null ? null : queryWords(typed.text).flatMap(({ terms }) => terms),
    ...embedded,
    ...weigh(vector, text, exactQuestion(typed.text), run),
  }
}

type Embedded = Pick<Question, 'vector' | 'mode' | 'modeReason' | 'degraded'>

/** True when embedding the text would give the same, or when the embedder failed a moment ago: the user would wait for it twice. */
function isEmbedded(before: Question, text: string): boolean {
  return before.text === text || before.degraded !== null
}

function embeddedOf({ vector, mode, modeReason, degraded }: Question): Embedded {
  return { vector, mode, modeReason, degraded }
}

async function embed(text: string, { query: { mode, userId }, embedder, parts, signal }: Asking): Promise<Embedded> {
  if (mode === 'keyword') return { vector: null, mode, modeReason: null, degraded: null }
  const byKeywords = (what: string, degraded: DegradedReason): Embedded => ({
    vector: null,
    mode: 'keyword',
    modeReason: `Searched by keywords only: the embedder ${embedder.name} ${what}.`,
    degraded,
  })
  const { embedMs } = parts.deadlines
  try {
    const vector = await withDeadline(embedMs, signal, (stop) => embedder.embedQuery(text, stop, userId))
    if (vector.length === embedder.dimensions)
      return { vector: hasDirection(vector) ? vector : null, mode, modeReason: null, degraded: null }
    parts.log.warn(
      { model: embedder.name, expected: embedder.dimensions, got: vector.length },
      'the embedder returned a vector of another length',
    )
    return byKeywords('answers like another model than the one that made the index', 'embedder_changed')
  } catch (error) {
    signal?.throwIfAborted()
    const failure = describe(error, embedMs)
    if (failure === null) throw error
    parts.log.warn({ err: error, model: embedder.name }, 'question not embedded, searching by keywords')
    return byKeywords(failure.reason, failure.degraded)
  }
}

/** How much the vectors count in a question of numbers and identifiers: they only decide between equals. */
const IDENTIFIERS_WEIGHT = 0.1

/** Says how much a vector counts. Names and numbers are found by their letters, and vectors would only get in the way. */
function weigh(
  vector: Float32Array | null,
  text: string,
  exact: ExactQuestion,
  { embedder, unrelatedSimilarity, parts: { fusionWeight } }: Asking,
): Pick<Question, 'vector' | 'exact' | 'vectorWeight' | 'hasMeaning' | 'noiseFloor'> {
  if (vector === null) return { vector, exact, vectorWeight: 0, hasMeaning: false, noiseFloor: null }
  const weight = fusionWeight ?? embedder.fusionWeight(vector, text)
  return {
    vector,
    exact,
    vectorWeight: exact.hasOnlyIdentifiers ? weight * IDENTIFIERS_WEIGHT : weight,
    hasMeaning: embedder.hasMeaning(vector),
    noiseFloor:
      embedder.noiseFloor(vector) ?? (unrelatedSimilarity && measuredFloor(unrelatedSimilarity, hasKnownWords(exact.name))),
  }
}

/** Returns whether at least half of the words that a question consists of are English, and not letters without a meaning. */
function hasKnownWords(question: string): boolean {
  const words = correctableWords(question)
  const known = words.filter(({ word, isCommon }) => isCommon() || isInVocabulary(word))
  return known.length > 0 && known.length >= words.length / 2
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

/** No identifier is longer. The time of the comparison grows with the length. */
const MAX_IDENTIFIER_CHARS = 100
const AROUND = /^["'“”„«»(<[]+|["'“”„«»)>\].,;:!?]+$/gu
const HAS_DIGIT = /\p{N}/u

/** Reads what a question names exactly. `query` is the question as the user typed it. */
export function exactQuestion(query: string): ExactQuestion {
  const name = query.trim()
  const word = name.replace(AROUND, '')
  const isIdentifier = /^\S+$/.test(word) && HAS_DIGIT.test(word) && !isUnspaced(word) && word.length <= MAX_IDENTIFIER_CHARS
  return {
    name,
    identifier: isIdentifier ? analyse(word).map(({ known }) => possibleTerms(known.lower)) : null,
    hasOnlyIdentifiers: hasOnlyIdentifiers(name),
  }
}

/** A word with a digit, an underscore or a capital within: a part number, a date, the name of a variable. */
const IDENTIFIER = /\p{N}|\S_\S|\p{Ll}\p{Lu}/u

function hasOnlyIdentifiers(query: string): boolean {
  const words = query.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word))
  return words.length > 0 && words.every((word) => IDENTIFIER.test(word) && !isUnspaced(word))
}
