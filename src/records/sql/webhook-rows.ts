import type { DeliveryAttempt, DeliveryRecord, WebhookEvent, WebhookRecord } from '../../core/webhooks.ts'
import type { StoredSecret } from '../webhooks.ts'
import { dateOrNull, type WebhookDeliveryRow, type WebhookRow } from './tables.ts'

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
