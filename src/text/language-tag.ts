import { knownOf, LISTING_LANGUAGES } from './known.ts'
import { PERSIAN_OR_URDU, shownLanguage, UKRAINIAN_OR_OTHER } from './language.ts'
import type { Language } from './stem.ts'
import { tokenize } from './tokenize.ts'

/** Enough text to show its language. */
const MAX_CHARACTERS = 1_000
/** Scripts that show a language by themselves. Kana comes before Han, because Japanese has both. */
const SCRIPTS: readonly (readonly [RegExp, string])[] = [
  [/[\p{Script=Hira}\p{Script=Kana}]/gu, 'ja'],
  [/\p{Script=Han}/gu, 'zh'],
  [/\p{Script=Hang}/gu, 'ko'],
  [/\p{Script=Grek}/gu, 'el'],
  [/\p{Script=Hebr}/gu, 'he'],
  [/\p{Script=Thai}/gu, 'th'],
  [/\p{Script=Armn}/gu, 'hy'],
  [/\p{Script=Taml}/gu, 'ta'],
  [/\p{Script=Arab}/gu, 'ar'],
]
/** What only texts of other scripts than Latin have. Punctuation, such as typographic quotes, is not part of it. */
const BEYOND_LATIN = /[\u0370-\u1fff\u2e80-\udfff\uf900-\ufdff]/
const LETTER = /\p{L}/gu
/** The least share of letters that makes a script the script of a text. Japanese has few kana in a title. */
const MIN_SHARE: Readonly<Record<string, number>> = { ja: 0.1 }
const DEFAULT_MIN_SHARE = 0.5

const TAGS: Readonly<Partial<Record<Language, string>>> = {
  english: 'en',
  german: 'de',
  french: 'fr',
  spanish: 'es',
  italian: 'it',
  portuguese: 'pt',
  dutch: 'nl',
  swedish: 'sv',
  danish: 'da',
  norwegian: 'no',
  finnish: 'fi',
  hungarian: 'hu',
  romanian: 'ro',
  turkish: 'tr',
  russian: 'ru',
}

/**
 * Returns the BCP 47 tag of the language that the beginning of a text shows by its script or its stop words, such as `de`. Returns null
 * for a text that does not show it clearly, such as a table.
 */
export function languageTag(text: string): string | null {
  const start = text.slice(0, MAX_CHARACTERS)
  if (BEYOND_LATIN.test(start)) {
    if (UKRAINIAN_OR_OTHER.test(start) || PERSIAN_OR_URDU.test(start)) return null
    const tag = tagOfScript(start)
    if (tag !== null) return tag
  }
  const words = tokenize(start).flatMap((word) => (word.characters === null ? { known: knownOf(word) } : []))
  const language = LISTING_LANGUAGES[shownLanguage(words) - 1]
  return (language !== undefined && TAGS[language]) || null
}

function tagOfScript(text: string): string | null {
  const letters = countOf(text, LETTER)
  const hasShare = ([script, tag]: (typeof SCRIPTS)[number]) =>
    countOf(text, script) >= letters * (MIN_SHARE[tag] ?? DEFAULT_MIN_SHARE)
  return (letters > 0 && SCRIPTS.find(hasShare)?.[1]) || null
}

function countOf(text: string, characters: RegExp): number {
  return text.match(characters)?.length ?? 0
}
