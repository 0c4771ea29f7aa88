import type { DocumentEvent } from '../../core/model.ts'
import { MAX_EVENTS } from '../events.ts'
import type { Events } from '../events.ts'
import { latestEventId } from './store.ts'
import type { Store, WriteTransaction } from './store.ts'

export function createEvents(store: Store): Events {
  const { db } = store
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
    latestId: (ownerId) => latestEventId(db, ownerId),
    async resumeAfter(ownerId, id) {
      const stored = await latestEventId(db, ownerId, id)
      if (stored > 0) return stored
      const trim = await db.selectFrom('event_trims').select('last_id').where('owner_id', '=', ownerId).executeTakeFirst()
      return trim?.last_id ?? 0
    },
    subscribe: (ownerId, listener) => store.subscribe(ownerId, listener),
    async trim(keep = MAX_EVENTS) {
      const owners = await db
        .selectFrom('events')
        .select('owner_id')
        .groupBy('owner_id')
        .having((e) => e.fn.countAll(), '>', keep)
        .execute()
      for (const { owner_id } of owners) await store.write((tx) => trimOwner(tx, owner_id, keep))
    },
  }
}

async function trimOwner({ sql }: WriteTransaction, ownerId: string, keep: number): Promise<void> {
  const newest = await sql
    .selectFrom('events')
    .select('id')
    .where('owner_id', '=', ownerId)
    .orderBy('id', 'desc')
    .offset(keep)
    .limit(1)
    .executeTakeFirst()
  if (newest === undefined) return
  await sql.deleteFrom('events').where('owner_id', '=', ownerId).where('id', '<=', newest.id).execute()
  await sql
    .insertInto('event_trims')
    .values({ owner_id: ownerId, last_id: newest.id })
    .onConflict((c) => c.column('owner_id').doUpdateSet({ last_id: newest.id }))
    .execute()
}
