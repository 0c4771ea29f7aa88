import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { ProjectIds } from '../projects.ts'
import { MAX_WORDS_READ, type Vocabulary, MAX_VOCABULARY_WORDS } from '../vocabulary.ts'
import { numberRows, perDialect, textRows, positionOf } from './per-dialect.ts'
import { isOneOf } from './project-ids.ts'
import { type Store, slices } from './store.ts'
import type { Tables } from './tables.ts'

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

/** A term and one of its words, separated by a blank (text/word-list.ts). */
type TermAndWord = string

/** What a document counts for from now on. */
export interface DocumentWords {
  documentId: string
  projectId: string
  /** `TermAndWord[]` as JSON. Null when the document no longer counts. */
  words: string | null
}

/** Documents whose word lists are in memory at a time. */
const DOCUMENTS_AT_ONCE = 200

/** By how many documents the counts of a project's words change. */
class Delta {
  readonly #documents = new Map<TermAndWord, number>()

  add(words: readonly TermAndWord[], sign: 1 | -1): void {
    for (const word of words) this.#documents.set(word, (this.#documents.get(word) ?? 0) + sign)
  }

  /** Returns the words whose change `isWanted` accepts. The words of each document come in order of the number of passages that have them, the most frequent first. */
  words(isWanted: (documents: number) => boolean): TermAndWord[] {
    const words: TermAndWord[] = []
    for (const [word, documents] of this.#documents) if (isWanted(documents)) words.push(word)
    return words
  }

  documents(word: TermAndWord): number {
    return this.#documents.get(word)!
  }
}

/** Updates the vocabularies of the projects whose documents change, in the transaction that changes the documents. */
export async function changeWords(tx: Transaction<Tables>, changes: readonly DocumentWords[]): Promise<void> {
  for (let i = 0; i < changes.length; i += DOCUMENTS_AT_ONCE) await changeSome(tx, changes.slice(i, i + DOCUMENTS_AT_ONCE))
}

async function changeSome(tx: Transaction<Tables>, changes: readonly DocumentWords[]): Promise<void> {
  const before = new Map<string, string>()
  for (const ids of slices(changes.map((change) => change.documentId))) {
    const rows = await tx.selectFrom('document_words').selectAll().where('document_id', 'in', ids).execute()
    for (const row of rows) before.set(row.document_id, row.words)
    if (rows.length > 0) await tx.deleteFrom('document_words').where('document_id', 'in', ids).execute()
  }
  const effective = changes.filter(({ documentId, words }) => words !== null || before.has(documentId))
  for (const [projectId, own] of Map.groupBy(effective, (change) => change.projectId)) {
    const delta = new Delta()
    for (const { documentId, words } of own) {
      delta.add(parseWords(words), 1)
      delta.add(parseWords(before.get(documentId) ?? null), -1)
    }
    const refused = await applyDelta(tx, projectId, delta)
    const rows = own.flatMap(({ documentId, words }) => {
      if (words === null) return []
      // Only what was counted may be subtracted later.
      const counted = refused.size === 0 ? words : JSON.stringify(parseWords(words).filter((word) => !refused.has(word)))
      return [{ document_id: documentId, words: counted }]
    })
    for (const part of slices(rows, 2)) await tx.insertInto('document_words').values(part).execute()
  }
}

function parseWords(words: string | null): readonly TermAndWord[] {
  return words === null ? [] : (JSON.parse(words) as TermAndWord[])
}

/** Returns the words that a full vocabulary did not take in. */
async function applyDelta(tx: Transaction<Tables>, projectId: string, delta: Delta): Promise<ReadonlySet<TermAndWord>> {
  const { id, words: wordsBefore } = await findOrCreateVocabulary(tx, projectId)
  const gained = delta.words((documents) => documents > 0)
  // Some of the gained words may be in the vocabulary already, so this is an upper bound. It is counted exactly only near the
  // limit.
  let words = wordsBefore + gained.length
  const refused = new Set<TermAndWord>()
  if (words > MAX_VOCABULARY_WORDS) {
    words = await countWords(tx, id)
    const missing = await findMissing(tx, id, gained)
    for (const word of missing.slice(Math.max(0, MAX_VOCABULARY_WORDS - words))) refused.add(word)
    words += missing.length - refused.size
  }
  const changed = delta.words((documents) => documents !== 0)
  const taken = refused.size === 0 ? changed : changed.filter((word) => !refused.has(word))
  if (taken.length > 0) {
    await sql`insert into vocabulary_words (vocabulary_id, word, term, documents)
      select cast(${id} as integer), d.word, d.term, d.documents from (${selectRows(taken, delta)}) as d where true
      on conflict (vocabulary_id, word, term) do update set documents = vocabulary_words.documents + excluded.documents`.execute(
      tx,
    )
  }
  const lost = delta.words((documents) => documents < 0)
  if (lost.length > 0) {
    const gone = await sql`delete from vocabulary_words where vocabulary_id = ${id} and documents <= 0
      and (word, term) in (select d.word, d.term from (${selectRows(lost, delta)}) as d)`.execute(tx)
    words -= Number(gone.numAffectedRows ?? 0)
  }
  if (words !== wordsBefore) await tx.updateTable('vocabularies').set({ words }).where('id', '=', id).execute()
  return refused
}

async function countWords(tx: Transaction<Tables>, id: number): Promise<number> {
  const row = await tx
    .selectFrom('vocabulary_words')
    .select((e) => e.fn.countAll<number>().as('words'))
    .where('vocabulary_id', '=', id)
    .executeTakeFirstOrThrow()
  return Number(row.words)
}

/** Returns the words that the vocabulary lacks, in the order of the list. */
async function findMissing(tx: Transaction<Tables>, id: number, list: readonly TermAndWord[]): Promise<TermAndWord[]> {
  const { rows } = await sql<{ word: string; term: string }>`select d.word, d.term from (${selectRows(list)}) as d where exists
    (select 1 from vocabulary_words as w where w.vocabulary_id = ${id} and w.word = d.word and w.term = d.term)`.execute(tx)
  const there = new Set(rows.map(({ word, term }) => `${term} ${word}`))
  return list.filter((word) => !there.has(word))
}

async function findOrCreateVocabulary(tx: Transaction<Tables>, projectId: string): Promise<{ id: number; words: number }> {
  const there = await tx.selectFrom('vocabularies').select(['id', 'words']).where('project_id', '=', projectId).executeTakeFirst()
  if (there !== undefined) return there
  return tx
    .insertInto('vocabularies')
    .values({ project_id: projectId, words: 0 })
    .returning(['id', 'words'])
    .executeTakeFirstOrThrow()
}

/** Makes rows of words and their changes from one parameter instead of thousands. SQLite reads an object in half the time of a list of lists. */
function selectRows(words: readonly TermAndWord[], delta?: Delta): RawBuilder<unknown> {
  // Sorted nearly like the table, so that neighbours are on the same page of the database.
  const entries = words.toSorted().map((word) => `${JSON.stringify(word)}:${delta?.documents(word) ?? 0}`)
  const json = `{${entries.join()}}`
  const blank = positionOf(' ', sql.ref('key'))
  const rows = perDialect({
    sqlite: sql`value as documents from json_each(${json})`,
    postgres: sql`value::integer as documents from json_each_text(${json}::json)`,
  })
  return sql`select substr(key, ${blank} + 1) as word, substr(key, 1, ${blank} - 1) as term, ${rows}`
}
