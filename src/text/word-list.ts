import type { Token } from './analyse.ts'
import { isUnspaced } from './tokenize.ts'

/** A word of a document, the term under which it is indexed, and in how many passages it is counted for that term. */
export type CountedWord = [word: string, term: string, passages: number]

/** Longer ones and shorter ones are nothing that a question could be corrected to; digits are no spelling. */
const WORD = /^[\p{L}\p{M}]{3,40}$/u
/** More distinct words than a long book has: what is beyond is not language, and must not fill the disk. */
const MAX_WORDS = 20_000
/** Held while counting. A text with more is read to its end, but only words that were met before this many count on. */
const MAX_HELD = 5 * MAX_WORDS

export interface WordList {
  /** The tokens of the next passage. */
  addPassage(tokens: readonly Token[]): void
  /**
   * Those that stand in the most passages first, 20,000 at most. The passages of all words of one term add up to the passages with that
   * term: where a passage has several of them (`pump` and `pumps`), it is counted with the first alone, and the others may have 0.
   */
  words(): CountedWord[]
}

/** A passage counts once for a term, whichever of its words is met first. */
interface TermCount {
  term: string
  lastPassage: number
}

interface Entry {
  of: TermCount
  passages: number
  /** The same word in another language of the document. */
  other: Entry | null
}

let lastList = 0

/** Collects the words of one document: what its owner's questions can be corrected to, and how rare each term is. */
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
        // Kept with the word: most stand here many times, and one look-up each is most of the work.
        if (known.counted?.of !== id || known.counted.term !== term)
          known.counted = { of: id, term, entry: entryOf(known.lower, term) }
        const entry = known.counted.entry as Entry | null
        if (entry === null || entry.of.lastPassage === passage) continue
        entry.of.lastPassage = passage
        entry.passages++
      }
    },
    words() {
      const words: CountedWord[] = []
      for (const [word, first] of entries) {
        for (let entry = first; entry !== null; entry = entry.other) words.push([word, entry.of.term, entry.passages])
      }
      return words.sort((a, b) => b[2] - a[2]).slice(0, MAX_WORDS)
    },
  }
}
