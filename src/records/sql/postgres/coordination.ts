import { randomBytes } from 'node:crypto'
import { Kysely, sql } from 'kysely'
import type { Logger } from '../../../core/logger.ts'
import { NO_QUOTAS } from '../../quotas.ts'
import type { Coordination, SharedQueue, ShownOnce, Versions } from '../../shared.ts'
import { claim, readClaimed, savePages } from '../queue.ts'
import { SHARED, type Store } from '../store.ts'
import type { Tables } from '../tables.ts'
import { isUnreadWaiting, lockLease, type Worker } from './claims.ts'
import { postgresDialect } from './dialect.ts'
import { PostgresLease } from './lease.ts'
import { createModelRequests, createWriterReports } from './writer-settings.ts'
import { keepSecret } from './secrets.ts'
import type { PostgresServer } from './server.ts'
import { DatabaseVersions } from './versions.ts'

const SECRET_BYTES = 32
/** How many texts to keep for a session. */
const MAX_OF_SESSION = 10

export type WriterParts = Pick<Coordination, 'writer' | 'versions'>

export function createCoordination(options: {
  store: Store
  server: PostgresServer
  versions: DatabaseVersions
  worker: Worker
  writer: PostgresLease
}): Coordination {
  const { store, server, versions, worker, writer } = options
  const { db } = store
  return {
    queue: createSharedQueue(store, worker, server),
    writer,
    versions: createVersions(db, versions),
    reports: createWriterReports(db, writer),
    modelRequests: createModelRequests(db),
    shownOnce: createShownOnce(db),
    secret: (name) => keepSecret(server, name, randomBytes(SECRET_BYTES).toString('base64')),
  }
}

/** For a process that writes an index and opens no records. */
export function createWriterParts({
  server,
  log,
  leaseMs,
}: {
  server: PostgresServer
  log: Logger
  leaseMs: number
}): WriterParts {
  const db = new Kysely<Tables>({ dialect: postgresDialect(server) })
  return {
    writer: new PostgresLease({ db, log, name: 'writer', leaseMs }),
    versions: createVersions(db, new DatabaseVersions(db)),
  }
}

function createVersions(db: Kysely<Tables>, versions: DatabaseVersions): Versions {
  return {
    of: (subject) => versions.of(subject),
    async grow(subject) {
      await sql`update changes set version = version + 1 where subject = ${subject}`.execute(db)
    },
    newestCommit: (indexId) => versions.newestCommit(indexId),
    async noteCommit(indexId, number) {
      await sql`insert into index_commits as c (index_id, number) values (${indexId}, ${number})
        on conflict (index_id) do update set number = greatest(c.number, excluded.number)`.execute(db)
    },
  }
}

function createShownOnce(db: Kysely<Tables>): ShownOnce {
  return {
    async put({ id, sessionId, text, next, ms }) {
      await sql`insert into shown_once (id, session_id, text, next, ends_at)
        values (${id}, ${sessionId}, ${text}, ${next}, clock_timestamp() + ${ms} * interval '1 millisecond')`.execute(db)
      await sql`delete from shown_once where ends_at <= clock_timestamp() or id in (
        select id from shown_once where session_id = ${sessionId} order by ends_at desc offset ${MAX_OF_SESSION})`.execute(db)
    },
    async take(id, sessionId) {
      // If several calls run at the same time, only one gets the text.
      const { rows } = await sql<{ text: string | null; next: string }>`update shown_once set text = null
        from (select id, text from shown_once where id = ${id} and session_id = ${sessionId} and ends_at > clock_timestamp()
          for update) as before
        where shown_once.id = before.id returning before.text, next`.execute(db)
      return rows[0] ?? null
    },
  }
}

const CHANNEL = 'docsearch_handed_over'

/** A document that waits to be taken over has a claim without a worker. So it stays in progress, and no process queues it again. */
function createSharedQueue(store: Store, worker: Worker, server: PostgresServer): SharedQueue {
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
