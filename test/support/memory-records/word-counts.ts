import { MAX_VOCABULARY_WORDS } from '../../../src/records/vocabulary.ts'

/** A word of a document with its term, and in how many passages it was counted. */
export type CountedWord = [word: string, term: string, passages: number]

interface Entry {
  word: string
  term: string
  documents: number
  passages: number
}

/** The vocabulary of one owner. */
export class WordCounts {
  passages = 0
  private readonly byKey = new Map<string, Entry>()

  /** Counts a document's words. Returns those that were counted: a full vocabulary takes in only words that it has. */
  add(words: readonly CountedWord[], passages: number): CountedWord[] {
    this.passages += passages
    return words.filter(([word, term, count]) => {
      const key = JSON.stringify([word, term])
      const entry = this.byKey.get(key) ?? { word, term, documents: 0, passages: 0 }
      if (entry.documents === 0 && this.byKey.size >= MAX_VOCABULARY_WORDS) return false
      this.byKey.set(key, { ...entry, documents: entry.documents + 1, passages: entry.passages + count })
      return true
    })
  }

  /** Takes off what `add` returned. */
  subtract(words: readonly CountedWord[], passages: number): void {
    this.passages -= passages
    for (const [word, term, count] of words) {
      const key = JSON.stringify([word, term])
      const entry = this.byKey.get(key)!
      if (entry.documents === 1) this.byKey.delete(key)
      else this.byKey.set(key, { ...entry, documents: entry.documents - 1, passages: entry.passages - count })
    }
  }

  entries(): Entry[] {
    return [...this.byKey.values()]
  }
}
