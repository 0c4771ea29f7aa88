import { EVERY_LANGUAGE, guessLanguages, isStopWord, languagesOfWord, plausibleLanguages, type Languages } from './language.ts'
import { knownOf, knownWord, type KnownWord } from './known.ts'
import { toTerm } from './stem.ts'
import { tokenize, type Word } from './tokenize.ts'

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

/** Stems a word in the language of the text. The word keeps its term, because the next text is probably in the same language. */
export function termOf(known: KnownWord, languages: Languages): string {
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

/** A UUID has five pieces. Part numbers, dates and versions have fewer. */
const MANY_PIECES = 5

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
export function eachEntry(text: string, words: readonly Word[], languages: Languages, visit: Visit): void {
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

const ACRONYMS = /^\p{Lu}+s$/u
const ORDINAL = /^\p{N}+(?:st|nd|rd|th)$/iu
const PART = /\p{N}+|\p{Lu}+(?![\p{Ll}\p{M}])|\p{Lu}?[^\p{Lu}\p{N}]+/gu
const DIGITS = /^\p{N}+$/u
const HAS_DIGIT = /\p{N}/u
// A word with more pieces than this is a random identifier, not a name.
const MAX_PIECES = 4
const MAX_PARTS = 6
const MAX_LENGTH = 40

/**
 * Returns the parts of camelCase and of letters next to digits (`maxTokens`, `ISO27001`); none for an ordinary word. A part has at
 * least two characters. A word that ends in a single letter has no parts: `SaaS` and `28M` are words, not compounds.
 */
function partsOf(word: Word): Word[] {
  if (!knownOf(word).splittable || ACRONYMS.test(word.text) || ORDINAL.test(word.text)) return []
  // If normalization changed the length, the place of a part is unknown. The part then gets the place of the whole word.
  const isExact = word.text.length === word.end - word.start
  const pieces = [...word.text.matchAll(PART)]
  if (pieces.length > MAX_PIECES || /^\p{L}$/u.test(pieces.at(-1)![0])) return []
  return pieces.flatMap(({ 0: text, index }) => {
    if (text.length === 1) return []
    const start = isExact ? word.start + index : word.start
    return [{ text, start, end: isExact ? start + text.length : word.end, characters: null, known: null }]
  })
}

/**
 * Joins words that are connected by hyphens, underscores, points or commas into an additional word: `AB1234` for `AB-1234`, `email`
 * for `e-mail`, `1234.50` for `1,234.50`, `USA` for `U.S.A.` Returns the joined words by the index of their last part.
 */
function joinCompounds(text: string, words: readonly Word[]): Map<number, Word> {
  const joined = new Map<number, Word>()
  let first = 0
  for (let i = 1; i <= words.length; i++) {
    if (i < words.length && isConnected(text, words[i - 1]!, words[i]!)) continue
    if (i - first > 1 && i - first <= MAX_PARTS) {
      const word = join(text, words.slice(first, i))
      if (word !== null) joined.set(i - 1, word)
    }
    first = i
  }
  return joined
}

function isConnected(text: string, left: Word, right: Word): boolean {
  if (right.start !== left.end + 1 || left.characters !== null || right.characters !== null) return false
  switch (text[left.end]) {
    case '-':
    case '_':
    case '\u2010':
    case '\u2011':
      return true
    case '.':
      return left.text.length === 1 ? true : HAS_DIGIT.test(left.text) && HAS_DIGIT.test(right.text)
    case ',':
      return isThousands(left, right)
    default:
      return false
  }
}

function isThousands(left: Word, right: Word): boolean {
  return right.text.length === 3 && DIGITS.test(right.text) && DIGITS.test(left.text) && left.text.length <= 3
}

function join(text: string, parts: readonly Word[]): Word | null {
  const isAcronym = parts.every((part) => part.text.length === 1 && !DIGITS.test(part.text))
  let out = ''
  for (const [i, part] of parts.entries()) {
    const previous = parts[i - 1]
    if (previous !== undefined && text[previous.end] === '.' && !isAcronym && !isThousands(previous, part)) out += '.'
    out += part.text
  }
  if (out.length > MAX_LENGTH || (!isAcronym && out.includes('.') && !HAS_DIGIT.test(out))) return null
  return { text: out, start: parts[0]!.start, end: parts.at(-1)!.end, characters: null, known: null }
}
