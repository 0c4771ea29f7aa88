import { sql } from 'kysely'
import type { RawBuilder, Transaction } from 'kysely'
import { slices } from './store.ts'
import type { Tables } from './tables.ts'

/** A word of a document with its term, and in how many of its passages it was counted (text/word-list.ts). */
type CountedWord = [word: string, term: string, passages: number]

/** What a document counts for from now on; null: nothing any more. */
export interface DocumentWords {
  documentId: string
  ownerId: string
  counted: { words: string; passages: number } | null
}

/**
 * Words an owner can have. A full vocabulary takes in no further ones until documents go: those that are there stay, because which of them
 * the documents yet to come will need cannot be told, and what was counted once must be there to be taken off again.
 */
const MAX_WORDS = 250_000
/** Word lists in memory at a time. */
const DOCUMENTS_AT_ONCE = 200

/** Documents with, of each word, how much more or less it counts. */
class Delta {
  passages = 0
  readonly words = new Map<string, [word: string, term: string, documents: number, passages: number]>()

  add(list: readonly CountedWord[], sign: 1 | -1): void {
    for (const [word, term, passages] of list) {
      const key = `${word} ${term}`
      const known = this.words.get(key)
      if (known === undefined) this.words.set(key, [word, term, sign, sign * passages])
      else {
        known[2] += sign
        known[3] += sign * passages
      }
    }
  }

  /** Those whose documents change in this way, as JSON; null where there are none. */
  json(wanted: (documents: number, passages: number) => boolean): string | null {
    const rows = [...this.words.values()].filter(([, , documents, passages]) => wanted(documents, passages))
    return rows.length === 0 ? null : JSON.stringify(rows)
  }
}

/** Keeps every owner's vocabulary what the documents that can be searched make it, in the transaction that changes them. */
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
  const real = changes.filter(({ documentId, counted }) => counted !== null || before.has(documentId))
  for (const [ownerId, own] of Map.groupBy(real, (change) => change.ownerId)) {
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
    const kept = lists.flatMap(({ documentId, counted, words }) => {
      if (counted === null) return []
      // Only what was counted may be taken off one day.
      const list = isCounted === null ? counted.words : JSON.stringify(words.filter(([word, term]) => isCounted(word, term)))
      return [{ document_id: documentId, passages: counted.passages, words: list }]
    })
    for (const part of slices(kept, 3)) await tx.insertInto('document_words').values(part).execute()
  }
}

/** Null where every word was taken in; else whether one was. */
async function applyDelta(
  tx: Transaction<Tables>,
  ownerId: string,
  delta: Delta,
): Promise<((word: string, term: string) => boolean) | null> {
  const { id, words: before } = await vocabularyOf(tx, ownerId)
  const changed = delta.json((documents, passages) => documents !== 0 || passages !== 0)
  const gained = delta.json((documents) => documents > 0)
  const lost = delta.json((documents) => documents < 0)
  // Written as insertions, which look each word of the list up; of an update from a list SQLite makes a list searched for each word there is.
  if (changed !== null) {
    await sql`insert into vocabulary_words (vocabulary_id, word, term, documents, passages)
      select ${id}, d.word, d.term, d.documents, d.passages from (${rowsOf(changed)}) as d where ${isThere(id)}
      on conflict (vocabulary_id, word, term) do update set
        documents = vocabulary_words.documents + excluded.documents, passages = vocabulary_words.passages + excluded.passages`.execute(
      tx,
    )
  }
  let words = before
  if (lost !== null) {
    const gone = await sql`delete from vocabulary_words where vocabulary_id = ${id} and documents <= 0
      and (word, term) in (select d.word, d.term from (${rowsOf(lost)}) as d)`.execute(tx)
    words -= Number(gone.numAffectedRows ?? 0)
  }
  let full = false
  if (gained !== null) {
    const room = Math.max(0, MAX_WORDS - words)
    const added = await sql`insert into vocabulary_words (vocabulary_id, word, term, documents, passages)
      select ${id}, d.word, d.term, d.documents, d.passages from (${rowsOf(gained)}) as d
      where not ${isThere(id)}
      limit ${room}`.execute(tx)
    words += Number(added.numAffectedRows ?? 0)
    full = words >= MAX_WORDS
  }
  await tx
    .updateTable('vocabularies')
    .set((e) => ({ words, passages: e('passages', '+', delta.passages) }))
    .where('id', '=', id)
    .execute()
  if (!full || gained === null) return null
  const { rows } = await sql<{ word: string; term: string }>`select d.word, d.term from (${rowsOf(gained)}) as d
    where ${isThere(id)}`.execute(tx)
  const there = new Set(rows.map(({ word, term }) => `${word} ${term}`))
  // One that more and fewer documents have at once was there before.
  return (word, term) => there.has(`${word} ${term}`) || delta.words.get(`${word} ${term}`)![2] <= 0
}

async function vocabularyOf(tx: Transaction<Tables>, ownerId: string): Promise<{ id: number; words: number }> {
  const there = await tx.selectFrom('vocabularies').select(['id', 'words']).where('owner_id', '=', ownerId).executeTakeFirst()
  if (there !== undefined) return there
  return tx
    .insertInto('vocabularies')
    .values({ owner_id: ownerId, words: 0, passages: 0 })
    .returning(['id', 'words'])
    .executeTakeFirstOrThrow()
}

/** Whether the vocabulary has the word of `d`. */
function isThere(id: number): RawBuilder<unknown> {
  return sql`exists (select 1 from vocabulary_words as w where w.vocabulary_id = ${id} and w.word = d.word and w.term = d.term)`
}

/** The lists of a JSON text as rows: one parameter, where a row each would take thousands. (PostgreSQL: `json_array_elements`.) */
function rowsOf(json: string): RawBuilder<unknown> {
  return sql`select value ->> 0 as word, value ->> 1 as term, value ->> 2 as documents, value ->> 3 as passages from json_each(${json})`
}
