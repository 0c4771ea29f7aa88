import type { Clock } from '../core/clock.ts'
import { DocsearchError } from '../core/errors.ts'
import type { DeliveryRecord, DeliveryState, WebhookEvent, WebhookRecord } from '../core/webhooks.ts'
import type { ListRequest, Records, ResultPage, WebhookChange } from '../records/records.ts'
import type { WebhookDelivery } from '../webhooks/create.ts'
import type { Access, Actor } from './access.ts'

/**
 * The webhooks of the actor's projects, for managers. A project is named by ID or name. Every function throws `insufficient_scope`,
 * `insufficient_role`, `project_not_found` and `ambiguous_name`; those about one webhook throw `webhook_not_found`.
 */
export interface Webhooks {
  /** Oldest first. */
  list(actor: Actor, project: string): Promise<WebhookRecord[]>
  /** The secret is returned only here. Throws `invalid_webhook_url` and `too_many_webhooks`. */
  create(actor: Actor, project: string, fields: WebhookFields): Promise<WebhookWithSecret>
  get(actor: Actor, project: string, id: string): Promise<WebhookRecord>
  /** Throws `invalid_webhook_url`. */
  update(actor: Actor, project: string, id: string, change: WebhookChange): Promise<WebhookRecord>
  /** Makes a new secret. The former one signs messages as well until `formerUntil`. */
  rotate(actor: Actor, project: string, id: string, graceSeconds: number): Promise<WebhookWithSecret & { formerUntil: Date }>
  delete(actor: Actor, project: string, id: string): Promise<void>
  /** Newest first. */
  deliveries(actor: Actor, project: string, id: string, request: DeliveryRequest): Promise<ResultPage<DeliveryRecord>>
  /** Throws `delivery_not_found`. */
  delivery(actor: Actor, project: string, id: string, delivery: string): Promise<DeliveryRecord>
  /** Sends a message that is about no document, once. Throws `webhook_disabled`. */
  test(actor: Actor, project: string, id: string): Promise<DeliveryRecord>
  /** Sends a message again, with the same ID. Throws `delivery_not_found` and `webhook_disabled`. */
  redeliver(actor: Actor, project: string, id: string, delivery: string): Promise<DeliveryRecord>
}

export interface WebhookFields {
  url: string
  events: readonly WebhookEvent[]
  description: string
}

export interface WebhookWithSecret {
  webhook: WebhookRecord
  secret: string
}

export type DeliveryRequest = ListRequest & { state?: DeliveryState | undefined }

interface Options {
  records: Pick<Records, 'webhooks'>
  access: Pick<Access, 'toRead' | 'toWrite'>
  delivery: Pick<WebhookDelivery, 'checkUrl' | 'newId' | 'newSecret' | 'nudge'>
  maxWebhooks: number
  clock: Clock
}

export function createWebhooks({ records: { webhooks }, access, delivery, maxWebhooks, clock }: Options): Webhooks {
  /** Returns the ID of a project that the actor manages. Also a list shows addresses, which can contain secrets. */
  const toRead = async (actor: Actor, project: string) => (await access.toRead(actor)).requireRole(project, 'manager').id
  const toChange = async (actor: Actor, project: string) => (await access.toWrite(actor)).requireRole(project, 'manager').id

  async function find(projectId: string, id: string): Promise<WebhookRecord> {
    return (await webhooks.get(projectId, id)) ?? notFound()
  }

  return {
    list: async (actor, project) => webhooks.list(await toRead(actor, project)),
    async create(actor, project, { url, events, description }) {
      const projectId = await toChange(actor, project)
      const id = delivery.newId()
      const checked = { id, projectId, url: delivery.checkUrl(url), events, description, maxWebhooks }
      const { secret, sealed } = await delivery.newSecret(id)
      const webhook = await webhooks.create({ ...checked, sealedSecret: sealed })
      if (webhook === null) throw new DocsearchError('project_not_found', 'The project was deleted in the meantime.')
      return { webhook, secret }
    },
    get: async (actor, project, id) => find(await toRead(actor, project), id),
    async update(actor, project, id, change) {
      const projectId = await toChange(actor, project)
      const url = change.url === undefined ? undefined : delivery.checkUrl(change.url)
      const webhook = (await webhooks.update(projectId, id, { ...change, url })) ?? notFound()
      delivery.nudge()
      return webhook
    },
    async rotate(actor, project, id, graceSeconds) {
      const projectId = await toChange(actor, project)
      await find(projectId, id)
      const { secret, sealed } = await delivery.newSecret(id)
      const formerUntil = new Date(clock.now().getTime() + graceSeconds * 1000)
      const webhook = (await webhooks.rotate(projectId, id, { sealed, formerUntil })) ?? notFound()
      return { webhook, secret, formerUntil }
    },
    async delete(actor, project, id) {
      if (!(await webhooks.delete(await toChange(actor, project), id))) notFound()
    },
    async deliveries(actor, project, id, request) {
      await find(await toRead(actor, project), id)
      return webhooks.deliveries(id, request)
    },
    async delivery(actor, project, id, deliveryId) {
      await find(await toRead(actor, project), id)
      return (await webhooks.delivery(id, deliveryId)) ?? deliveryNotFound()
    },
    async test(actor, project, id) {
      await find(await toChange(actor, project), id)
      const added = (await webhooks.addTest(id)) ?? notFound()
      delivery.nudge()
      return added
    },
    async redeliver(actor, project, id, deliveryId) {
      await find(await toChange(actor, project), id)
      const waiting = (await webhooks.redeliver(id, deliveryId)) ?? deliveryNotFound()
      delivery.nudge()
      return waiting
    },
  }
}

function notFound(): never {
  throw new DocsearchError('webhook_not_found', 'The project has no webhook with this ID.')
}

function deliveryNotFound(): never {
  throw new DocsearchError('delivery_not_found', 'The log of the webhook has no delivery with this ID.')
}
