import type { ProjectIds } from '../../../src/records/records.ts'
import { MAX_WORDS_READ, type Vocabulary } from '../../../src/records/vocabulary.ts'
import type { MemoryStore } from './store.ts'

export function memoryVocabulary(store: MemoryStore): Vocabulary {
  /** Returns the words of one project after the other. A position is the place in this list. */
  const rowsOf = (projects: ProjectIds, initial: string) =>
    [...projects].sort().flatMap((id) => {
      const words = store
        .vocabularyOf(id)
        .entries()
        .map(({ word }) => word)
      return words.filter((word) => word.startsWith(initial)).sort()
    })
  return {
    async wordsFrom(projects, initial, after) {
      const rows = rowsOf(projects, initial).slice(Number(after), Number(after) + MAX_WORDS_READ)
      return {
        words: rows.filter((word, i) => word !== rows[i - 1]),
        next: rows.length < MAX_WORDS_READ ? null : String(Number(after) + MAX_WORDS_READ),
      }
    },
    async entries(projects, words) {
      const sums = new Map<string, { word: string; term: string; documents: number }>()
      for (const id of projects) {
        for (const { word, term, documents } of store.vocabularyOf(id).entries()) {
          if (!words.includes(word)) continue
          const sum = sums.get(`${term} ${word}`) ?? { word, term, documents: 0 }
          sums.set(`${term} ${word}`, { ...sum, documents: sum.documents + documents })
        }
      }
      return [...sums.values()]
    },
  }
}
