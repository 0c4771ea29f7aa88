import { STOP_WORDS } from './stop-words.ts'
import type { Language } from './stem.ts'

/** What a word is wherever it stands. */
export interface KnownWord {
  /** The word itself. */
  text: string
  lower: string
  /** Nothing in it would change in capitals: `WHO`, `42`. */
  upper: boolean
  /** Upper, and of letters that have a small form: `WHO`. */
  capitals: boolean
  ascii: boolean
  /** Letters change their case, or stand next to digits: `maxTokens`, `ISO27001`. */
  splittable: boolean
  /** The languages that list it as a stop word. */
  listed: readonly Language[]
  /** Its term in the language it was last seen in. */
  stem: { language: Language | null; term: string } | null
  /** Kept by the model of word vectors that saw it last, so that it is looked up once and not wherever it stands. */
  row: { of: object; row: number } | null
  /** The same by the word list that saw it last, which is named by a number, because its words must not keep it. */
  counted: { of: number; term: string; entry: unknown } | null
}

/** One look-up a word instead of one a list. */
const LISTED = new Map<string, Language[]>()
for (const [language, words] of Object.entries(STOP_WORDS) as [Language, Iterable<string>][]) {
  for (const word of words) {
    const languages = LISTED.get(word)
    if (languages === undefined) LISTED.set(word, [language])
    else languages.push(language)
  }
}

const ASCII = /^[\x20-\x7e]*$/
/** Most words, of which no more need be asked. */
const PLAIN = /^[A-Za-z][a-z]*$/
const SPLITTABLE = /\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}|\p{L}\p{N}|\p{N}\p{L}/u
const NOWHERE: readonly Language[] = []
const MAX_KNOWN = 50_000
const known = new Map<string, KnownWord>()

/** Text repeats itself: most words are looked up here instead of being examined at each place they stand. */
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

/** A word for each hash, the one met last. */
const HASHES = 1 << 15
const latest: (KnownWord | undefined)[] = Array.from({ length: HASHES })

/**
 * The word between two places of a text, found by a hash of its characters: most are met so often that cutting them out and looking them up would cost
 * more. `codes` are the text's UTF-16 code units.
 */
export function knownAt(text: string, codes: Uint16Array, start: number, end: number, hash: number): KnownWord {
  const slot = (hash ^ (hash >>> 15)) & (HASHES - 1)
  const last = latest[slot]
  if (last !== undefined && last.text.length === end - start && standsAt(last.text, codes, start)) return last
  return (latest[slot] = knownWord(text.slice(start, end)))
}

function standsAt(word: string, codes: Uint16Array, start: number): boolean {
  for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) !== codes[start + i]) return false
  return true
}

/** The same, kept with the word: several ask for it. */
export function knownOf(word: { text: string; known: KnownWord | null }): KnownWord {
  return (word.known ??= knownWord(word.text))
}
