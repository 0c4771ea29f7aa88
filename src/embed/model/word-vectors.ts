import type { KnownWord } from '../../text/known.ts'
import type { ModelTable } from './file.ts'

/** The meaning of a text, as the sum of the meanings of its words and phrases (training/README.md). */
export interface WordVectors {
  readonly dimensions: number
  /** Returns the place of a word in the model, UNKNOWN for a word it does not have, NO_WORD for a number. */
  find(word: KnownWord): number
  /** Returns a vector of length 1 for the words at these places, in their order. Repetition counts. Null when no word is known. */
  meaningOf(places: readonly number[]): Float32Array | null
}

export const UNKNOWN = -1
export const NO_WORD = -2

export function createWordVectors({ dimensions, words: wordCount, wordList, pairs, scales, rows }: ModelTable): WordVectors {
  const words = new Map<string, number>()
  for (const word of wordList.split('\n')) words.set(word, words.size)
  const phraseOf = createPhrases(pairs)
  const bytesPerRow = dimensions / 2
  // Counts for the current text, and the rows that it has, each once.
  const times = new Int32Array(scales.length)
  const occurring: number[] = []
  const count = (row: number) => {
    if (times[row]!++ === 0) occurring.push(row)
  }

  return {
    dimensions,
    find(known) {
      if (known.row?.of !== words) {
        const word = modelWord(known)
        known.row = { of: words, row: word === null ? NO_WORD : (words.get(word) ?? UNKNOWN) }
      }
      return known.row.row
    },
    meaningOf(places) {
      let before = UNKNOWN
      for (const row of places) {
        if (row >= 0) {
          count(row)
          const phrase = before < 0 ? -1 : phraseOf(before, row)
          if (phrase >= 0) count(wordCount + phrase)
        }
        before = row
      }
      // Double precision, so that the order of the words makes no visible difference.
      const sum = new Float64Array(dimensions)
      for (const row of occurring) {
        const scale = scales[row]! * times[row]!
        times[row] = 0
        const from = row * bytesPerRow
        for (let i = 0; i < bytesPerRow; i++) {
          const two = rows[from + i]!
          sum[2 * i]! += scale * ((two & 15) - 8)
          sum[2 * i + 1]! += scale * ((two >> 4) - 8)
        }
      }
      occurring.length = 0
      return unit(sum)
    },
  }
}

function unit(sum: Float64Array): Float32Array | null {
  let square = 0
  for (let i = 0; i < sum.length; i++) square += sum[i]! * sum[i]!
  if (square === 0) return null
  const scale = 1 / Math.sqrt(square)
  const vector = new Float32Array(sum.length)
  for (let i = 0; i < sum.length; i++) vector[i] = sum[i]! * scale
  return vector
}

/**
 * Returns a function from two neighbouring words to the number of their phrase, or -1. `pairs` holds the two words of each phrase. It uses
 * open addressing over typed arrays: every two words of every document are looked up, and a Map takes five times as long.
 */
function createPhrases(pairs: ArrayLike<number>): (first: number, second: number) => number {
  const count = pairs.length / 2
  const bits = Math.ceil(Math.log2(Math.max(2, count))) + 2
  const mask = (1 << bits) - 1
  const slots = new Int32Array(1 << bits).fill(-1)
  const slotOf = (first: number, second: number) => (Math.imul(Math.imul(first, 0x9e3779b1) ^ second, 0x85ebca6b) >>> 11) & mask

  for (let phrase = 0; phrase < count; phrase++) {
    let slot = slotOf(pairs[2 * phrase]!, pairs[2 * phrase + 1]!)
    while (slots[slot] !== -1) slot = (slot + 1) & mask
    slots[slot] = phrase
  }

  return (first, second) => {
    for (let slot = slotOf(first, second); ; slot = (slot + 1) & mask) {
      const phrase = slots[slot]!
      if (phrase === -1 || (pairs[2 * phrase] === first && pairs[2 * phrase + 1] === second)) return phrase
    }
  }
}

/**
 * Returns a word in the form that the model has: in lower case and not stemmed. Parts of compounds are words of their own. Null for a
 * number, which means nothing by itself. Training and inference both call this function, so that they can't differ.
 */
export function modelWord({ lower }: KnownWord): string | null {
  return isNumber(lower) ? null : lower
}

function isNumber(word: string): boolean {
  const first = word.charCodeAt(0)
  return (first < 97 || first > 122) && /^\p{N}+$/u.test(word)
}
