import { joinCompounds, partsOf } from './compounds.ts'
import { EVERY_LANGUAGE, guessLanguages, isStopWord, languagesOfWord, plausibleLanguages } from './language.ts'
import type { Languages } from './language.ts'
import { knownOf, knownWord, type KnownWord } from './known.ts'
import { toTerm } from './stem.ts'
import { tokenize } from './tokenize.ts'
import type { Word } from './tokenize.ts'
import { wordsBeginningWith } from './words-beginning.ts'

/** Part of an index's fingerprint. Raise it with every change of the tokens that `analyse` returns. */
export const ANALYSER_VERSION = 1

export interface Token {
  /** The form in the index: folded and stemmed, at most 63 bytes, without blanks. */
  term: string
  /** The word itself. `known.lower` is `ab1234` for `AB-1234`. */
  known: KnownWord
  /** The token's place in the text, in UTF-16 code units. Tokens can overlap (camelCase parts, bigrams). */
  start: number
  end: number
  /**
   * A function word. The index has it, so that a query of only function words finds something and passages have their true length. A
   * query with other words ignores it, and so do vectors and rerankers.
   */
  stop: boolean
}

/** Called for each form of a word in the index: the word, its parts (`max` of `maxTokens`), and several words joined (`AB-1234`). */
type Visit = (known: KnownWord, word: Word, stop: boolean, role: Role) => void

/** The form of a word. A run of a script without blanks gives single characters and overlapping pairs of them. */
type Role = 'word' | 'part' | 'compound' | 'character' | 'pair'

/**
 * Returns every token of a text that goes into the index, in order. Words are stemmed in the language that the text is probably
 * in, or not at all. Runs of Han, Kana, Hangul and Thai give single characters and overlapping bigrams. Compounds give their parts
 * and the whole.
 */
export function analyse(text: string): readonly Token[] {
  // Each passage is analysed twice in a row: for the index of words and for its vector.
  if (latest.text === text) return latest.tokens
  const tokens = tokensOf(text)
  latest = { text, tokens }
  return tokens
}

let latest: { text: string; tokens: readonly Token[] } = { text: '', tokens: [] }

function tokensOf(text: string): Token[] {
  const words = tokenize(text)
  const languages = guessLanguages(words)
  const tokens: Token[] = []
  eachEntry(text, words, languages, (known, { start, end }, stop) => {
    tokens.push({ term: termOf(known, languages), known, start, end, stop })
  })
  return tokens
}

/** The Turkish stemmer hardens the last letter of a stem, also if it is the only one: `dini` becomes `t`. */
const SOFT: ReadonlyMap<string, string> = new Map([
  ['t', 'd'],
  ['p', 'b'],
])

/** Returns a 1 for each ASCII character with which a word can begin that has one of the terms. */
export function initialsOf(terms: Iterable<string>): Uint8Array {
  const initials = new Uint8Array(128)
  // Stemming and folding keep the first character of an ASCII word.
  for (const term of terms) for (const word of [term, SOFT.get(term) ?? term]) initials[word.charCodeAt(0)] = 1
  return initials
}

/** A UUID has five pieces. Part numbers, dates and versions have fewer. */
const MANY_PIECES = 5

/** Finds the places of terms in texts. */
export class TermFinder {
  readonly #terms: ReadonlySet<string>
  readonly #initials: Uint8Array

  constructor(terms: Iterable<string>) {
    this.#terms = new Set(terms)
    this.#initials = initialsOf(this.#terms)
  }

  /** Returns where a text has tokens with one of the terms, as `analyse` finds them. Most other words are only counted. */
  placesIn(text: string): { start: number; end: number }[] {
    const [terms, initials] = [this.#terms, this.#initials]
    const { words, languages } = wordsBeginningWith(initials, text)
    const places: { start: number; end: number }[] = []
    eachEntry(text, words, languages, (known, { start, end }) => {
      if (known.ascii && initials[known.lower.charCodeAt(0)] === 0) return
      if (terms.has(termOf(known, languages))) places.push({ start, end })
    })
    return places
  }
}

/** Stems a word in the language of the text. The word keeps its term, because the next text is probably in the same language. */
function termOf(known: KnownWord, languages: Languages): string {
  const language = (known.ascii ? languages.latin : languagesOfWord(known.lower, languages))[0] ?? null
  if (known.stem?.language !== language) known.stem = { language, term: toTerm(known.lower, language) }
  return known.stem.term
}

/** A word of a query, with all terms under which the index may have it. */
export interface QueryWord {
  terms: readonly string[]
  role: Role
}

/**
 * Returns the terms of a query, for a search that accepts any of them. Stop words are left out unless the query has no other words.
 *
 * A few words don't show their language. So each word comes unstemmed and stemmed in every language that the query may be in, and
 * one of these terms is the one that `analyse` made of the word in a document. A repeated word gives its terms twice, because
 * repetition counts in BM25.
 */
export function analyseQuery(query: string): string[] {
  return queryWords(query).flatMap((word) => word.terms)
}

/** Returns the words of a query in order with the terms of `analyseQuery`, for callers that need the distances between words. */
export function queryWords(query: string): QueryWord[] {
  const words = tokenize(query)
  const languages = plausibleLanguages(words)
  let entries: { lower: string; stop: boolean; role: Role; start: number }[] = []
  eachEntry(query, words, languages, ({ lower }, word, stop, role) => {
    if (role === 'compound' && !isWorthAsking(word, query)) return
    if (role === 'compound') entries = withoutChanceParts(entries, word.start)
    entries.push({ lower, stop, role, start: word.start })
  })
  const chosen = entries.some((entry) => !entry.stop) ? entries.filter((entry) => !entry.stop) : entries
  return chosen.map(({ lower, role }) => {
    const stems = languagesOfWord(lower, languages).map((language) => toTerm(lower, language))
    return { terms: [...new Set([toTerm(lower, null), ...stems])], role }
  })
}

/**
 * Leaves out the parts of words in the compound that begins at `start` and ends with the last entry, if it has many pieces, like a UUID. A number
 * within such a piece has no meaning of its own: `99` in `6b99` would find any 99, such as a page number.
 */
function withoutChanceParts<E extends { role: Role; start: number }>(entries: E[], start: number): E[] {
  const first = entries.findLastIndex((entry) => entry.start < start) + 1
  const inside = entries.slice(first)
  if (inside.filter(({ role }) => role === 'word').length < MANY_PIECES) return entries
  return [...entries.slice(0, first), ...inside.filter(({ role }) => role !== 'part')]
}

/** Returns every term that `analyse` makes of a word, in lower case, in a text of whatever language. */
export function possibleTerms(lower: string): readonly string[] {
  const known = possible.get(lower)
  if (known !== undefined) return known
  const stems = languagesOfWord(lower, EVERY_LANGUAGE).map((language) => toTerm(lower, language))
  const terms = [...new Set([toTerm(lower, null), ...stems])]
  if (possible.size >= MAX_POSSIBLE) possible.clear()
  possible.set(lower, terms)
  return terms
}

/** Stemming a word in every language is slow, and results have the same words again and again. */
const possible = new Map<string, readonly string[]>()
const MAX_POSSIBLE = 10_000

/** Calls `visit` for each form of each word. A list would be slower, and every word of every document passes through here. */
function eachEntry(text: string, words: readonly Word[], languages: Languages, visit: Visit): void {
  const joined = joinCompounds(text, words)
  const isAllCapitals = isShouting(words)
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!
    if (word.characters !== null) {
      eachOfRun(word.characters, visit)
      continue
    }
    const known = knownOf(word)
    // Capitals in a text of mixed case are an acronym: WHO, IT, US.
    const isAcronym = known.capitals && known.lower.length > 1 && !isAllCapitals
    visit(known, word, !isAcronym && isStopWord(known, languages), 'word')
    if (known.splittable) for (const part of partsOf(word)) visit(knownOf(part), part, false, 'part')
    const compound = joined.get(i)
    if (compound !== undefined) visit(knownOf(compound), compound, false, 'compound')
  }
}

function eachOfRun(characters: readonly Word[], visit: Visit): void {
  for (const [i, character] of characters.entries()) {
    visit(knownOf(character), character, false, 'character')
    const next = characters[i + 1]
    if (next === undefined) continue
    const pair = character.text + next.text
    visit(knownWord(pair), { text: pair, start: character.start, end: next.end, characters: null, known: null }, false, 'pair')
  }
}

/**
 * True for compounds with digits and compounds with a short first part (`e-mail`), which people write with and without a hyphen.
 * Other hyphenated words are found by their parts, and a query with the whole too would count them twice.
 */
function isWorthAsking(compound: Word, query: string): boolean {
  return /\p{N}/u.test(compound.text) || /^\p{L}{1,2}[^\p{L}]/u.test(query.slice(compound.start, compound.end))
}

function isShouting(words: readonly Word[]): boolean {
  return words.every((word) => word.characters !== null || knownOf(word).upper)
}
