import type { Token } from './analyse.ts'
import { isUnspaced } from './tokenize.ts'

/** A term of the index and one of its words, separated by a blank: `rent rents`. Terms have no blanks. */
export type TermAndWord = string

/** Words that a query can be corrected to. Very short and very long words, and words with digits, are not. */
const WORD = /^[\p{L}\p{M}]{3,40}$/u
/** A long book has fewer distinct words. More of them are not language and must not fill the disk. */
const MAX_WORDS = 20_000
/** Words that are counted. In a text with more, words that come later are ignored. */
const MAX_HELD = 5 * MAX_WORDS

export interface WordList {
  /** Counts the words of the next passage. */
  addPassage(tokens: readonly Token[]): void
  /** Returns at most 20,000 words, those in the most passages first. */
  words(): TermAndWord[]
}

/** A passage counts once for each term. */
interface TermCount {
  term: string
  lastPassage: number
}

interface Entry {
  of: TermCount
  passages: number
  /** The same word with another term, from another language of the document. */
  other: Entry | null
}

let lastList = 0

/** Creates a list of the words of one document. Queries are corrected to these words. */
export function createWordList(): WordList {
  const id = ++lastList
  const entries = new Map<string, Entry | null>()
  const terms = new Map<string, TermCount>()
  let passage = 0
  let held = 0

  function entryOf(word: string, term: string): Entry | null {
    const known = entries.get(word)
    if (known === null) return null
    for (let entry = known ?? null; entry !== null; entry = entry.other) if (entry.of.term === term) return entry
    if (held >= MAX_HELD) return null
    if (known === undefined && !(WORD.test(word) && !isUnspaced(word))) {
      entries.set(word, null)
      held++
      return null
    }
    let of = terms.get(term)
    if (of === undefined) terms.set(term, (of = { term, lastPassage: 0 }))
    const entry: Entry = { of, passages: 0, other: known ?? null }
    entries.set(word, entry)
    held++
    return entry
  }

  return {
    addPassage(tokens) {
      passage++
      for (const { known, term } of tokens) {
        // The word keeps its entry, because most words repeat, and the look-up is most of the work.
        if (known.counted?.of !== id || known.counted.term !== term)
          known.counted = { of: id, term, entry: entryOf(known.lower, term) }
        const entry = known.counted.entry as Entry | null
        if (entry === null || entry.of.lastPassage === passage) continue
        entry.of.lastPassage = passage
        entry.passages++
      }
    },
    words() {
      const words: { word: TermAndWord; passages: number }[] = []
      for (const [word, first] of entries) {
        for (let entry = first; entry !== null; entry = entry.other)
          words.push({ word: `${entry.of.term} ${word}`, passages: entry.passages })
      }
      words.sort((a, b) => b.passages - a.passages)
      return words.slice(0, MAX_WORDS).map(({ word }) => word)
    },
  }
}
