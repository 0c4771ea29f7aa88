import { closeSync, openSync, readSync } from 'node:fs'
import { MODEL_FILE, readHeader } from './file.ts'

/** Longer than the first line of a model's file. */
const MAX_HEADER_BYTES = 4096

/** The words of the shipped model, between line feeds. Read with the first word that is looked up, without the vectors that follow them. */
let words: string | null = null

/** True for a word in lower case that the shipped English model has: common English, names, and the vocabulary of several fields. */
export function isInVocabulary(word: string): boolean {
  words ??= readWords()
  // Searching the text takes about 50 µs. A set of the words would take several megabytes for the few words of a question.
  return words.includes(`\n${word}\n`)
}

/** Returns no words when the file can't be read. Only the embedder needs the model to work at all. */
function readWords(): string {
  let file: number | null = null
  try {
    file = openSync(MODEL_FILE, 'r')
    const { wordBytes, start } = readHeader(bytesOf(file, 0, MAX_HEADER_BYTES))
    return `\n${bytesOf(file, start, wordBytes).toString('utf8')}\n`
  } catch {
    return '\n'
  } finally {
    if (file !== null) closeSync(file)
  }
}

function bytesOf(file: number, start: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  return bytes.subarray(0, readSync(file, bytes, 0, length, start))
}
