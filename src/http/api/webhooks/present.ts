import type { Webhook, WebhookDelivery, WebhookRotated, WebhookWithSecret } from '../../../contract/webhooks.ts'
import { DELIVERY_ERRORS, type DeliveryAttempt, type DeliveryRecord, type WebhookRecord } from '../../../core/webhooks.ts'

export function presentWebhook(webhook: WebhookRecord): Webhook {
  const { id, url, description, events, disabled, failingSince, waiting, createdAt, updatedAt } = webhook
  return {
    id,
    url,
    description,
    events: [...events],
    enabled: disabled === null,
    disabled_at: disabled?.at.toISOString() ?? null,
    disabled_reason: disabled?.reason ?? null,
    failing_since: failingSince?.toISOString() ?? null,
    waiting,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  }
}

export function presentNewWebhook({ webhook, secret }: { webhook: WebhookRecord; secret: string }): WebhookWithSecret {
  return { ...presentWebhook(webhook), secret }
}

export function presentRotated(rotated: { webhook: WebhookRecord; secret: string; formerUntil: Date }): WebhookRotated {
  return { ...presentNewWebhook(rotated), old_secret_expires_at: rotated.formerUntil.toISOString() }
}

export function presentDelivery(delivery: DeliveryRecord): WebhookDelivery {
  const { id, type, document, state, attempts, createdAt, nextAttemptAt } = delivery
  return {
    id,
    type,
    document: document && { id: document.id, name: document.name },
    state,
    attempts: attempts.map(presentAttempt),
    created_at: createdAt.toISOString(),
    next_attempt_at: nextAttemptAt?.toISOString() ?? null,
  }
}

function presentAttempt({ at, status, error, tookMs }: DeliveryAttempt): WebhookDelivery['attempts'][number] {
  return {
    time: at.toISOString(),
    status,
    error: error === null ? null : { code: error, message: DELIVERY_ERRORS[error] },
    took_ms: tookMs,
  }
}
