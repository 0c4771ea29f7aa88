import type { SynonymRule } from '../../core/synonyms.ts'
import { isCommon } from '../../text/common-words.ts'
import { EVERY_LANGUAGE, isStopWord } from '../../text/language.ts'
import { knownOf } from '../../text/known.ts'
import { fold } from '../../text/stem.ts'
import { tokenize, type Word } from '../../text/tokenize.ts'

/** A word or phrase of a rule. */
export interface SynonymPhrase {
  text: string
  words: readonly Word[]
  /** The phrase counts only in capitals, because its word is also an ordinary word: `IT`, `OR`. */
  needsCapitals: boolean
}

/** A phrase in a question, with the other phrases of its rules. */
export interface SynonymMatch {
  /** The first word of the question that belongs to it, and the number of words. */
  start: number
  length: number
  others: readonly SynonymPhrase[]
}

interface Entry {
  phrase: SynonymPhrase
  keys: readonly string[]
  others: readonly SynonymPhrase[]
}

/** A phrase with more words names nothing. */
const MAX_WORDS = 8

/** Finds the phrases of some rules in questions, ignoring letter case, diacritics and plural endings. */
export class SynonymMatcher {
  /** By the key of their first word. */
  readonly #entries = new Map<string, Entry[]>()

  constructor(rules: readonly SynonymRule[]) {
    for (const { words, expandsTo } of rules) {
      const phrases = words.map(toPhrase)
      const targets = (expandsTo?.map(toPhrase) ?? phrases).filter(canBeFound)
      for (const phrase of phrases) this.#add(phrase, targets)
    }
  }

  /** Returns the matches that begin with a word, the longest first. */
  matchesAt(words: readonly Word[], start: number): SynonymMatch[] {
    const entries = this.#entries.get(keyOf(words[start]!)) ?? []
    return entries
      .filter(({ phrase, keys }) => keys.every((key, i) => hasKey(words[start + i], key, phrase.needsCapitals)))
      .map(({ keys, others }) => ({ start, length: keys.length, others }))
      .toSorted((a, b) => b.length - a.length)
  }

  #add(phrase: SynonymPhrase, targets: readonly SynonymPhrase[]): void {
    const keys = phrase.words.map(keyOf)
    const others = targets.filter((target) => keysOf(target) !== keys.join(' '))
    if (keys.length === 0 || keys.length > MAX_WORDS || others.length === 0) return
    const first = keys[0]!
    const entries = this.#entries.get(first)
    if (entries === undefined) this.#entries.set(first, [{ phrase, keys, others }])
    else entries.push({ phrase, keys, others })
  }
}

function toPhrase(text: string): SynonymPhrase {
  const words = tokenize(text)
  const [only, ...more] = words
  const needsCapitals = only !== undefined && more.length === 0 && knownOf(only).capitals && isOrdinary(only)
  return { text, words, needsCapitals }
}

function isOrdinary(word: Word): boolean {
  return isStop(word) || isCommon(knownOf(word).lower, ['english'])
}

/** False when the index can't tell the phrase from ordinary words: `IT`, or letters such as the ones of `T&C`. */
function canBeFound({ words, needsCapitals }: SynonymPhrase): boolean {
  if (needsCapitals || words.length > MAX_WORDS) return false
  const telling = words.filter((word) => !isStop(word))
  return telling.length > 0 && telling.every(({ text, characters }) => characters !== null || text.length > 1)
}

export function isStop(word: Word): boolean {
  return isStopWord(knownOf(word), { ...EVERY_LANGUAGE, latin: ['english'] })
}

function hasKey(word: Word | undefined, key: string, needsCapitals: boolean): boolean {
  return word !== undefined && keyOf(word) === key && (!needsCapitals || knownOf(word).capitals)
}

function keysOf({ words }: SynonymPhrase): string {
  return words.map(keyOf).join(' ')
}

/** Ignores diacritics and a plural ending. A stem would take `local` for `localization`. */
function keyOf(word: Word): string {
  const folded = fold(knownOf(word).lower)
  if (isStop(word) || folded.length < 4) return folded
  return folded.replace(/ies$/, 'y').replace(/([^s])s$/, '$1')
}
