import { knownOf } from './known.ts'
import type { Word } from './tokenize.ts'

const ACRONYMS = /^\p{Lu}+s$/u
const ORDINAL = /^\p{N}+(?:st|nd|rd|th)$/iu
const PART = /\p{N}+|\p{Lu}+(?![\p{Ll}\p{M}])|\p{Lu}?[^\p{Lu}\p{N}]+/gu
const DIGITS = /^\p{N}+$/u
const HAS_DIGIT = /\p{N}/u
// A word with more pieces than this is a random identifier, not a name.
const MAX_PIECES = 4
const MAX_PARTS = 6
const MAX_LENGTH = 40

/**
 * Returns the parts of camelCase and of letters next to digits (`maxTokens`, `ISO27001`); none for an ordinary word. A part has at
 * least two characters. A word that ends in a single letter has no parts: `SaaS` and `28M` are words, not compounds.
 */
export function partsOf(word: Word): Word[] {
  if (!knownOf(word).splittable || ACRONYMS.test(word.text) || ORDINAL.test(word.text)) return []
  // If normalization changed the length, the place of a part is unknown. The part then gets the place of the whole word.
  const isExact = word.text.length === word.end - word.start
  const pieces = [...word.text.matchAll(PART)]
  if (pieces.length > MAX_PIECES || /^\p{L}$/u.test(pieces.at(-1)![0])) return []
  return pieces.flatMap(({ 0: text, index }) => {
    if (text.length === 1) return []
    const start = isExact ? word.start + index : word.start
    return [{ text, start, end: isExact ? start + text.length : word.end, characters: null, known: null }]
  })
}

/**
 * Joins words that are connected by hyphens, underscores, points or commas into an additional word: `AB1234` for `AB-1234`, `email`
 * for `e-mail`, `1234.50` for `1,234.50`, `USA` for `U.S.A.` Returns the joined words by the index of their last part.
 */
export function joinCompounds(text: string, words: readonly Word[]): Map<number, Word> {
  const joined = new Map<number, Word>()
  let first = 0
  for (let i = 1; i <= words.length; i++) {
    if (i < words.length && isConnected(text, words[i - 1]!, words[i]!)) continue
    if (i - first > 1 && i - first <= MAX_PARTS) {
      const word = join(text, words.slice(first, i))
      if (word !== null) joined.set(i - 1, word)
    }
    first = i
  }
  return joined
}

function isConnected(text: string, left: Word, right: Word): boolean {
  if (right.start !== left.end + 1 || left.characters !== null || right.characters !== null) return false
  switch (text[left.end]) {
    case '-':
    case '_':
    case '\u2010':
    case '\u2011':
      return true
    case '.':
      return left.text.length === 1 ? true : HAS_DIGIT.test(left.text) && HAS_DIGIT.test(right.text)
    case ',':
      return isThousands(left, right)
    default:
      return false
  }
}

function isThousands(left: Word, right: Word): boolean {
  return right.text.length === 3 && DIGITS.test(right.text) && DIGITS.test(left.text) && left.text.length <= 3
}

function join(text: string, parts: readonly Word[]): Word | null {
  const isAcronym = parts.every((part) => part.text.length === 1 && !DIGITS.test(part.text))
  let out = ''
  for (const [i, part] of parts.entries()) {
    const previous = parts[i - 1]
    if (previous !== undefined && text[previous.end] === '.' && !isAcronym && !isThousands(previous, part)) out += '.'
    out += part.text
  }
  if (out.length > MAX_LENGTH || (!isAcronym && out.includes('.') && !HAS_DIGIT.test(out))) return null
  return { text: out, start: parts[0]!.start, end: parts.at(-1)!.end, characters: null, known: null }
}
