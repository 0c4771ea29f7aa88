import type { SearchFilter } from '../core/search-filter.ts'
import { possibleTerms } from './analyse.ts'
import { isUnspaced, tokenize, type Word } from './tokenize.ts'

const WORD_CHARACTER = /[\p{L}\p{M}\p{N}]/u
const EDGE = '[^\\p{L}\\p{M}\\p{N}]'
/** Characters that people and programs use for one another. */
const APOSTROPHES = `'’‘ʼ`
const ALIKE = [APOSTROPHES, '-‐‑', '"“”„']

/** The part of a filter that only the texts can decide. */
export type PhraseFilter = Pick<SearchFilter, 'phrases' | 'withoutPhrases'>

export function hasPhrases({ phrases = [], withoutPhrases = [] }: PhraseFilter): boolean {
  return phrases.length > 0 || withoutPhrases.length > 0
}

/** Patterns for Rust's `regex`, which takes linear time for every pattern. Pass the flag `i` to ignore letter case. */
export interface PhrasePatterns {
  /** Matches any of the phrases, also as part of longer words. */
  anywhere: string
  /** Matches any of the phrases as whole words. Several times slower, because almost any character can precede a phrase. */
  wholeWords: string
}

/** Returns patterns for any of the phrases. White space in a phrase matches any white space. */
export function phrasePatterns(phrases: readonly string[]): PhrasePatterns {
  const parts = phrases.map((phrase) => {
    const text = phrase.normalize('NFC').trim()
    const words = text.split(/\s+/).map((word) => [...word].map(characterPattern).join(''))
    const characters = [...text]
    const before = isInWord(characters[0]) ? `(?:^|${EDGE})` : ''
    const after = isInWord(characters.at(-1)) ? `(?:$|${EDGE})` : ''
    return { before, inside: words.join('\\s+'), after }
  })
  // Phrases with the same edges share them, because an edge is a class of thousands of characters that takes long to compile.
  const groups = Map.groupBy(parts, ({ before, after }) => before + after)
  const insideOf = (group: typeof parts) => group.map(({ inside }) => inside).join('|')
  const whole = [...groups.values()].map((group) => `${group[0]!.before}(${insideOf(group)})${group[0]!.after}`)
  // LanceDB turns a pattern without operators into LIKE and treats its backslashes as escapes. The parentheses prevent that.
  return { anywhere: `(${insideOf(parts)})`, wholeWords: whole.join('|') }
}

/** A word of a phrase as the index has it. */
export interface PhraseWord {
  /** Of these terms, each text with the phrase has one. Which one depends on its language. */
  terms: readonly string[]
  /** How many places after the word before it this word can be, at most. */
  maxGap: number
}

/** Between two words, the index may have four parts and a compound of the first one (`text/analyse.ts`). */
const MAX_WORD_GAP = 6
/** What the last character of a run adds: a pair with the character before, and itself. */
const CHARACTER_GAP = 2
/** `ʼ` is a letter: the text may have one word where the phrase has several. */
const LETTER_APOSTROPHE = 'ʼ'
const WITH_APOSTROPHE = new RegExp(`[${APOSTROPHES}]`, 'gu')
const JOINED = /[\p{L}\p{M}\p{N}\u00AD\u200C\u200D\u2060]+/gu

/** Returns the words that each text with the phrase has, in order. Fewer than the phrase has, if a text may write one of them in another way. */
export function phraseWords(phrase: string): PhraseWord[] {
  const text = phrase.normalize('NFC').replace(WITH_APOSTROPHE, LETTER_APOSTROPHE)
  const words: PhraseWord[] = []
  let maxGap = MAX_WORD_GAP
  const add = (terms: readonly string[]) => {
    words.push({ terms, maxGap })
    maxGap = MAX_WORD_GAP
  }
  for (const { 0: joined } of text.matchAll(JOINED)) {
    const whole = joined.includes(LETTER_APOSTROPHE) ? termsOf(tokenize(joined)) : []
    for (const word of tokenize(joined.replaceAll(LETTER_APOSTROPHE, "'"))) {
      if (word.characters === null) add([...new Set([...termsOf([word]), ...whole])])
      else {
        // In the text, a mark may follow the last character and change it.
        for (const character of word.characters.slice(0, -1)) add(termsOf([character]))
        maxGap += CHARACTER_GAP
      }
    }
  }
  return words
}

function termsOf(words: readonly Word[]): string[] {
  return words.flatMap(({ text }) => possibleTerms(text.toLowerCase()))
}

function isInWord(character: string | undefined): boolean {
  return character !== undefined && WORD_CHARACTER.test(character) && !isUnspaced(character)
}

function characterPattern(character: string): string {
  const alike = ALIKE.find((group) => group.includes(character))
  if (alike !== undefined) return `[${[...alike].map(escape).join('')}]`
  const parts = character.normalize('NFD')
  return parts === character ? escape(character) : `(?:${escape(character)}|${[...parts].map(escape).join('')})`
}

function escape(character: string): string {
  return /[\\^$.*+?()[\]{}|#&~-]/.test(character) ? `\\${character}` : character
}
