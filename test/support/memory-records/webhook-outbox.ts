import { WEBHOOK_TEST } from '../../../src/core/webhooks.ts'
import { MAX_ATTEMPTS_LOGGED, MAX_FAILING_MS, MAX_LOGGED, type WebhookOutbox } from '../../../src/records/webhooks.ts'
import type { MemoryStore } from './store.ts'
import { disable, toWebhook, type StoredDelivery } from './webhook-messages.ts'

export function memoryOutbox(store: MemoryStore): WebhookOutbox {
  const { webhooks, deliveries } = store

  /** Returns the deliveries that wait for webhooks that are on, the one that is due first at the start. */
  function waiting(webhookId?: string): (StoredDelivery & { nextAttemptAt: Date })[] {
    const isOn = (one: StoredDelivery) => webhooks.get(one.webhookId)!.disabled === null
    return [...deliveries.values()]
      .filter((one): one is StoredDelivery & { nextAttemptAt: Date } => one.nextAttemptAt !== null && isOn(one))
      .filter((one) => webhookId === undefined || one.webhookId === webhookId)
      .toSorted((a, b) => a.nextAttemptAt.getTime() - b.nextAttemptAt.getTime() || (a.id < b.id ? -1 : 1))
  }

  return {
    async due() {
      const ids = new Set(waiting().flatMap((one) => (store.isPast(one.nextAttemptAt) ? [one.webhookId] : [])))
      return [...ids].toSorted().map((id) => {
        const { projectId, failingSince } = webhooks.get(id)!
        return { id, projectId, isFailing: failingSince !== null }
      })
    },
    async next(webhookId, except) {
      const next = waiting(webhookId).find((one) => store.isPast(one.nextAttemptAt) && !except.includes(one.id))
      if (next === undefined) return null
      const { id, type, body, failures } = next
      const { url, secrets } = webhooks.get(webhookId)!
      return structuredClone({ id, webhookId, type, body, failures, url, secrets })
    },
    async nextDueAt() {
      return waiting().find((one) => !store.isPast(one.nextAttemptAt))?.nextAttemptAt ?? null
    },
    async finish(deliveryId, { attempt, state, nextAttemptAt, isGone }) {
      const delivery = deliveries.get(deliveryId)
      if (delivery === undefined) return null
      delivery.attempts = [...delivery.attempts, attempt].slice(-MAX_ATTEMPTS_LOGGED)
      if (delivery.state !== 'waiting' && state !== 'delivered') return null
      const finishedAt = state === 'waiting' ? null : store.now()
      Object.assign(delivery, { state, nextAttemptAt, finishedAt })
      delivery.failures += attempt.error === null ? 0 : 1
      trimLog(store, delivery.webhookId)
      const webhook = webhooks.get(delivery.webhookId)!
      if (attempt.error === null) webhook.failingSince = null
      else if (delivery.type !== WEBHOOK_TEST) webhook.failingSince ??= attempt.at
      const since = attempt.error === null ? null : webhook.failingSince
      const isFailing = since !== null && store.now().getTime() - since.getTime() >= MAX_FAILING_MS
      if (webhook.disabled !== null || !(isGone || isFailing)) return null
      disable(store, webhook, isGone ? 'gone' : 'failing')
      return toWebhook(store, webhook)
    },
    async sweep(before, limit) {
      const old = [...deliveries.values()].filter(({ createdAt }) => createdAt < before).slice(0, limit)
      for (const { id } of old) deliveries.delete(id)
      return old.length
    },
  }
}

function trimLog(store: MemoryStore, webhookId: string): void {
  const finished = [...store.deliveries.values()].filter((one) => one.webhookId === webhookId && one.finishedAt !== null)
  const newest = finished.toSorted((a, b) => b.finishedAt!.getTime() - a.finishedAt!.getTime() || (a.id < b.id ? 1 : -1))
  for (const { id } of newest.slice(MAX_LOGGED)) store.deliveries.delete(id)
}
