import type { Transaction } from 'kysely'
import { documentMessage } from '../../contract/present.ts'
import type { AuditFact } from '../../core/audit.ts'
import { callAsNobody } from '../../core/caller.ts'
import { newId } from '../../core/ids.ts'
import {
  isWebhookEvent,
  type WebhookEvent,
  type WebhookStop,
  type DeliveryAttempt,
  type DeliveryRecord,
  type WebhookRecord,
} from '../../core/webhooks.ts'
import { MAX_WAITING, type StoredSecret } from '../webhooks.ts'
import { toDocument } from './document-rows.ts'
import { type DocumentRow, type Tables, type WebhookDeliveryRow, type WebhookRow, dateOrNull } from './tables.ts'

/** A delivery has 12 columns. */
const ROWS_AT_ONCE = 500

interface Outbox {
  tx: Transaction<Tables>
  at: Date
  record(fact: AuditFact): Promise<void>
}

/** Writes a message about each document for each webhook of its project that wants this type. */
export async function addMessages(outbox: Outbox, type: string, documents: readonly DocumentRow[]): Promise<void> {
  if (!isWebhookEvent(type)) return
  for (const [projectId, ofProject] of Map.groupBy(documents, (document) => document.project_id)) {
    const webhooks = await wanting(outbox.tx, projectId, type)
    if (webhooks.length === 0) continue
    const { name } = await outbox.tx.selectFrom('projects').select('name').where('id', '=', projectId).executeTakeFirstOrThrow()
    const messages = ofProject.map((row) => ({
      document_id: row.id,
      document_name: row.name,
      body: documentMessage(type, outbox.at, toDocument({ ...row, project_name: name })),
    }))
    for (const webhook of webhooks) await addAll(outbox, webhook, type, messages)
  }
}

async function wanting(tx: Transaction<Tables>, projectId: string, type: WebhookEvent): Promise<WebhookRow[]> {
  const on = tx.selectFrom('webhooks').selectAll().where('project_id', '=', projectId).where('disabled_at', 'is', null)
  const rows = await on.execute()
  return rows.filter(({ events }) => (JSON.parse(events) as string[]).includes(type))
}

type Message = Pick<WebhookDeliveryRow, 'document_id' | 'document_name' | 'body'>

async function addAll(outbox: Outbox, webhook: WebhookRow, type: WebhookEvent, messages: readonly Message[]): Promise<void> {
  const { tx, at } = outbox
  if (webhook.waiting + messages.length > MAX_WAITING) return disable(outbox, webhook, 'backlog')
  const rows = messages.map((message) => ({ ...newDelivery(webhook.id, type, at), ...message }))
  for (let i = 0; i < rows.length; i += ROWS_AT_ONCE)
    await tx
      .insertInto('webhook_deliveries')
      .values(rows.slice(i, i + ROWS_AT_ONCE))
      .execute()
  await changeWaiting(tx, webhook.id, rows.length)
}

/** Returns the columns of a delivery that is due now. */
export function newDelivery(webhookId: string, type: WebhookDeliveryRow['type'], at: Date) {
  return {
    id: newId('msg', at),
    webhook_id: webhookId,
    type,
    document_id: null,
    document_name: null,
    state: 'waiting' as const,
    attempts: '[]',
    failures: 0,
    created_at: at.getTime(),
    due_at: at.getTime(),
    finished_at: null,
  }
}

export async function changeWaiting(tx: Transaction<Tables>, webhookId: string, by: number): Promise<void> {
  const query = tx.updateTable('webhooks').set((e) => ({ waiting: e('waiting', '+', by) }))
  await query.where('id', '=', webhookId).execute()
}

/** Turns a webhook off. What waits for it stays, so that it is sent if a manager turns the webhook on again. */
export async function disable(
  { tx, at, record }: Outbox,
  { id, project_id: projectId, url }: Pick<WebhookRow, 'id' | 'project_id' | 'url'>,
  reason: WebhookStop,
): Promise<void> {
  await tx
    .updateTable('webhooks')
    .set({ disabled_at: at.getTime(), disabled_reason: reason, updated_at: at.getTime() })
    .where('id', '=', id)
    .execute()
  await callAsNobody(() => record({ action: 'webhook.disable', projectId, details: { ...factsOf(id, url), reason } }))
}

/** Names a webhook in the audit log. The rest of an address can contain a secret. */
export function factsOf(webhook: string, url: string): { webhook: string; host: string } {
  return { webhook, host: new URL(url).host }
}

/** Columns of a delivery without its body, which the log does not show. */
export const LOGGED_COLUMNS = [
  'id',
  'webhook_id',
  'type',
  'document_id',
  'document_name',
  'state',
  'attempts',
  'created_at',
  'due_at',
] as const satisfies (keyof WebhookDeliveryRow)[]

export function toWebhook(row: WebhookRow): WebhookRecord {
  const { disabled_at: at, disabled_reason: reason } = row
  return {
    id: row.id,
    projectId: row.project_id,
    url: row.url,
    description: row.description,
    events: JSON.parse(row.events) as WebhookEvent[],
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
    disabled: at === null || reason === null ? null : { at: new Date(at), reason },
    failingSince: dateOrNull(row.failing_since),
    waiting: row.waiting,
  }
}

export function toDelivery(row: Pick<WebhookDeliveryRow, (typeof LOGGED_COLUMNS)[number]>): DeliveryRecord {
  const { document_id: documentId, document_name: name } = row
  return {
    id: row.id,
    webhookId: row.webhook_id,
    type: row.type,
    document: documentId === null || name === null ? null : { id: documentId, name },
    createdAt: new Date(row.created_at),
    state: row.state,
    attempts: readAttempts(row),
    nextAttemptAt: dateOrNull(row.due_at),
  }
}

type AttemptJson = Pick<DeliveryAttempt, 'status' | 'error'> & { at: number; took_ms: number }

export function readAttempts({ attempts }: Pick<WebhookDeliveryRow, 'attempts'>): DeliveryAttempt[] {
  const stored = JSON.parse(attempts) as AttemptJson[]
  return stored.map(({ at, status, error, took_ms: tookMs }) => ({ at: new Date(at), status, error, tookMs }))
}

export function attemptsColumn(attempts: readonly DeliveryAttempt[]): string {
  const stored = attempts.map(({ at, status, error, tookMs }): AttemptJson => ({
    at: at.getTime(),
    status,
    error,
    took_ms: tookMs,
  }))
  return JSON.stringify(stored)
}

export function readSecrets({ secrets }: Pick<WebhookRow, 'secrets'>): StoredSecret[] {
  const stored = JSON.parse(secrets) as { sealed: string; expires_at: number | null }[]
  return stored.map(({ sealed, expires_at: expiresAt }) => ({ sealed, expiresAt: dateOrNull(expiresAt) }))
}

export function secretsColumn(secrets: readonly StoredSecret[]): string {
  return JSON.stringify(secrets.map(({ sealed, expiresAt }) => ({ sealed, expires_at: expiresAt?.getTime() ?? null })))
}
