import { sql } from 'kysely'
import { MAX_WORDS_READ, type Vocabulary } from '../vocabulary.ts'
import { slices } from './store.ts'
import type { Store } from './store.ts'

export function createVocabulary({ db }: Store): Vocabulary {
  async function find(ownerId: string): Promise<{ id: number } | undefined> {
    return db.selectFrom('vocabularies').select('id').where('owner_id', '=', ownerId).executeTakeFirst()
  }

  return {
    async wordsFrom(ownerId, initial, after) {
      const read = db
        .selectFrom('vocabulary_words')
        .select('word')
        .where('vocabulary_id', '=', (e) => e.selectFrom('vocabularies').select('id').where('owner_id', '=', ownerId))
        .where('word', after === '' ? '>=' : '>', after === '' ? initial : after)
        .where('word', '<', initial + LAST)
        .orderBy('word')
        .limit(MAX_WORDS_READ)
      // All words in one text, because returning thousands of rows takes ten times as long.
      const all = sql<string | null>`string_agg(word, ' ')`.as('words')
      const { words } = await db.selectFrom(read.as('read')).select(all).executeTakeFirstOrThrow()
      const rows = words === null ? [] : words.split(' ')
      // A word has a row for each of its terms.
      const distinct = rows.filter((word, i) => word !== rows[i - 1])
      return { words: distinct, next: rows.length < MAX_WORDS_READ ? null : rows.at(-1)! }
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
