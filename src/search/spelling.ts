import { setImmediate } from 'node:timers/promises'
import { editDistance } from '../core/edit-distance.ts'
import type { ProjectIds, Vocabulary } from '../records/records.ts'
import { isInVocabulary } from '../text/english-words.ts'
import { type CorrectableWord, correctableWords, maxEditsIn, withCaseOf } from '../text/spelling.ts'
import { fold } from '../text/stem.ts'

/** At most this many words are corrected: a longer text was pasted, and is no question. */
export const MAX_WORDS = 32
/**
 * The maximum time of spelling correction for a query. However large the vocabularies of one user's projects are, it must not slow down other
 * users.
 */
const BUDGET_MS = 20
/** The maximum number of equally near words whose documents are counted. Words of real languages have fewer neighbours. */
const MAX_NEAREST = 100

export interface SpellingOptions {
  /** The projects that are searched. */
  projects: ProjectIds
  vocabulary: Pick<Vocabulary, 'wordsFrom' | 'entries'>
  /** Returns whether a phrase of the projects' synonyms has a word. It is then right, although no document has it. */
  hasSynonyms?: (word: string) => boolean
  budget?: TimeBudget
}

export interface Corrected {
  /** The question with its misspelled words replaced. Null when there is nothing to correct. */
  query: string | null
  /** Terms of words that the documents have, but in a language that the question alone does not reveal. */
  terms: string[]
  /** Why some words were not looked up and stay as typed. Null if all words were looked up. */
  reason: string | null
}

export const NOT_CORRECTED: Corrected = { query: null, terms: [], reason: null }

/** The nearest word of the documents, with its terms. */
interface Nearest {
  word: string
  terms: string[]
}

interface Correction extends Nearest {
  of: CorrectableWord
}

/** Returns the words of a query that may be corrected. `spans` are the parts of the query where they may stand. */
export function correctableIn(query: string, spans: readonly (readonly [start: number, end: number])[]): CorrectableWord[] {
  return correctableWords(query).filter(({ start, end }) => spans.some(([from, to]) => from <= start && end <= to))
}

/**
 * Corrects the words of a query that no passage of the projects has. `unknown` has their positions among the correctable `words`. Each becomes
 * the nearest word of the documents: with the same first letter and one edit, or two from eight letters on; among equally near words, the
 * one in the most documents. A known word is right even when no document has it: `date` is not a misspelling of `data`, nor `prion` of
 * `prior`. When the time is up, the words that have not been looked up yet stay as they are.
 */
export async function correct(
  query: string,
  words: readonly CorrectableWord[],
  unknown: readonly number[],
  options: SpellingOptions,
): Promise<Corrected> {
  return new Speller(options).correct(query, words, unknown)
}

class Speller {
  readonly #options: SpellingOptions
  readonly #budget: TimeBudget

  constructor(options: SpellingOptions) {
    this.#options = options
    this.#budget = options.budget ?? new TimeBudget(BUDGET_MS)
  }

  async correct(query: string, words: readonly CorrectableWord[], unknown: readonly number[]): Promise<Corrected> {
    const found: Correction[] = []
    let isComplete = true
    let senseless = 0
    for (const word of unknown.map((position) => words[position]!)) {
      // If the documents have the word itself, it is right, in a language that the question alone does not reveal.
      const itself = await this.#bestOf([word.word])
      if (itself === null && this.#isRight(word)) continue
      const nearest = itself ?? (await this.#nearestWord(word))
      if (nearest === 'out of time') {
        isComplete = false
        break
      }
      if (nearest !== null) found.push({ of: word, ...nearest })
      else senseless++
    }
    return {
      // Letters without a meaning are near to some word by chance.
      ...apply(query, senseless > words.length / 2 ? found.filter(({ of, word }) => word === of.word) : found),
      reason: isComplete
        ? null
        : `Spelling correction stopped after ${BUDGET_MS} ms, so docsearch searched for some words as you typed them.`,
    }
  }

  /** True for a word that is right in itself: it is common, the shipped model has it, or it has synonyms. */
  #isRight({ word, isCommon }: CorrectableWord): boolean {
    return isCommon() || isInVocabulary(word) || this.#options.hasSynonyms?.(word) === true
  }

  async #nearestWord({ word }: CorrectableWord): Promise<Nearest | null | 'out of time'> {
    const { vocabulary, projects } = this.#options
    const initial = String.fromCodePoint(word.codePointAt(0)!)
    const candidates = new NearestWords(word)
    for (let after: string | null = ''; after !== null;) {
      if (this.#budget.isSpent()) return 'out of time'
      const from: string = after
      after = await this.#budget.run(async () => {
        const { words, next } = await vocabulary.wordsFrom(projects, initial, from)
        for (const candidate of words) candidates.add(candidate)
        return next
      })
      // Other requests take their turn before the next words are read.
      if (after !== null) await setImmediate()
    }
    return this.#bestOf(candidates.words)
  }

  /** Returns the word that the most documents have. */
  async #bestOf(words: readonly string[]): Promise<Nearest | null> {
    const { vocabulary, projects } = this.#options
    const entries = await this.#budget.run(() => vocabulary.entries(projects, words))
    const best = entries.toSorted((a, b) => b.documents - a.documents || (a.word < b.word ? -1 : 1))[0]
    if (best === undefined) return null
    return { word: best.word, terms: entries.filter((entry) => entry.word === best.word).map((entry) => entry.term) }
  }
}

/** Collects the words with the smallest edit distance to a given word. */
class NearestWords {
  readonly #length: number
  readonly #maxEdits: number
  readonly #wanted: string
  #edits: number
  words: string[] = []

  constructor(word: string) {
    this.#length = word.length
    this.#maxEdits = maxEditsIn(word)
    this.#wanted = fold(word)
    this.#edits = this.#maxEdits
  }

  add(word: string): void {
    // Several projects may have the word.
    if (Math.abs(word.length - this.#length) > this.#maxEdits || this.words.includes(word)) return
    const edits = editDistance(this.#wanted, fold(word), this.#edits)
    if (edits > this.#edits) return
    if (edits < this.#edits) this.words = []
    this.#edits = edits
    if (this.words.length < MAX_NEAREST) this.words.push(word)
  }
}

/** Replaces the misspelled words of a query. `corrections` are in the order of the query. */
function apply(query: string, corrections: readonly Correction[]): Pick<Corrected, 'query' | 'terms'> {
  const terms: string[] = []
  let corrected = ''
  let at = 0
  for (const { of, word, terms: ownTerms } of corrections) {
    if (word === of.word) {
      terms.push(...ownTerms)
      continue
    }
    corrected += query.slice(at, of.start) + withCaseOf(query.slice(of.start, of.end), word)
    at = of.end
  }
  return { query: at === 0 ? null : corrected + query.slice(at), terms }
}

/**
 * Limits the total time of several pieces of work. It counts the processor time of this thread within `run`, because only work on
 * this thread makes other requests wait. On a busy machine, wall time would use up the budget of short work.
 */
export class TimeBudget {
  readonly #limitMs: number
  readonly #now: () => number
  #usedMs = 0

  /** `now` returns milliseconds. */
  constructor(limitMs: number, now: () => number = threadTime) {
    this.#limitMs = limitMs
    this.#now = now
  }

  isSpent(): boolean {
    return this.#usedMs >= this.#limitMs
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const started = this.#now()
    try {
      return await work()
    } finally {
      this.#usedMs += this.#now() - started
    }
  }
}

function threadTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
