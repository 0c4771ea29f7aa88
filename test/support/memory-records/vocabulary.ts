import { MAX_WORDS_READ, type Vocabulary } from '../../../src/records/vocabulary.ts'
import type { MemoryStore } from './store.ts'

export function memoryVocabulary(store: MemoryStore): Vocabulary {
  return {
    async wordsFrom(ownerId, initial, after) {
      const all = store.vocabularyOf(ownerId).entries()
      const ordered = all
        .map(({ word }) => word)
        .filter((word) => word.startsWith(initial) && word > after)
        .toSorted()
      const rows = ordered.slice(0, MAX_WORDS_READ)
      return { words: [...new Set(rows)], next: rows.length < MAX_WORDS_READ ? null : rows.at(-1)! }
    },
    async entries(ownerId, words) {
      const own = store.vocabularyOf(ownerId).entries()
      return own.filter(({ word }) => words.includes(word))
    },
  }
}
