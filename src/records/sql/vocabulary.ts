import { type RawBuilder, sql } from 'kysely'
import type { ProjectIds } from '../projects.ts'
import { MAX_WORDS_READ, type Vocabulary } from '../vocabulary.ts'
import { numberRows, perDialect, textRows } from './per-dialect.ts'
import { isOneOf } from './project-ids.ts'
import type { Store } from './store.ts'

export function createVocabulary({ db }: Store): Vocabulary {
  /** Returns the vocabularies of the projects in the order of their ids. */
  async function vocabulariesOf(projects: ProjectIds): Promise<number[]> {
    const rows = await db.selectFrom('vocabularies').select('id').where(isOneOf('project_id', projects)).execute()
    return rows.map(({ id }) => id).sort((a, b) => a - b)
  }

  return {
    async wordsFrom(projects, initial, after) {
      const from = parsePosition(after)
      const ids = (await vocabulariesOf(projects)).filter((id) => id >= from.vocabulary)
      // The vocabularies one after another, each in the order of its words, as the primary key has them. All words of a vocabulary
      // in one text, because returning thousands of rows takes ten times as long.
      const { rows } = await sql<{ id: number; words: string }>`select id, ${WORDS} as words from (
        select list.value as id, entry.word from ${inOrder(numberRows(JSON.stringify(ids)))} as list
        ${joinWords(
          // No word has only one letter, so all words are after the initial.
          sql`entry.vocabulary_id = list.value
            and entry.word > case list.value when ${from.vocabulary} then ${from.word} else ${initial} end
            and entry.word < ${initial + LAST}`,
          sql`order by entry.word limit ${MAX_WORDS_READ}`,
        )}
        ${IN_ORDER} limit ${MAX_WORDS_READ}) as found group by id`.execute(db)
      const found = rows.map(({ id, words }) => ({ id, words: words.split(' ') }))
      const count = found.reduce((sum, { words }) => sum + words.length, 0)
      const last = found.toSorted((a, b) => a.id - b.id).at(-1)
      return {
        // A word has a row for each of its terms.
        words: found.flatMap(({ words }) => words.filter((word, i) => word !== words[i - 1])),
        next: last === undefined || count < MAX_WORDS_READ ? null : `${last.id} ${last.words.at(-1)}`,
      }
    },
    async entries(projects, words) {
      const ids = words.length === 0 ? [] : await vocabulariesOf(projects)
      if (ids.length === 0) return []
      const { rows } = await sql<{
        word: string
        term: string
        documents: number
      }>`select entry.word, entry.term, sum(entry.documents) as documents from ${numberRows(JSON.stringify(ids))} as list
        cross join ${textRows(JSON.stringify([...new Set(words)]))} as wanted
        ${joinWords(sql`entry.vocabulary_id = list.value and entry.word = wanted.value`, sql`offset 0`)}
        group by entry.word, entry.term`.execute(db)
      return rows
    },
  }
}

/**
 * Joins the matching words, as `entry`. PostgreSQL does not know how short the lists in front of the join are, and would read the words
 * of all vocabularies. So it gets a subquery, which it runs for each row of the lists, with the primary key. `end` keeps PostgreSQL from
 * turning the subquery into a join again.
 */
const joinWords = (matches: RawBuilder<unknown>, end: RawBuilder<unknown>): RawBuilder<unknown> =>
  perDialect({
    sqlite: sql`cross join vocabulary_words as entry on ${matches}`,
    postgres: sql`cross join lateral (select * from vocabulary_words as entry where ${matches} ${end}) as entry`,
  })

/** SQLite reads the rows of these joins in the order of the primary key, and sorting them would take longer. PostgreSQL promises no order. */
const IN_ORDER = perDialect({ sqlite: sql``, postgres: sql`order by list.value, entry.word` })
/** If PostgreSQL knows this order, it reads one vocabulary after another and stops at the limit. Otherwise, it reads all vocabularies first. */
const inOrder = (rows: RawBuilder<unknown>): RawBuilder<unknown> =>
  perDialect({ sqlite: rows, postgres: sql`(select value from ${rows} as numbers order by value)` })
const WORDS = perDialect({
  sqlite: sql<string>`string_agg(word, ' ')`,
  postgres: sql<string>`string_agg(word, ' ' order by word)`,
})

/** A position is a vocabulary and a word of it, separated by a blank. The empty text is the beginning. */
function parsePosition(position: string): { vocabulary: number; word: string } {
  if (position === '') return { vocabulary: 0, word: '' }
  const blank = position.indexOf(' ')
  return { vocabulary: Number(position.slice(0, blank)), word: position.slice(blank + 1) }
}

/** Sorts after every letter. */
const LAST = '\u{10ffff}'
