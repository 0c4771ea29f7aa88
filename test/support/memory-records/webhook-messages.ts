import { documentMessage } from '../../../src/contract/present/webhook-message.ts'
import type { AuditFact } from '../../../src/core/audit.ts'
import { callAsNobody } from '../../../src/core/caller.ts'
import { newId } from '../../../src/core/ids.ts'
import type { DocumentRecord } from '../../../src/core/model.ts'
import { isWebhookEvent, type DeliveryRecord, type WebhookRecord, type WebhookStop } from '../../../src/core/webhooks.ts'
import { MAX_WAITING, type DueDelivery } from '../../../src/records/webhooks.ts'

export type StoredWebhook = Omit<WebhookRecord, 'waiting'> & Pick<DueDelivery, 'secrets'>
export type StoredDelivery = DeliveryRecord & Pick<DueDelivery, 'body' | 'failures'> & { finishedAt: Date | null }

interface MessageStore {
  readonly projects: ReadonlyMap<string, { name: string }>
  readonly webhooks: ReadonlyMap<string, StoredWebhook>
  readonly deliveries: Map<string, StoredDelivery>
  now(): Date
  record(fact: AuditFact): void
}

/** Adds the messages about documents. */
export function addMessages(store: MessageStore, type: string, documents: readonly Omit<DocumentRecord, 'projectName'>[]): void {
  if (!isWebhookEvent(type)) return
  for (const [projectId, ofProject] of Map.groupBy(documents, (document) => document.projectId))
    for (const webhook of store.webhooks.values()) {
      if (webhook.projectId !== projectId || webhook.disabled !== null || !webhook.events.includes(type)) continue
      if (waitingFor(store, webhook.id) + ofProject.length > MAX_WAITING) disable(store, webhook, 'backlog')
      else
        for (const document of ofProject) {
          const { id, name } = document
          const projectName = store.projects.get(projectId)!.name
          const body = documentMessage(type, store.now(), { ...document, projectName })
          newDelivery(store, { webhookId: webhook.id, type, document: { id, name }, body })
        }
    }
}

export function newDelivery(
  store: MessageStore,
  fields: Pick<StoredDelivery, 'webhookId' | 'type' | 'document' | 'body'>,
): StoredDelivery {
  const createdAt = store.now()
  const id = newId('msg', createdAt)
  const state = { state: 'waiting', attempts: [], failures: 0, createdAt, nextAttemptAt: createdAt, finishedAt: null } as const
  const delivery = { ...fields, ...state, id, attempts: [] }
  store.deliveries.set(id, delivery)
  return delivery
}

function waitingFor(store: MessageStore, webhookId: string): number {
  return [...store.deliveries.values()].filter((one) => one.webhookId === webhookId && one.state === 'waiting').length
}

export function toWebhook(store: MessageStore, stored: StoredWebhook): WebhookRecord {
  const { secrets: _, ...webhook } = stored
  return structuredClone({ ...webhook, waiting: waitingFor(store, webhook.id) })
}

export function disable(store: MessageStore, webhook: StoredWebhook, reason: WebhookStop): void {
  const { id, url, projectId } = webhook
  webhook.disabled = { at: store.now(), reason }
  webhook.updatedAt = store.now()
  const details = { webhook: id, host: new URL(url).host, reason }
  callAsNobody(() => store.record({ action: 'webhook.disable', projectId, details }))
}
