import type { KnownWord } from '../../text/known.ts'
import type { ModelTable } from './file.ts'
import { createPhrases } from './phrases.ts'
import { modelWord } from './words.ts'

/** What text means as a sum of what its words and phrases mean (see training/README.md). */
export interface WordVectors {
  readonly dimensions: number
  /** The place of a word in the model, UNKNOWN for one it does not know, NO_WORD for a number. */
  find(word: KnownWord): number
  /** Of length 1, of the words at those places in their order; null when none of them is known. Repetition counts. */
  meaningOf(places: readonly number[]): Float32Array | null
}

export const UNKNOWN = -1
export const NO_WORD = -2

export function createWordVectors({ dimensions, words: wordCount, wordList, pairs, scales, rows }: ModelTable): WordVectors {
  const words = new Map<string, number>()
  for (const word of wordList.split('\n')) words.set(word, words.size)
  const phraseOf = createPhrases(pairs)
  const bytesPerRow = dimensions / 2
  // Of the text at hand; a row that occurs is listed once.
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
      // In double precision, so that the order of the words makes no difference that shows.
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
