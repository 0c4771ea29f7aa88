import { sql } from 'kysely'
import type { RawBuilder, Transaction } from 'kysely'
import { MAX_VOCABULARY_WORDS } from '../vocabulary.ts'
import { perDialect, positionOf } from './per-dialect.ts'
import { slices } from './store.ts'
import type { Tables } from './tables.ts'

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
