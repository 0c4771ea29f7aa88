import type { Kysely } from 'kysely'
import type { Quotas, Usage } from '../../core/model.ts'
import { effectiveQuotas, NO_USAGE, type Allowance } from '../quotas.ts'
import { slices } from './store.ts'
import type { Tables, UserRow } from './tables.ts'

// Usage comes from the table `usage`, which triggers on the documents maintain (count-triggers.ts).

/** Returns the usage of each user. */
export async function readUsage(db: Kysely<Tables>, userIds: readonly string[]): Promise<Map<string, Usage>> {
  const usage = new Map(userIds.map((id) => [id, NO_USAGE]))
  for (const ids of slices(userIds)) {
    const rows = await db.selectFrom('usage').selectAll().where('owner_id', 'in', ids).execute()
    for (const { owner_id, documents, bytes, passages } of rows)
      usage.set(owner_id, { documents, bytes: Number(bytes), passages: Number(passages) })
  }
  return usage
}

/** Counts all users, and sums up what they use. */
export async function readTotals(
  db: Kysely<Tables>,
): Promise<{ users: number; disabled: number; documents: number; bytes: number }> {
  const users = await db
    .selectFrom('users')
    .select((e) => [e.fn.countAll<number>().as('all'), e.fn.count<number>('disabled_at').as('disabled')])
    .executeTakeFirstOrThrow()
  const used = await db
    .selectFrom('usage')
    .select((e) => [e.fn.sum<number | null>('documents').as('documents'), e.fn.sum<number | null>('bytes').as('bytes')])
    .executeTakeFirstOrThrow()
  return {
    users: Number(users.all),
    disabled: Number(users.disabled),
    documents: Number(used.documents ?? 0),
    bytes: Number(used.bytes ?? 0),
  }
}

/** Reads a user's usage and quotas. Call it in the transaction that adds documents. */
export async function readAllowance(db: Kysely<Tables>, userId: string, ofInstance: Quotas): Promise<Allowance> {
  const row = await db
    .selectFrom('users')
    .leftJoin('usage', 'usage.owner_id', 'users.id')
    .select(['quota_documents', 'quota_bytes', 'quota_passages', 'documents', 'bytes', 'passages'])
    .where('users.id', '=', userId)
    .executeTakeFirstOrThrow()
  const { documents, bytes, passages } = row
  const used = documents === null ? NO_USAGE : { documents, bytes: Number(bytes), passages: Number(passages) }
  return { used, quotas: effectiveQuotas(quotasOf(row), ofInstance) }
}

/** Returns the user's own quotas. */
export function quotasOf(row: Pick<UserRow, 'quota_documents' | 'quota_bytes' | 'quota_passages'>): Quotas {
  return { documents: row.quota_documents, bytes: row.quota_bytes, passages: row.quota_passages }
}
