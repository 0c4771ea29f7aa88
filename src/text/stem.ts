import { createRequire } from 'node:module'

/** Languages with a Snowball stemmer here. English takes Porter's, which did better on every English collection tried. */
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

/** Loaded at the first word: the command line imports this layer and stems nothing. */
const require = createRequire(import.meta.url)
let factory: { newStemmer(algorithm: string): Stemmer } | null = null
const stemmers = new Map<Language, Stemmer>()

/** Stems by language and word. Text repeats itself: with this, stemming costs less than tokenising. */
const known = new Map<Language | 'plain', Map<string, string>>()
const MAX_KNOWN = 50_000

// Index tokens of 64 bytes and more are dropped by LanceDB (maxTokenLength 64): cut alike in documents and queries, long words still meet.
const MAX_BYTES = 63
const ASCII_WORD = /^[\x21-\x7e]*$/

/** The form under which a lower-case word is indexed: stemmed (null: not), then freed of diacritics; at most 63 bytes of UTF-8. */
export function toTerm(word: string, language: Language | null): string {
  const key = language ?? 'plain'
  let terms = known.get(key)
  if (terms === undefined) known.set(key, (terms = new Map()))
  let term = terms.get(word)
  if (term === undefined) {
    if (terms.size >= MAX_KNOWN) terms.clear()
    // A number has no endings, and beyond this length it is no word of any language.
    const stemmable = language !== null && word.length > 2 && word.length <= 48 && !/\p{N}/u.test(word)
    const stem = stemmable ? stemmerOf(language).stem(word) : word
    // A letter that is nothing but a mark (a lone tatweel) would leave nothing.
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
// Accents, Arabic vowel signs, Hebrew points. Not every mark: the vowel signs of Indic scripts are letters to their readers.
const DIACRITICS = /[\u0300-\u036F\u0591-\u05C7\u0640\u064B-\u065F\u0670]/g

/** Without diacritics, so that `Kündigung` and `Kundigung` meet. */
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
