import { sql } from 'kysely'
import type { Vocabulary } from '../vocabulary.ts'
import { slices } from './store.ts'
import type { Store } from './store.ts'

export function createVocabulary({ db }: Store): Vocabulary {
  async function find(ownerId: string): Promise<{ id: number; passages: number } | undefined> {
    return db.selectFrom('vocabularies').select(['id', 'passages']).where('owner_id', '=', ownerId).executeTakeFirst()
  }

  return {
    async frequencies(ownerId, terms) {
      const frequency = new Map<string, number>()
      const own = await find(ownerId)
      if (own === undefined) return { passages: 0, frequency }
      for (const part of slices([...new Set(terms)])) {
        const rows = await db
          .selectFrom('vocabulary_words')
          .select(['term', 'passages'])
          .where('term', 'in', part)
          // The `+` keeps SQLite from using the primary key, which begins with this column, and reading every word of the
          // vocabulary.
          .where(sql<number>`+vocabulary_id`, '=', own.id)
          .execute()
        for (const { term, passages } of rows) frequency.set(term, (frequency.get(term) ?? 0) + passages)
      }
      return { passages: own.passages, frequency }
    },
    async wordsLike(ownerId, { initial, minLength, maxLength }) {
      const own = await find(ownerId)
      if (own === undefined) return []
      // One text: handing over thousands of rows takes ten times as long.
      const row = await db
        .selectFrom('vocabulary_words')
        .select(sql<string | null>`string_agg(word, ' ')`.as('words'))
        .where('vocabulary_id', '=', own.id)
        .where('word', '>=', initial)
        .where('word', '<', initial + LAST)
        .where(sql<number>`length(word)`, '>=', minLength)
        .where(sql<number>`length(word)`, '<=', maxLength)
        .executeTakeFirst()
      return row?.words ? [...new Set(row.words.split(' '))] : []
    },
    async entries(ownerId, words) {
      const own = await find(ownerId)
      if (own === undefined || words.length === 0) return []
      const entries = []
      for (const part of slices([...new Set(words)])) {
        const rows = await db
          .selectFrom('vocabulary_words')
          .select(['word', 'term', 'documents'])
          .where('vocabulary_id', '=', own.id)
          .where('word', 'in', part)
          .execute()
        entries.push(...rows)
      }
      return entries
    },
  }
}

/** Sorts after every letter. */
const LAST = '\u{10ffff}'
