import { sql } from 'kysely'
import type { SharedQueue } from '../../shared.ts'
import { claim, readClaimed } from '../queue.ts'
import { SHARED, type Store } from '../store.ts'
import { lockLease, type Worker } from './claims.ts'

/** A document that waits to be taken over has a claim without a worker. So it stays in progress, and no process queues it again. */
export function createSharedQueue(store: Store, worker: Worker): SharedQueue {
  return {
    claimUnread: (limit, { except = [] } = {}) => claim(store, limit, except, { isUnread: true }),
    async handOver({ documentId, version }) {
      await sql`update claims set worker_id = null where document_id = ${documentId} and worker_id = ${worker.id}
        and exists (select 1 from documents where id = ${documentId} and version = ${version} and status = 'processing')`.execute(
        store.db,
      )
    },
    async takeOver(limit) {
      const waiting = await sql`select 1 from claims where worker_id is null limit 1`.execute(store.db)
      if (waiting.rows.length === 0) return []
      await worker.ensureLease()
      const ids = await store.writeStep(async (tx) => {
        await lockLease(tx.sql, worker)
        const { rows } = await sql<{ id: string }>`update claims set worker_id = ${worker.id} where document_id in (
          select document_id from claims
            join documents on documents.id = document_id
            left join queue_turns on queue_turns.owner_id = documents.owner_id
          where worker_id is null and status = 'processing' order by turn, queued_at, document_id
          limit ${limit} for update of claims skip locked) returning document_id as id`.execute(tx.sql)
        return rows.map(({ id }) => id)
      }, SHARED)
      return readClaimed(store.db, ids)
    },
  }
}
