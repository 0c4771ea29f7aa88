import type { DocumentEvent } from '../../core/model.ts'
import { MAX_EVENTS } from '../events.ts'
import type { Events } from '../events.ts'
import type { Store } from './store.ts'

export function createEvents(store: Store): Events {
  const { db } = store

  async function latestId(): Promise<number> {
    const row = await db
      .selectFrom('events')
      .select((e) => e.fn.max('id').as('latest'))
      .executeTakeFirst()
    return row?.latest ?? 0
  }

  return {
    async since(ownerId, afterId, limit) {
      const rows = await db
        .selectFrom('events')
        .selectAll()
        .where('owner_id', '=', ownerId)
        .where('id', '>', afterId)
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map((row) => ({
        id: row.id,
        ownerId: row.owner_id,
        documentId: row.document_id,
        projectId: row.project_id,
        type: row.type as DocumentEvent['type'],
        data: JSON.parse(row.data) as Record<string, unknown>,
        createdAt: new Date(row.created_at),
      }))
    },
    latestId,
    subscribe: (ownerId, listener) => store.subscribe(ownerId, listener),
    async trim() {
      const oldest = (await latestId()) - MAX_EVENTS
      if (oldest > 0) await db.deleteFrom('events').where('id', '<=', oldest).execute()
    },
  }
}
