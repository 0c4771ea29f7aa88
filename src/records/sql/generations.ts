import { newId } from '../../core/ids.ts'
import type { Generation, Generations, NewGeneration } from '../records.ts'
import { createGenerationDocuments } from './generation-documents.ts'
import { switchTo } from './generation-switch.ts'
import type { Store, WriteTransaction } from './store.ts'
import type { GenerationRow } from './tables.ts'

const CHOSEN = 'embedder'

export function createGenerations(store: Store): Generations {
  const { db, clock } = store

  async function insert(
    tx: WriteTransaction,
    { fingerprint, embeddingModel, dimensions }: NewGeneration,
    state: GenerationRow['state'],
  ): Promise<Generation> {
    const at = clock.now()
    const row: GenerationRow = {
      id: newId('gen', at),
      fingerprint,
      embedding_model: embeddingModel,
      dimensions,
      state,
      canaries: null,
      created_at: at.getTime(),
    }
    await tx.sql.insertInto('generations').values(row).execute()
    return toGeneration(row)
  }

  const forgetThat = (tx: WriteTransaction, state: GenerationRow['state']) =>
    tx.sql.deleteFrom('generations').where('state', '=', state).execute()

  return {
    async active() {
      const row = await db.selectFrom('generations').selectAll().where('state', '=', 'active').executeTakeFirst()
      return row ? toGeneration(row) : null
    },
    async all() {
      const rows = await db.selectFrom('generations').selectAll().orderBy('created_at').orderBy('id').execute()
      return rows.map(toGeneration)
    },
    activate: (generation) =>
      store.write(async (tx) => {
        await forgetThat(tx, 'active')
        return insert(tx, generation, 'active')
      }),
    build: (generation) =>
      store.write(async (tx) => {
        await forgetThat(tx, 'building')
        return insert(tx, generation, 'building')
      }),
    resume: (id) =>
      store.write(async (tx) => {
        await forgetThat(tx, 'building')
        const row = await tx.sql
          .updateTable('generations')
          .set({ state: 'building' })
          .where('id', '=', id)
          .where('state', '=', 'kept')
          .returningAll()
          .executeTakeFirst()
        return row ? toGeneration(row) : null
      }),
    async drop(id) {
      await db.deleteFrom('generations').where('id', '=', id).execute()
    },
    async clear() {
      await db.deleteFrom('generations').execute()
    },
    async canaries(id) {
      const row = await db.selectFrom('generations').select('canaries').where('id', '=', id).executeTakeFirst()
      return row?.canaries ? (JSON.parse(row.canaries) as number[][]).map((values) => Float32Array.from(values)) : null
    },
    async setCanaries(id, vectors) {
      const canaries = JSON.stringify(vectors.map((vector) => Array.from(vector)))
      await db.updateTable('generations').set({ canaries }).where('id', '=', id).execute()
    },
    ...createGenerationDocuments(store),
    switchTo: (id, options) => store.write((tx) => switchTo(tx, store.now(), id, options)),
    async chosen() {
      const row = await db.selectFrom('settings').select('value').where('name', '=', CHOSEN).executeTakeFirst()
      return row?.value ?? null
    },
    async choose(embedder) {
      if (embedder === null) await db.deleteFrom('settings').where('name', '=', CHOSEN).execute()
      else
        await db
          .insertInto('settings')
          .values({ name: CHOSEN, value: embedder })
          .onConflict((c) => c.column('name').doUpdateSet({ value: embedder }))
          .execute()
    },
  }
}

function toGeneration(row: GenerationRow): Generation {
  return {
    id: row.id,
    fingerprint: row.fingerprint,
    embeddingModel: row.embedding_model,
    dimensions: row.dimensions,
    state: row.state,
    createdAt: new Date(row.created_at),
  }
}
