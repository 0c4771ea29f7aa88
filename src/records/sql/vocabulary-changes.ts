import { sql } from 'kysely'
import type { RawBuilder, Transaction } from 'kysely'
import { MAX_VOCABULARY_WORDS } from '../vocabulary.ts'
import { slices } from './store.ts'
import type { Tables } from './tables.ts'

/** A word of a document, its term, and in how many of the document's passages it was counted (text/word-list.ts). */
type CountedWord = [word: string, term: string, passages: number]

/** What a document counts for from now on. */
export interface DocumentWords {
  documentId: string
  ownerId: string
  /** `words` is a list of `CountedWord` as JSON. Null when the document no longer counts. */
  counted: { words: string; passages: number } | null
}

/** Documents whose word lists are in memory at a time. */
const DOCUMENTS_AT_ONCE = 200

type DeltaRow = [word: string, term: string, documents: number, passages: number]

/** By how much the counts of an owner's words change. */
class Delta {
  passages = 0
  readonly words = new Map<string, DeltaRow>()

  add(list: readonly CountedWord[], sign: 1 | -1): void {
    for (const [word, term, passages] of list) {
      const key = keyOf(word, term)
      const known = this.words.get(key)
      if (known === undefined) this.words.set(key, [word, term, sign, sign * passages])
      else {
        known[2] += sign
        known[3] += sign * passages
      }
    }
  }

  /** Returns the words whose change `wanted` accepts. Of each document, words in the most passages come first. */
  rows(wanted: (documents: number, passages: number) => boolean): DeltaRow[] {
    return [...this.words.values()].filter(([, , documents, passages]) => wanted(documents, passages))
  }
}

/** Updates the vocabularies of the owners whose documents change, in the transaction that changes the documents. */
export async function changeWords(tx: Transaction<Tables>, changes: readonly DocumentWords[]): Promise<void> {
  for (let i = 0; i < changes.length; i += DOCUMENTS_AT_ONCE) await changeSome(tx, changes.slice(i, i + DOCUMENTS_AT_ONCE))
}

async function changeSome(tx: Transaction<Tables>, changes: readonly DocumentWords[]): Promise<void> {
  const before = new Map<string, { words: string; passages: number }>()
  for (const ids of slices(changes.map((change) => change.documentId))) {
    const rows = await tx.selectFrom('document_words').selectAll().where('document_id', 'in', ids).execute()
    for (const row of rows) before.set(row.document_id, row)
    if (rows.length > 0) await tx.deleteFrom('document_words').where('document_id', 'in', ids).execute()
  }
  const effective = changes.filter(({ documentId, counted }) => counted !== null || before.has(documentId))
  for (const [ownerId, own] of Map.groupBy(effective, (change) => change.ownerId)) {
    const lists = own.map(({ documentId, counted }) => ({
      documentId,
      counted,
      old: before.get(documentId) ?? null,
      words: counted === null ? [] : (JSON.parse(counted.words) as CountedWord[]),
    }))
    const delta = new Delta()
    for (const { counted, words, old } of lists) {
      delta.add(words, 1)
      delta.passages += counted?.passages ?? 0
      if (old === null) continue
      delta.add(JSON.parse(old.words) as CountedWord[], -1)
      delta.passages -= old.passages
    }
    const isCounted = await applyDelta(tx, ownerId, delta)
    const rows = lists.flatMap(({ documentId, counted, words }) => {
      if (counted === null) return []
      // Only what was counted may be subtracted later.
      const list = isCounted === null ? counted.words : JSON.stringify(words.filter(([word, term]) => isCounted(word, term)))
      return [{ document_id: documentId, passages: counted.passages, words: list }]
    })
    for (const part of slices(rows, 3)) await tx.insertInto('document_words').values(part).execute()
  }
}

/** Returns null when the vocabulary took in every word, else a function that says whether it took in a word. */
async function applyDelta(
  tx: Transaction<Tables>,
  ownerId: string,
  delta: Delta,
): Promise<((word: string, term: string) => boolean) | null> {
  const own = await findOrCreateVocabulary(tx, ownerId)
  const { id } = own
  const gained = delta.rows((documents) => documents > 0)
  // Some of the gained words may be in the vocabulary already, so this is an upper bound. It is counted exactly only near the
  // limit.
  let words = own.words + gained.length
  let refused: Set<string> | null = null
  if (words > MAX_VOCABULARY_WORDS) {
    words = await countWords(tx, id)
    const missing = await findMissing(tx, id, gained)
    refused = new Set(missing.slice(Math.max(0, MAX_VOCABULARY_WORDS - words)))
    words += missing.length - refused.size
  }
  const changed = delta.rows((documents, passages) => documents !== 0 || passages !== 0)
  const taken = refused === null ? changed : changed.filter(([word, term]) => !refused.has(keyOf(word, term)))
  if (taken.length > 0) {
    await sql`insert into vocabulary_words (vocabulary_id, word, term, documents, passages)
      select ${id}, d.word, d.term, d.documents, d.passages from (${selectRows(taken)}) as d where true
      on conflict (vocabulary_id, word, term) do update set
        documents = vocabulary_words.documents + excluded.documents, passages = vocabulary_words.passages + excluded.passages`.execute(
      tx,
    )
  }
  const lost = delta.rows((documents) => documents < 0)
  if (lost.length > 0) {
    const gone = await sql`delete from vocabulary_words where vocabulary_id = ${id} and documents <= 0
      and (word, term) in (select d.word, d.term from (${selectRows(lost)}) as d)`.execute(tx)
    words -= Number(gone.numAffectedRows ?? 0)
  }
  await tx
    .updateTable('vocabularies')
    .set((e) => ({ words, passages: e('passages', '+', delta.passages) }))
    .where('id', '=', id)
    .execute()
  return refused && ((word, term) => !refused.has(keyOf(word, term)))
}

async function countWords(tx: Transaction<Tables>, id: number): Promise<number> {
  const row = await tx
    .selectFrom('vocabulary_words')
    .select((e) => e.fn.countAll<number>().as('words'))
    .where('vocabulary_id', '=', id)
    .executeTakeFirstOrThrow()
  return Number(row.words)
}

/** Returns the keys of the words that the vocabulary lacks, in the order of the list. */
async function findMissing(tx: Transaction<Tables>, id: number, list: readonly DeltaRow[]): Promise<string[]> {
  const { rows } = await sql<{ word: string; term: string }>`select d.word, d.term from (${selectRows(list)}) as d where exists
    (select 1 from vocabulary_words as w where w.vocabulary_id = ${id} and w.word = d.word and w.term = d.term)`.execute(tx)
  const there = new Set(rows.map(({ word, term }) => keyOf(word, term)))
  return list.map(([word, term]) => keyOf(word, term)).filter((key) => !there.has(key))
}

async function findOrCreateVocabulary(tx: Transaction<Tables>, ownerId: string): Promise<{ id: number; words: number }> {
  const there = await tx.selectFrom('vocabularies').select(['id', 'words']).where('owner_id', '=', ownerId).executeTakeFirst()
  if (there !== undefined) return there
  return tx
    .insertInto('vocabularies')
    .values({ owner_id: ownerId, words: 0, passages: 0 })
    .returning(['id', 'words'])
    .executeTakeFirstOrThrow()
}

/** Makes rows of a list with one parameter instead of thousands. (PostgreSQL has `json_array_elements` for this.) */
function selectRows(list: readonly DeltaRow[]): RawBuilder<unknown> {
  // Sorted like the table, so that neighbours are on the same page of the database.
  const json = JSON.stringify(list.toSorted((a, b) => (a[0] < b[0] ? -1 : 1)))
  return sql`select value ->> 0 as word, value ->> 1 as term, value ->> 2 as documents, value ->> 3 as passages from json_each(${json})`
}

function keyOf(word: string, term: string): string {
  return `${word} ${term}`
}
