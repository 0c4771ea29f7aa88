import type { Vocabulary } from '../../../src/records/vocabulary.ts'
import type { MemoryStore } from './store.ts'

export function memoryVocabulary(store: MemoryStore): Vocabulary {
  return {
    async frequencies(ownerId, terms) {
      const own = store.vocabularyOf(ownerId)
      const frequency = new Map<string, number>()
      for (const { term, passages } of own.entries())
        if (terms.includes(term)) frequency.set(term, (frequency.get(term) ?? 0) + passages)
      return { passages: own.passages, frequency }
    },
    async wordsLike(ownerId, { initial, minLength, maxLength }) {
      const words = new Set(
        store
          .vocabularyOf(ownerId)
          .entries()
          .map(({ word }) => word),
      )
      return [...words].filter((word) => {
        const length = [...word].length
        return word.startsWith(initial) && length >= minLength && length <= maxLength
      })
    },
    async entries(ownerId, words) {
      const own = store.vocabularyOf(ownerId).entries()
      return own.filter(({ word }) => words.includes(word)).map(({ word, term, documents }) => ({ word, term, documents }))
    },
  }
}
