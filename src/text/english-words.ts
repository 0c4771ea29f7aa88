import { closeSync, openSync, readSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The built-in embedder's model. Its first line says how long the list of words is that follows. The path is right from src/ and from dist/. */
const FILE = fileURLToPath(new URL('../../models/english.bin', import.meta.url))
/** The first line and the list have about half of this. */
const MAX_LIST_BYTES = 2 ** 20

let words: string | null = null
let ranks: ReadonlyMap<string, number> | null = null

/** True for a word in lower case that the built-in model has: common English, names, and the vocabulary of several fields. */
export function isInVocabulary(word: string): boolean {
  words ??= `\n${readWords()}\n`
  // Searching the text takes about 50 µs. A set of the words would take several megabytes for the few words of a question.
  return words.includes(`\n${word}\n`)
}

/**
 * Returns how common an English word in lower case is: 0 for the most common word, 59,999 for the rarest one that the built-in model knows.
 * Null for any other word. The first call reads the list, which takes about 20 ms.
 */
export function englishRank(word: string): number | null {
  ranks ??= new Map(
    readWords()
      .split('\n')
      .map((listed, rank) => [listed, rank]),
  )
  return ranks.get(word) ?? null
}

/**
 * Reads the words, one a line, without the vectors that follow them (`training/README.md` describes the layout). Without the file, there are no
 * words; loading the embedder reports the file.
 */
function readWords(): string {
  try {
    const file = openSync(FILE, 'r')
    try {
      const bytes = Buffer.alloc(MAX_LIST_BYTES)
      const length = readSync(file, bytes)
      const end = bytes.indexOf('\n')
      const { wordBytes } = JSON.parse(bytes.toString('utf8', 0, end)) as { wordBytes: number }
      const start = Math.ceil((end + 1) / 4) * 4
      return bytes.toString('utf8', start, Math.min(length, start + wordBytes))
    } finally {
      closeSync(file)
    }
  } catch {
    return ''
  }
}
