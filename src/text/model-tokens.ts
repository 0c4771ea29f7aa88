import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bertUncased } from './model-text.ts'
import { estimateTokens, GEMMA, QWEN } from './subword-estimate.ts'

/**
 * The ways to count the tokens of a model: `bert` is exact, `gemma` and `qwen` are estimates for one tokenizer each, `unknown` an estimate from above
 * for any model, and `words` counts about what people call words.
 */
export type TokenCounter = 'words' | 'bert' | 'gemma' | 'qwen' | 'unknown'
export type CountTokens = (text: string) => number

const COUNTERS: Record<TokenCounter, CountTokens> = {
  words: countWords,
  bert: countWordPieces,
  gemma: (text) => estimateTokens(text, GEMMA),
  qwen: (text) => estimateTokens(text, QWEN),
  unknown: estimateSubwords,
}

/** Returns a function that counts the tokens of a text. Prefixes and special tokens are not included. */
export function tokenCounter(name: TokenCounter): CountTokens {
  return COUNTERS[name]
}

/** How many tokens each kind of character costs. */
interface Cost {
  word(letters: number): number
  digits(count: number): number
  /** A letter outside ASCII within a word (é, я, α). */
  foreignLetter: number
  /** A punctuation mark or another character that is no letter, digit or blank. */
  symbol: number
  /** A character outside the Basic Multilingual Plane: emoji, rare Han. */
  astral: number
}

/** Counts words as people do. Long words count a little more, so that a passage of compounds is not twice as long as others. */
const WORDS: Cost = {
  word: (letters) => Math.max(1, Math.round(letters / 6)),
  digits: () => 1,
  foreignLetter: 0,
  symbol: 0,
  astral: 1,
}

/**
 * Estimates the tokens of a subword tokenizer. It errs upwards, because a model refuses a passage that is too long, and the passage
 * then has no vector. English prose has about 1.3 tokens for a word of five letters, here 1.6. WordPiece and SentencePiece break
 * unknown words into pieces of two to four letters. Several models count each digit, and English vocabularies count each letter of
 * other alphabets. Characters that are in no vocabulary become bytes.
 */
const SUBWORDS: Cost = {
  word: (letters) => (letters <= 20 ? Math.ceil(letters / 4) : Math.ceil(letters / 2)),
  digits: (count) => count,
  foreignLetter: 1,
  symbol: 1,
  astral: 4,
}

/** Counts words, roughly. A Chinese or Japanese character counts as a word. Linear, without allocation. */
export function countWords(text: string): number {
  return count(text, WORDS)
}

/** Estimates the tokens of a text, from above, for any model. Prefixes and special tokens are not included. */
export function estimateSubwords(text: string): number {
  return count(text, SUBWORDS)
}

/** Cuts a text to at most `maxTokens`. Never cuts within a character. */
export function cutToTokens(text: string, maxTokens: number, countTokens: CountTokens = estimateSubwords): string {
  let cut = text
  for (let tokens = countTokens(cut); tokens > maxTokens; tokens = countTokens(cut)) {
    cut = cut.slice(0, Math.min(cut.length - 1, Math.floor((cut.length * maxTokens) / tokens)))
  }
  return cut.toWellFormed() === cut ? cut : cut.slice(0, -1)
}

/** Splits a text into parts of at most `maxTokens`, at blanks if it has any. Returns the text itself when it is short enough. */
export function splitByTokens(text: string, maxTokens: number, countTokens: CountTokens): string[] {
  const parts: string[] = []
  for (let rest = text; ;) {
    const part = cutToTokens(rest, maxTokens, countTokens)
    if (part.length === rest.length || part === '') return [...parts, rest]
    const blank = /\s\S*$/.exec(part)?.index ?? 0
    const end = blank > 0 ? blank : part.length
    parts.push(rest.slice(0, end))
    rest = rest.slice(end).trimStart()
    if (rest === '') return parts
  }
}

function count(text: string, cost: Cost): number {
  let total = 0
  let letters = 0
  let digits = 0
  for (let i = 0; i <= text.length; i++) {
    const code = i < text.length ? text.charCodeAt(i) : 32
    const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
    const isDigit = code >= 48 && code <= 57
    const isForeign = isForeignLetter(code)
    if (isLetter || isForeign) letters++
    else if (letters > 0) {
      total += cost.word(letters)
      letters = 0
    }
    if (isDigit) digits++
    else if (digits > 0) {
      total += cost.digits(digits)
      digits = 0
    }
    if (isForeign) total += cost.foreignLetter
    else if (isLetter || isDigit || code <= 32 || code === 0xa0) continue
    else if (code >= 0xd800 && code <= 0xdfff) total += cost.astral / 2
    else if (isUnspaced(code)) total += 1
    else total += cost.symbol
  }
  return Math.ceil(total)
}

/**
 * Returns true for letters outside ASCII in scripts with blanks between words: Latin to Arabic and the scripts of India, Amharic,
 * Vietnamese, decomposed Hangul, and the presentation forms in PDFs. Their Unicode blocks contain hardly anything else.
 */
function isForeignLetter(code: number): boolean {
  if (code < 0x1100) return code >= 0xc0 && code < 0x0e00
  if (code < 0x2000) return code < 0x1780 || code >= 0x1800
  return (
    (code >= 0x2c00 && code < 0x2e00) ||
    (code >= 0xfb00 && code < 0xfe00) ||
    (code >= 0xfe70 && code < 0xff00) ||
    (code >= 0xff21 && code < 0xff5b)
  )
}

function isUnspaced(code: number): boolean {
  return (
    (code >= 0x0e00 && code < 0x1100) || (code >= 0x1780 && code < 0x1800) || (code >= 0x3040 && code < 0xd800) || code >= 0xff66
  )
}

/** The path is right from src/ and from dist/. */
const VOCABULARY_FILE = fileURLToPath(new URL('../../models/bert-uncased.txt', import.meta.url))
const CONTINUED = '##'
const MAX_REMEMBERED = 50_000

/** Each thread reads the vocabulary once, when it first needs it. */
let vocabulary: ReadonlySet<string> | null = null
const remembered = new Map<string, number>()

/** Counts the tokens that models with the vocabulary of bert-base-uncased make of a text, exactly. Special tokens are not included. */
function countWordPieces(text: string): number {
  let total = 0
  for (const word of bertUncased(text).split(' ')) {
    if (word === '') continue
    let pieces = remembered.get(word)
    if (pieces === undefined) {
      pieces = countPieces(word)
      if (remembered.size >= MAX_REMEMBERED) remembered.clear()
      remembered.set(word, pieces)
    }
    total += pieces
  }
  return total
}

/** Takes the longest known piece each time. A word with an unknown rest is one unknown token. `bertUncased` bounds the length of a word. */
function countPieces(word: string): number {
  vocabulary ??= new Set(readFileSync(VOCABULARY_FILE, 'utf8').split('\n'))
  let count = 0
  for (let from = 0; from < word.length; count++) {
    const mark = from === 0 ? '' : CONTINUED
    let to = word.length
    while (to > from && !vocabulary.has(mark + word.slice(from, to))) to--
    if (to === from) return 1
    from = to
  }
  return count
}
