import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bertUncased } from './model-text.ts'

/** The path is right from src/ and from dist/. */
const VOCABULARY_FILE = fileURLToPath(new URL('../../models/bert-uncased.txt', import.meta.url))
const CONTINUED = '##'
const MAX_REMEMBERED = 50_000

/** Each thread reads the vocabulary once, when it first needs it. */
let vocabulary: ReadonlySet<string> | null = null
const remembered = new Map<string, number>()

/** Counts the tokens that models with the vocabulary of bert-base-uncased make of a text, exactly. Special tokens are not included. */
export function countWordPieces(text: string): number {
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
