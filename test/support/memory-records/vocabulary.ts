import { MAX_FORMS, MAX_WORDS_READ, type Vocabulary } from '../../../src/records/vocabulary.ts'
import type { MemoryStore } from './store.ts'

export function memoryVocabulary(store: MemoryStore): Vocabulary {
  return {
    async frequencies(ownerId, terms) {
      const own = store.vocabularyOf(ownerId)
      const frequency = new Map<string, number>()
      for (const wanted of terms) {
        const forms = own.entries().filter(({ term }) => term === wanted)
        forms.sort((a, b) => (a.word < b.word ? -1 : 1))
        const counts = forms.slice(0, MAX_FORMS).map(({ passages }) => passages)
        if (counts.length > 0)
          frequency.set(
            wanted,
            counts.reduce((sum, passages) => sum + passages),
          )
      }
      return { passages: own.passages, frequency }
    },
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
      return own.filter(({ word }) => words.includes(word)).map(({ word, term, documents }) => ({ word, term, documents }))
    },
  }
}
