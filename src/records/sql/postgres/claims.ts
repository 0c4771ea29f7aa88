import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import { DocsearchError } from '../../../core/errors.ts'
import type { ClaimOptions, Claims } from '../engine.ts'
import type { Tables } from '../tables.ts'

/** This process, as a worker on documents. */
export interface Worker {
  /** The id of the worker. It changes once the lease has expired, because other processes may have taken its documents. */
  readonly id: string
  /** Makes sure that the process has a lease. */
  ensureLease(): Promise<void>
  /** Call this when another process has ended the lease. */
  loseLease(): void
}

/**
 * A claim belongs to a worker and lasts as long as the lease of the worker, which renews it while it runs (worker.ts). So a claim costs one row and
 * no timer of its own. When a frozen process wakes up after its lease, its claims are gone, and it gets another id.
 */
export function createClaims(worker: Worker): Claims {
  return {
    isShared: true,
    next: findAndLock,
    prepare: () => worker.ensureLease(),
    async take(tx, documentId) {
      await lockLease(tx, worker)
      await sql`insert into claims (document_id, worker_id) values (${documentId}, ${worker.id})
        on conflict (document_id) do update set worker_id = excluded.worker_id`.execute(tx)
    },
    isOwn: () => sql<boolean>`exists (select 1 from claims where document_id = documents.id and worker_id = ${worker.id})`,
    async forgetStopped(tx) {
      const stopped = await sql<{ id: string }>`delete from workers where lease_until < clock_timestamp() returning id`.execute(
        tx,
      )
      if (stopped.rows.some(({ id }) => id === worker.id)) worker.loseLease()
    },
    isAbandoned: sql<boolean>`not exists (select 1 from claims where document_id = documents.id)`,
  }
}

/** Makes sure that the lease of this process lasts as long as the transaction. Throws `database_busy` if it has expired. */
export async function lockLease(tx: Transaction<Tables>, worker: Worker): Promise<void> {
  const hasLease = await sql`select 1 from workers where id = ${worker.id} for share`.execute(tx)
  if (hasLease.rows.length > 0) return
  worker.loseLease()
  throw new DocsearchError('database_busy', 'The lease of this process has expired. Try again.', { retryAfter: 1 })
}

/**
 * Like `findNextQueued`, but locks the owner and then the document, in two statements: the second one sees what the previous holder of the lock has
 * committed. Skips owners that other transactions have locked. Waits for a locked owner only if there is no other one, and if this transaction has
 * locked none.
 */
async function findAndLock(
  tx: Transaction<Tables>,
  except: readonly string[],
  { mayWait, isUnread = false }: ClaimOptions,
): Promise<{ id: string } | undefined> {
  const passed = [...except]
  for (;;) {
    const owner = (await lockOwner(tx, passed, 'skip locked')) ?? (mayWait ? await lockOwner(tx, passed, 'wait') : undefined)
    if (owner === undefined) return undefined
    const document = await tx
      .selectFrom('documents')
      .select('id')
      .where('status', '=', 'queued')
      .where('owner_id', '=', owner)
      .$if(isUnread, (query) => query.where(sql<boolean>`pages_version is distinct from version`))
      .orderBy('attempts')
      .orderBy('queued_at')
      .orderBy('id')
      .limit(1)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst()
    if (document !== undefined) return document
    passed.push(owner)
  }
}

async function lockOwner(
  tx: Transaction<Tables>,
  except: readonly string[],
  mode: 'skip locked' | 'wait',
): Promise<string | undefined> {
  const row = await tx
    .selectFrom('queue_turns')
    .select('owner_id')
    .where(sql<boolean>`waiting > 0`)
    .$if(except.length > 0, (query) => query.where('owner_id', 'not in', except))
    .orderBy('turn')
    .orderBy('owner_id')
    .limit(1)
    .forUpdate()
    .$if(mode === 'skip locked', (query) => query.skipLocked())
    .executeTakeFirst()
  return row?.owner_id
}
