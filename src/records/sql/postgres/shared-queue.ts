import { sql } from 'kysely'
import type { SharedQueue } from '../../shared.ts'
import { NO_QUOTAS } from '../../quotas.ts'
import { claim, readClaimed, savePages } from '../queue.ts'
import { SHARED, type Store } from '../store.ts'
import { isUnreadWaiting, lockLease, type Worker } from './claims.ts'
import type { PostgresServer } from './server.ts'

const CHANNEL = 'docsearch_handed_over'

/** A document that waits to be taken over has a claim without a worker. So it stays in progress, and no process queues it again. */
export function createSharedQueue(store: Store, worker: Worker, server: PostgresServer): SharedQueue {
  return {
    async claimUnread(limit, { except = [], exceptTypes }) {
      const unread = { exceptTypes }
      await worker.ensureLease()
      return (await isUnreadWaiting(store.db, except, unread)) ? claim(store, limit, { except, unread }) : []
    },
    handOver: (job, parsed, quotas = NO_QUOTAS) =>
      store.writeStep(async (tx) => {
        const saved = await savePages(tx, { job, parsed, quotas, at: store.clock.now() })
        if (saved === null) return null
        // The claim belongs to this process. Otherwise, `savePages` would not have found the document.
        await sql`with given as (update claims set worker_id = null where document_id = ${job.documentId})
          select pg_notify(${sql.lit(CHANNEL)}, '')`.execute(tx.sql)
        return saved
      }, SHARED),
    onHandedOver: (listener) => server.listen(CHANNEL, listener),
    async takeOver(limit) {
      const waiting = await sql`select 1 from claims where worker_id is null limit 1`.execute(store.db)
      if (waiting.rows.length === 0) return []
      await worker.ensureLease()
      const claims = await store.writeStep(async (tx) => {
        const lease = await lockLease(tx.sql, worker)
        const { rows } = await sql<{ id: string }>`update claims set worker_id = ${lease} where document_id in (
          select document_id from claims
            join documents on documents.id = document_id
            left join queue_turns on queue_turns.owner_id = documents.owner_id
          where worker_id is null and status = 'processing' order by turn, queued_at, document_id
          limit ${limit} for update of claims skip locked) returning document_id as id`.execute(tx.sql)
        return rows.map(({ id }) => ({ documentId: id, lease }))
      }, SHARED)
      return readClaimed(store.db, claims)
    },
  }
}
