import { testMessage } from '../../../src/contract/present/webhook-message.ts'
import { WEBHOOK_TEST, type DeliveryRecord } from '../../../src/core/webhooks.ts'
import { tooManyWebhooks, webhookDisabled } from '../../../src/records/errors.ts'
import { decodeCursor, resultPage } from '../../../src/records/result-page.ts'
import type { WebhookChange, Webhooks } from '../../../src/records/webhooks.ts'
import type { MemoryStore } from './store.ts'
import { newDelivery, toWebhook, type StoredDelivery, type StoredWebhook } from './webhook-messages.ts'
import { memoryOutbox } from './webhook-outbox.ts'

export function memoryWebhooks(store: MemoryStore): Webhooks {
  const { webhooks, deliveries } = store

  function find(projectId: string, id: string): StoredWebhook | undefined {
    const webhook = webhooks.get(id)
    return webhook?.projectId === projectId ? webhook : undefined
  }

  function findDelivery(webhookId: string, id: string): StoredDelivery | undefined {
    const delivery = deliveries.get(id)
    return delivery?.webhookId === webhookId ? delivery : undefined
  }

  function isEnabled(id: string): boolean {
    const webhook = webhooks.get(id)
    if (webhook?.disabled) throw webhookDisabled()
    return webhook !== undefined
  }

  return {
    async create({ id, projectId, url, description, events, sealedSecret, maxWebhooks }) {
      if (!store.projects.has(projectId)) return null
      if ([...webhooks.values()].filter((one) => one.projectId === projectId).length >= maxWebhooks)
        throw tooManyWebhooks(maxWebhooks)
      const createdAt = store.now()
      const state = { createdAt, updatedAt: createdAt, disabled: null, failingSince: null }
      const secrets = [{ sealed: sealedSecret, expiresAt: null }]
      webhooks.set(id, { id, projectId, url, description, events: [...events], ...state, secrets })
      store.record({ action: 'webhook.create', projectId, details: { webhook: id, host: new URL(url).host, events } })
      return toWebhook(store, webhooks.get(id)!)
    },
    async list(projectId) {
      const own = [...webhooks.values()].filter((one) => one.projectId === projectId)
      return own.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map((one) => toWebhook(store, one))
    },
    async get(projectId, id) {
      const webhook = find(projectId, id)
      return webhook === undefined ? null : toWebhook(store, webhook)
    },
    async update(projectId, id, change) {
      const webhook = find(projectId, id)
      if (webhook === undefined) return null
      applyChange(store, webhook, change)
      return toWebhook(store, webhook)
    },
    async rotate(projectId, id, { sealed, formerUntil }) {
      const webhook = find(projectId, id)
      if (webhook === undefined) return null
      const former = webhook.secrets.slice(0, 1).map((secret) => ({ ...secret, expiresAt: formerUntil }))
      Object.assign(webhook, { secrets: [{ sealed, expiresAt: null }, ...former], updatedAt: store.now() })
      store.record({ action: 'webhook.rotate', projectId, details: { webhook: id, host: new URL(webhook.url).host } })
      return toWebhook(store, webhook)
    },
    async delete(projectId, id) {
      const webhook = find(projectId, id)
      if (webhook === undefined) return false
      store.record({ action: 'webhook.delete', projectId, details: { webhook: id, host: new URL(webhook.url).host } })
      store.deleteWebhook(id)
      return true
    },
    async deliveries(webhookId, { limit, cursor, state }) {
      const before = cursor === undefined ? null : decodeCursor(cursor, 'string').id
      const rows = [...deliveries.values()].filter(
        (one) =>
          one.webhookId === webhookId && (state === undefined || one.state === state) && (before === null || one.id < before),
      )
      return resultPage(
        rows.toSorted((a, b) => (a.id < b.id ? 1 : -1)),
        limit,
        ({ id }) => ({ value: id, id }),
        toDelivery,
      )
    },
    async delivery(webhookId, id) {
      const delivery = findDelivery(webhookId, id)
      return delivery === undefined ? null : toDelivery(delivery)
    },
    async addTest(webhookId) {
      if (!isEnabled(webhookId)) return null
      const delivery = newDelivery(store, {
        webhookId,
        type: WEBHOOK_TEST,
        document: null,
        body: testMessage(store.now(), webhookId),
      })
      return toDelivery(delivery)
    },
    async redeliver(webhookId, id) {
      const delivery = isEnabled(webhookId) ? findDelivery(webhookId, id) : undefined
      if (delivery === undefined) return null
      const again = { state: 'waiting', nextAttemptAt: store.now(), failures: 0, finishedAt: null } as const
      return toDelivery(Object.assign(delivery, again))
    },
    outbox: memoryOutbox(store),
  }
}

function applyChange(store: MemoryStore, webhook: StoredWebhook, { enabled, ...given }: WebhookChange): void {
  const changed = (['url', 'description', 'events'] as const).filter(
    (name) => given[name] !== undefined && JSON.stringify(given[name]) !== JSON.stringify(webhook[name]),
  )
  const isSwitched = enabled !== undefined && enabled !== (webhook.disabled === null)
  if (changed.length === 0 && !isSwitched) return
  for (const name of changed) Object.assign(webhook, { [name]: given[name] })
  webhook.updatedAt = store.now()
  const host = new URL(webhook.url).host
  const details = { webhook: webhook.id, host, ...(changed.length > 0 && { changed }), ...(isSwitched && { enabled }) }
  store.record({ action: 'webhook.update', projectId: webhook.projectId, details })
  if (!isSwitched) return
  webhook.disabled = enabled ? null : { at: store.now(), reason: 'manager' }
  if (enabled) webhook.failingSince = null
}

function toDelivery({ body: _0, failures: _1, finishedAt: _2, ...delivery }: StoredDelivery): DeliveryRecord {
  return structuredClone(delivery)
}
