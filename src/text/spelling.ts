import { knownOf } from './known.ts'
import { isCommon, isStopWord, languagesOfWord, likelyLanguages, plausibleLanguages } from './language.ts'
import { toTerm } from './stem.ts'
import { tokenize } from './tokenize.ts'

/** A word of a question that could be misspelled. */
export interface CorrectableWord {
  /** In lower case. */
  word: string
  /** Its place in the question, in UTF-16 code units. */
  start: number
  end: number
  /** The terms under which the index may have it. */
  terms: readonly string[]
  /** True for a common word of a language that the question is likely to be in. Such a word is not misspelled, even if no document has it. */
  isCommon(): boolean
}

const LETTERS = /^[\p{L}\p{M}]{4,40}$/u
const SMALL_LETTER = /\p{Ll}/u
/** Characters that join the parts of an identifier, an address or a path. */
const JOINS = /[_@\\]/
const CAPITAL = /^\p{Lu}/u
/** What separates a word from the sentence before it. */
const END_OF_SENTENCE = /[.!?:;。！？…\n]/u
const WORD_CHARACTER = /[\p{L}\p{M}\p{N}]/u
const PART_OF_NAME = /^\.[\p{L}\p{N}]/u

/**
 * Returns the words of a question that could be misspelled. These have four letters or more. Words with digits, camelCase, parts
 * of identifiers and addresses, acronyms (capitals in a question that also has small letters), names (a capital within a sentence),
 * function words and words of scripts without blanks are left out.
 */
export function correctableWords(question: string): CorrectableWord[] {
  const words = tokenize(question)
  const languages = plausibleLanguages(words)
  const likely = likelyLanguages(words)
  const hasMixedCase = SMALL_LETTER.test(question)
  // German writes nouns with a capital, and a title writes most words so.
  const showsNames = !likely.includes('german') && words.some(({ text }) => !CAPITAL.test(text) && SMALL_LETTER.test(text))
  return words.flatMap((word) => {
    const known = knownOf(word)
    const { start, end } = word
    if (word.characters !== null || known.splittable || !LETTERS.test(word.text) || isStopWord(known, languages)) return []
    if ((known.capitals && hasMixedCase) || isPartOfName(question, start, end)) return []
    if (showsNames && CAPITAL.test(word.text) && !beginsSentence(question, start)) return []
    const stems = languagesOfWord(known.lower, languages).map((language) => toTerm(known.lower, language))
    const terms = [...new Set([toTerm(known.lower, null), ...stems])]
    return [{ word: known.lower, start, end, terms, isCommon: () => isCommon(known.lower, likely) }]
  })
}

function beginsSentence(text: string, at: number): boolean {
  for (let i = at - 1; i >= 0 && !WORD_CHARACTER.test(text[i]!); i--) if (END_OF_SENTENCE.test(text[i]!)) return true
  return !WORD_CHARACTER.test(text.slice(0, at))
}

function isPartOfName(text: string, start: number, end: number): boolean {
  if (JOINS.test(text[start - 1] ?? '') || JOINS.test(text[end] ?? '')) return true
  return PART_OF_NAME.test(text.slice(end, end + 3)) || /[\p{L}\p{N}]\.$/u.test(text.slice(Math.max(0, start - 3), start))
}

/** Returns how many edits may lie between a misspelled word of this length and its correction. */
export function maxEditsIn(word: string): number {
  const letters = [...word].length
  return letters < 4 ? 0 : letters < 8 ? 1 : 2
}

/** Returns the correction in the letter case of the word that it replaces: all capitals, a first capital, or unchanged. */
export function withCaseOf(replaced: string, correction: string): string {
  if (replaced === replaced.toUpperCase() && replaced !== replaced.toLowerCase()) return correction.toUpperCase()
  const [first = '', ...rest] = correction
  return /^\p{Lu}/u.test(replaced) ? first.toUpperCase() + rest.join('') : correction
}
