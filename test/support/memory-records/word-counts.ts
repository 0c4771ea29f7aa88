import { MAX_VOCABULARY_WORDS } from '../../../src/records/vocabulary.ts'

/** The vocabulary of one project. Words come with their terms, as the records take them: `term word`. */
export class WordCounts {
  readonly #documents = new Map<string, number>()

  /** Counts a document's words. Returns those that were counted: a full vocabulary takes in only words that it has. */
  add(words: readonly string[]): string[] {
    return words.filter((word) => {
      const documents = this.#documents.get(word) ?? 0
      if (documents === 0 && this.#documents.size >= MAX_VOCABULARY_WORDS) return false
      this.#documents.set(word, documents + 1)
      return true
    })
  }

  /** Takes off what `add` returned. */
  subtract(words: readonly string[]): void {
    for (const word of words) {
      const documents = this.#documents.get(word)!
      if (documents === 1) this.#documents.delete(word)
      else this.#documents.set(word, documents - 1)
    }
  }

  entries(): { word: string; term: string; documents: number }[] {
    return [...this.#documents].map(([key, documents]) => {
      const blank = key.indexOf(' ')
      return { word: key.slice(blank + 1), term: key.slice(0, blank), documents }
    })
  }
}
