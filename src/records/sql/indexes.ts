import { newId } from '../../core/ids.ts'
import type { UnrelatedSimilarity } from '../../core/noise.ts'
import type { IndexRecord, Indexes, ModelMeasurements, NewIndex } from '../indexes.ts'
import { createIndexDocuments } from './index-documents.ts'
import { queueReadByOthers, switchTo } from './index-switch.ts'
import type { Store, WriteTransaction } from './store.ts'
import type { IndexRow } from './tables.ts'

/** The name of the setting that holds the chosen embedder. */
const EMBEDDER = 'embedder'

export function createIndexes(store: Store): Indexes {
  const { db } = store
  return {
    async active() {
      const row = await db.selectFrom('generations').selectAll().where('state', '=', 'active').executeTakeFirst()
      return row ? toIndexRecord(row) : null
    },
    async all() {
      const rows = await db.selectFrom('generations').selectAll().orderBy('created_at').orderBy('id').execute()
      return rows.map(toIndexRecord)
    },
    activate: (index) => store.write((tx) => replace(tx, store.clock.now(), index, 'active')),
    build: (index) => store.write((tx) => replace(tx, store.clock.now(), index, 'building')),
    resume: (id) =>
      store.write(async (tx) => {
        await deleteWithState(tx, 'building')
        const row = await tx.sql
          .updateTable('generations')
          .set({ state: 'building' })
          .where('id', '=', id)
          .where('state', '=', 'kept')
          .returningAll()
          .executeTakeFirst()
        return row ? toIndexRecord(row) : null
      }),
    drop: (id) =>
      store.write(async (tx) => {
        await tx.sql.deleteFrom('generations').where('id', '=', id).execute()
      }),
    async clear() {
      await db.deleteFrom('generations').execute()
    },
    async measurements(id) {
      const row = await db.selectFrom('generations').select('canaries').where('id', '=', id).executeTakeFirst()
      return row?.canaries ? readMeasurements(row.canaries) : null
    },
    setMeasurements: (id, { canaries, unrelatedSimilarity }) =>
      store.write(async (tx) => {
        const stored: StoredMeasurements = { canaries: canaries.map((vector) => Array.from(vector)), chance: unrelatedSimilarity }
        await tx.sql
          .updateTable('generations')
          .set({ canaries: JSON.stringify(stored) })
          .where('id', '=', id)
          .execute()
      }),
    ...createIndexDocuments(store),
    switchTo: (id, options) => store.write((tx) => switchTo(tx, store.now(), id, options)),
    adopt: (id, { fingerprint, parserVersion }) =>
      store.write(async (tx) => {
        await tx.sql.updateTable('generations').set({ fingerprint }).where('id', '=', id).execute()
        return queueReadByOthers(tx, parserVersion, store.now())
      }),
    async chosen() {
      const row = await db.selectFrom('settings').select('value').where('name', '=', EMBEDDER).executeTakeFirst()
      return row?.value ?? null
    },
    async choose(embedder) {
      if (embedder === null) await db.deleteFrom('settings').where('name', '=', EMBEDDER).execute()
      else
        await db
          .insertInto('settings')
          .values({ name: EMBEDDER, value: embedder })
          .onConflict((c) => c.column('name').doUpdateSet({ value: embedder }))
          .execute()
    },
  }
}

interface StoredMeasurements {
  canaries: number[][]
  /** `unrelatedSimilarity`. */
  chance: UnrelatedSimilarity | null
}

/** Also reads what earlier versions stored: the canary vectors alone. */
function readMeasurements(json: string): ModelMeasurements {
  const stored = JSON.parse(json) as StoredMeasurements | number[][]
  const { canaries, chance } = Array.isArray(stored) ? { canaries: stored, chance: null } : stored
  return { canaries: canaries.map((values) => Float32Array.from(values)), unrelatedSimilarity: chance }
}

/** Inserts an index instead of the one that has this state. */
async function replace(
  tx: WriteTransaction,
  now: Date,
  { fingerprint, embeddingModel, dimensions }: NewIndex,
  state: IndexRow['state'],
): Promise<IndexRecord> {
  await deleteWithState(tx, state)
  const row: IndexRow = {
    id: newId('gen', now),
    fingerprint,
    embedding_model: embeddingModel,
    dimensions,
    state,
    canaries: null,
    created_at: now.getTime(),
  }
  await tx.sql.insertInto('generations').values(row).execute()
  return toIndexRecord(row)
}

async function deleteWithState(tx: WriteTransaction, state: IndexRow['state']): Promise<void> {
  await tx.sql.deleteFrom('generations').where('state', '=', state).execute()
}

function toIndexRecord(row: IndexRow): IndexRecord {
  return {
    id: row.id,
    fingerprint: row.fingerprint,
    embeddingModel: row.embedding_model,
    dimensions: row.dimensions,
    state: row.state === 'kept' ? 'retired' : row.state,
    createdAt: new Date(row.created_at),
  }
}
