import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import { AUDIT_REPEAT_MS, MAX_AUDIT_ADDRESSES, type AuditDetails, type AuditFact } from '../../core/audit.ts'
import { currentCaller } from '../../core/caller.ts'
import { equals, nextId } from './per-dialect.ts'
import type { AuditEventRow, Tables } from './tables.ts'

/** A fact with the names that the user and the project have now. */
export interface NewFact {
  row: Omit<AuditEventRow, 'id'>
  isRepeated: boolean
}

/** Describes a fact on behalf of the current caller, while the user and the project still have the names to record. */
export async function describeFact(tx: Transaction<Tables>, fact: AuditFact, now: number): Promise<NewFact> {
  return { row: await rowOf(tx, fact, now), isRepeated: fact.isRepeated === true }
}

/** Adds facts to the audit log, in the transaction of the change. */
export async function insertFacts(tx: Transaction<Tables>, facts: readonly NewFact[], now: number): Promise<void> {
  for (const { row, isRepeated } of facts) {
    if (isRepeated && (await countRepetition(tx, row, now))) continue
    await tx
      .insertInto('audit_events')
      .values({ id: nextId('audit_events', now), ...row })
      .execute()
  }
}

async function rowOf(tx: Transaction<Tables>, fact: AuditFact, now: number): Promise<NewFact['row']> {
  const { action, userId = null, projectId = null, document = null, details = {} } = fact
  const caller = currentCaller()
  const actor = await findUser(tx, fact.actorId ?? caller?.userId ?? null)
  const user = await findUser(tx, userId)
  return {
    action,
    actor_id: actor?.id ?? null,
    actor_name: actor?.name ?? null,
    actor_email: actor?.email ?? null,
    user_id: user?.id ?? null,
    user_name: user?.name ?? null,
    user_email: user?.email ?? null,
    project_id: projectId,
    project_name: projectId === null ? null : await findProjectName(tx, projectId),
    document_id: document?.id ?? null,
    document_name: document?.name ?? null,
    address: caller?.address ?? null,
    credential: caller === null || caller.credential === null ? null : JSON.stringify(caller.credential),
    details: JSON.stringify(details),
    created_at: now,
  }
}

async function findUser(
  tx: Transaction<Tables>,
  id: string | null,
): Promise<{ id: string; name: string; email: string | null } | null> {
  if (id === null) return null
  const row = await tx.selectFrom('users').select(['id', 'name', 'email']).where('id', '=', id).executeTakeFirst()
  return row ?? null
}

async function findProjectName(tx: Transaction<Tables>, id: string): Promise<string | null> {
  const row = await tx.selectFrom('projects').select('name').where('id', '=', id).executeTakeFirst()
  return row?.name ?? null
}

/**
 * Counts a fact in the recent event about the same thing from the same address. When there are events from many addresses already, the row loses its
 * address, so that all further addresses share one event. Returns false when there is no event to count in.
 */
async function countRepetition(tx: Transaction<Tables>, row: NewFact['row'], now: number): Promise<boolean> {
  // Repeated facts are about an account or a document, and each has an index.
  const subject =
    row.document_id === null
      ? sql<boolean>`project_id is null and ${equals('user_id', row.user_id)}`
      : sql<boolean>`document_id = ${row.document_id}`
  const recent = await tx
    .selectFrom('audit_events')
    .select(['id', 'address', 'details'])
    .where(subject)
    .where('action', '=', row.action)
    .where(equals('actor_id', row.actor_id))
    .where('id', '>', now - AUDIT_REPEAT_MS)
    .orderBy('id', 'desc')
    .limit(MAX_AUDIT_ADDRESSES + 1)
    .execute()
  if (recent.length >= MAX_AUDIT_ADDRESSES && !recent.some(({ address }) => address === row.address)) row.address = null
  const same = recent.find(({ address }) => address === row.address)
  if (same === undefined) return false
  const details = JSON.parse(same.details) as AuditDetails
  const times = Number(details['times'] ?? 1) + 1
  await tx
    .updateTable('audit_events')
    .set({ details: JSON.stringify({ ...details, times }) })
    .where('id', '=', same.id)
    .execute()
  return true
}
