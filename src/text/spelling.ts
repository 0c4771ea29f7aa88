import { isCommon } from './common-words.ts'
import { knownOf } from './known.ts'
import { isStopWord, languagesOfWord, likelyLanguages, plausibleLanguages } from './language.ts'
import { fold, toTerm } from './stem.ts'
import { tokenize } from './tokenize.ts'

/** A word of a question that may be misspelt. */
export interface SpeltWord {
  /** Lower case. */
  word: string
  /** Where it stands in the question, in UTF-16 code units. */
  start: number
  end: number
  /** Under which it may stand in the index. */
  terms: readonly string[]
  /** A common word of a language that the question is likely to be in, whatever the documents say: no slip. */
  isCommon(): boolean
}

const LETTERS = /^[\p{L}\p{M}]{4,40}$/u
const SMALL_LETTER = /\p{Ll}/u
/** What joins the parts of an identifier, an address or a path. */
const JOINS = /[_@\\]/
const PART_OF_NAME = /^\.[\p{L}\p{N}]/u

/**
 * The words of a question that a person can have misspelt: of four letters or more, not of digits or camelCase, no part of an identifier or address,
 * no acronym (capitals among words that have none), no function word, nothing of a script without blanks.
 */
export function spelling(question: string): SpeltWord[] {
  const words = tokenize(question)
  const languages = plausibleLanguages(words)
  const likely = likelyLanguages(words)
  const mixed = SMALL_LETTER.test(question)
  return words.flatMap((word) => {
    const known = knownOf(word)
    const { start, end } = word
    if (word.characters !== null || known.splittable || !LETTERS.test(word.text) || isStopWord(known, languages)) return []
    if ((known.capitals && mixed) || isPartOfName(question, start, end)) return []
    const stems = languagesOfWord(known.lower, languages).map((language) => toTerm(known.lower, language))
    const terms = [...new Set([toTerm(known.lower, null), ...stems])]
    return [{ word: known.lower, start, end, terms, isCommon: () => isCommon(known.lower, likely) }]
  })
}

function isPartOfName(text: string, start: number, end: number): boolean {
  if (JOINS.test(text[start - 1] ?? '') || JOINS.test(text[end] ?? '')) return true
  return PART_OF_NAME.test(text.slice(end, end + 3)) || /[\p{L}\p{N}]\.$/u.test(text.slice(Math.max(0, start - 3), start))
}

/** How many slips a word of this length may have. */
export function slipsIn(word: string): number {
  const letters = [...word].length
  return letters < 4 ? 0 : letters < 8 ? 1 : 2
}

/** As it is compared: without accents, which are often left out and never a slip of their own. */
export function spelt(word: string): string {
  return fold(word)
}

/**
 * Letters put in, left out, changed or swapped with their neighbour between two words (Damerau-Levenshtein, no letter moved twice);
 * `most` + 1 when there are more than `most`.
 */
export function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  // A slip brings in one letter and takes one away at most: few of the thousands of words that are looked at need more than this.
  if (ones(lettersOf(a) ^ lettersOf(b)) > 2 * most) return most + 1
  let [beforeLast, last, row] = ROWS
  for (let j = 0; j <= b.length; j++) last[j] = j
  for (let i = 1; i <= a.length; i++) {
    row[0] = i
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, beforeLast[j - 2]! + 1)
      row[j] = cost
      least = Math.min(least, cost)
    }
    if (least > most) return most + 1
    ;[beforeLast, last, row] = [last, row, beforeLast]
  }
  return Math.min(last[b.length]!, most + 1)
}

/** Reused, because a correction compares thousands of words. */
const ROWS: [number[], number[], number[]] = [[], [], []]

/** Which letters there are, a bit each (or one for several, in large alphabets). */
function lettersOf(word: string): number {
  let letters = 0
  for (let i = 0; i < word.length; i++) letters |= 1 << (word.charCodeAt(i) & 31)
  return letters
}

function ones(bits: number): number {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++
  return count
}

/** The word in the letter case of what it takes the place of: all capitals, a first capital, or as it is. */
export function inCaseOf(word: string, model: string): string {
  if (model === model.toUpperCase() && model !== model.toLowerCase()) return word.toUpperCase()
  const [first = '', ...rest] = word
  return /^\p{Lu}/u.test(model) ? first.toUpperCase() + rest.join('') : word
}
