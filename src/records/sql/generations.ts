import { newId } from '../../core/ids.ts'
import type { Generation, Generations } from '../records.ts'
import type { Store } from './store.ts'
import type { GenerationRow } from './tables.ts'

export function createGenerations(store: Store): Generations {
  const { db, clock } = store
  return {
    async active() {
      const row = await db.selectFrom('generations').selectAll().where('active', '=', 1).executeTakeFirst()
      return row ? toGeneration(row) : null
    },
    activate: ({ fingerprint, embeddingModel, dimensions }) =>
      store.write(async ({ sql }) => {
        const at = clock.now()
        const row = {
          id: newId('gen', at),
          fingerprint,
          embedding_model: embeddingModel,
          dimensions,
          active: 1,
          created_at: at.getTime(),
        }
        await sql.deleteFrom('generations').execute()
        await sql.insertInto('generations').values(row).execute()
        return toGeneration(row)
      }),
    async clear() {
      await db.deleteFrom('generations').execute()
    },
  }
}

function toGeneration(row: GenerationRow): Generation {
  return {
    id: row.id,
    fingerprint: row.fingerprint,
    embeddingModel: row.embedding_model,
    dimensions: row.dimensions,
    active: row.active === 1,
    createdAt: new Date(row.created_at),
  }
}
