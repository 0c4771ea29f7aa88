import { createRequire } from 'node:module'

/** Languages with a stemmer. English uses Porter's instead of Snowball's, because it did better on every English collection that was tried. */
export type Language =
  | 'english'
  | 'german'
  | 'french'
  | 'spanish'
  | 'italian'
  | 'portuguese'
  | 'dutch'
  | 'swedish'
  | 'danish'
  | 'norwegian'
  | 'finnish'
  | 'hungarian'
  | 'romanian'
  | 'turkish'
  | 'russian'
  | 'arabic'
  | 'armenian'
  | 'tamil'

interface Stemmer {
  stem(word: string): string
}

/** Loaded with the first word, because the command line imports this module and never stems. */
const require = createRequire(import.meta.url)
let factory: { newStemmer(algorithm: string): Stemmer } | null = null
const stemmers = new Map<Language, Stemmer>()

/** Terms by language and word. Texts repeat their words, so with this cache stemming costs less than tokenizing. */
const cache = new Map<Language | 'plain', Map<string, string>>()
const MAX_CACHED = 50_000

/** Longer words are cut in documents and queries alike, so they still match. */
const MAX_BYTES = 63
const ASCII_WORD = /^[\x21-\x7e]*$/

/** Returns the form of a lower-case word in the index: stemmed unless `language` is null, without diacritics, at most 63 bytes of UTF-8. */
export function toTerm(word: string, language: Language | null): string {
  const key = language ?? 'plain'
  let terms = cache.get(key)
  if (terms === undefined) cache.set(key, (terms = new Map()))
  let term = terms.get(word)
  if (term === undefined) {
    if (terms.size >= MAX_CACHED) terms.clear()
    // A number has no endings, and a longer string is no word of any language.
    const canStem = language !== null && word.length > 2 && word.length <= 48 && !/\p{N}/u.test(word)
    const stem = canStem ? stemmerOf(language).stem(word) : word
    // Without this, a word of nothing but marks (a single tatweel) would become empty.
    term = cut(fold(stem) || fold(word) || word)
    terms.set(word, term)
  }
  return term
}

function stemmerOf(language: Language): Stemmer {
  let stemmer = stemmers.get(language)
  if (stemmer === undefined) {
    factory ??= require('snowball-stemmers') as { newStemmer(algorithm: string): Stemmer }
    stemmer = factory.newStemmer(language === 'english' ? 'porter' : language)
    stemmers.set(language, stemmer)
  }
  return stemmer
}

const LETTERS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
}
// Accents, Arabic vowel signs, Hebrew points. Not all marks: the vowel signs of Indic scripts are letters to their readers.
const DIACRITICS = /[\u0300-\u036F\u0591-\u05C7\u0640\u064B-\u065F\u0670]/g

/** Removes diacritics, so that `Kündigung` matches `Kundigung`. */
export function fold(word: string): string {
  if (ASCII_WORD.test(word)) return word
  return word
    .normalize('NFD')
    .replace(DIACRITICS, '')
    .replace(/[ßæœøłđðþı]/g, (letter) => LETTERS[letter]!)
    .normalize('NFC')
}

function cut(term: string): string {
  if (Buffer.byteLength(term) <= MAX_BYTES) return term
  let out = ''
  let bytes = 0
  for (const character of term) {
    bytes += Buffer.byteLength(character)
    if (bytes > MAX_BYTES) break
    out += character
  }
  return out
}
