import { STOP_WORDS } from './stop-words.ts'
import type { Language } from './stem.ts'

/** Everything about a word that doesn't depend on its place. */
export interface KnownWord {
  /** The word itself. */
  text: string
  lower: string
  /** Equal to itself in capitals: `WHO`, `42`. */
  upper: boolean
  /** `upper`, with letters that have a small form: `WHO`. */
  capitals: boolean
  ascii: boolean
  /** Has a change of case within, or letters next to digits: `maxTokens`, `ISO27001`. */
  splittable: boolean
  /** The languages that list it as a stop word. */
  listed: readonly Language[]
  /** The word's term in the language of the text that had it last. */
  stem: { language: Language | null; term: string } | null
  /** The word's row in the word vectors that looked it up last, so that they look up each word once. */
  row: { of: object; row: number } | null
  /** The word's entry in the word list that had it last. The list is named by a number, so that words don't keep it in memory. */
  counted: { of: number; term: string; entry: unknown } | null
}

/** The languages that list each stop word, so that one look-up is enough. */
const LISTED = new Map<string, Language[]>()
for (const [language, words] of Object.entries(STOP_WORDS) as [Language, Iterable<string>][]) {
  for (const word of words) {
    const languages = LISTED.get(word)
    if (languages === undefined) LISTED.set(word, [language])
    else languages.push(language)
  }
}

const ASCII = /^[\x20-\x7e]*$/
/** Most words are plain, and need no further checks. */
const PLAIN = /^[A-Za-z][a-z]*$/
const SPLITTABLE = /\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}|\p{L}\p{N}|\p{N}\p{L}/u
const NOWHERE: readonly Language[] = []
const MAX_KNOWN = 50_000
const known = new Map<string, KnownWord>()

/** Returns what is known about a word. Texts repeat their words, so most are found here and not examined again. */
export function knownWord(text: string): KnownWord {
  let word = known.get(text)
  if (word === undefined) {
    if (known.size >= MAX_KNOWN) known.clear()
    const lower = text.toLowerCase()
    const upper = text === text.toUpperCase()
    const plain = PLAIN.test(text)
    const listed = LISTED.get(lower) ?? NOWHERE
    word = {
      text,
      lower,
      upper,
      capitals: upper && text !== lower,
      ascii: plain || ASCII.test(text),
      splittable: !plain && SPLITTABLE.test(text),
      listed,
      stem: null,
      row: null,
      counted: null,
    }
    known.set(text, word)
  }
  return word
}

/** For each hash, the word that had it last. */
const HASHES = 1 << 15
const latest: (KnownWord | undefined)[] = Array.from({ length: HASHES })

/**
 * Returns the word between two places of a text. It looks the word up by a hash of its characters, which for frequent words is
 * cheaper than cutting it out of the text. `codes` are the text's UTF-16 code units.
 */
export function knownAt(text: string, codes: Uint16Array, start: number, end: number, hash: number): KnownWord {
  const slot = (hash ^ (hash >>> 15)) & (HASHES - 1)
  const last = latest[slot]
  if (last !== undefined && last.text.length === end - start && isAt(last.text, codes, start)) return last
  return (latest[slot] = knownWord(text.slice(start, end)))
}

function isAt(word: string, codes: Uint16Array, start: number): boolean {
  for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) !== codes[start + i]) return false
  return true
}

/** The languages with stop words. */
export const LISTING_LANGUAGES = Object.keys(STOP_WORDS) as Language[]
/** ASCII stop words with the numbers of their languages, by a hash of their letters. Open addressing, at most a quarter full. */
const STOP_WORD_SLOTS = 1 << 12
const stopWords: ({ word: string; languages: readonly number[] } | undefined)[] = Array.from({ length: STOP_WORD_SLOTS })
for (const [word, listed] of LISTED) {
  if (!PLAIN.test(word)) continue
  let hash = 0
  for (let i = 0; i < word.length; i++) hash = hashSmallLetter(hash, word.charCodeAt(i))
  let slot = stopWordSlot(hash)
  while (stopWords[slot] !== undefined) slot = (slot + 1) % STOP_WORD_SLOTS
  stopWords[slot] = { word, languages: listed.map((language) => LISTING_LANGUAGES.indexOf(language)) }
}
const NO_LANGUAGES: readonly number[] = []

/** Adds an ASCII letter or digit to the hash of a word. Capitals count as small letters. */
export function hashSmallLetter(hash: number, code: number): number {
  return Math.imul(hash ^ (code | 0x20), 0x01000193)
}

function stopWordSlot(hash: number): number {
  return (hash ^ (hash >>> 15)) & (STOP_WORD_SLOTS - 1)
}

/**
 * Returns the languages that have a word of ASCII letters and digits as a stop word, by their numbers in `LISTING_LANGUAGES`. `hash` comes
 * from `hashSmallLetter`.
 */
export function listingAt(codes: Uint16Array, start: number, end: number, hash: number): readonly number[] {
  for (let slot = stopWordSlot(hash); ; slot = (slot + 1) % STOP_WORD_SLOTS) {
    const entry = stopWords[slot]
    if (entry === undefined) return NO_LANGUAGES
    if (entry.word.length === end - start && isInSmallLettersAt(entry.word, codes, start)) return entry.languages
  }
}

function isInSmallLettersAt(word: string, codes: Uint16Array, start: number): boolean {
  for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) !== (codes[start + i]! | 0x20)) return false
  return true
}

/** Returns what is known about a word, and keeps it with the word because several callers need it. */
export function knownOf(word: { text: string; known: KnownWord | null }): KnownWord {
  return (word.known ??= knownWord(word.text))
}
