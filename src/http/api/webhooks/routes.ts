import {
  webhook,
  webhookCreate,
  webhookDelivery,
  type WebhookDelivery,
  webhookDeliveryList,
  type WebhookDeliveryList,
  webhookDeliveryListQuery,
  webhookList,
  type WebhookList,
  webhookRotate,
  webhookRotated,
  type WebhookRotated,
  webhookUpdate,
  webhookWithSecret,
  type WebhookWithSecret,
  type Webhook,
} from '../../../contract/webhooks.ts'
import {
  DELIVERY_ERRORS,
  type DeliveryAttempt,
  type DeliveryRecord,
  WEBHOOK_EVENTS,
  type WebhookRecord,
} from '../../../core/webhooks.ts'
import type { Dependencies } from '../../dependencies.ts'
import { answerCreated, type Route, routesWith } from '../../routing/route.ts'

const route = routesWith({
  tag: 'Webhooks',
  idDescription: 'ID or name of the project',
  pathDescriptions: {
    webhook: 'ID of the webhook',
    delivery: 'ID of the delivery, which is the header `webhook-id`',
  },
})
const PROJECT = '/api/v1/projects/{id}/webhooks'
const ONE = `${PROJECT}/{webhook}`
const DELIVERY = `${ONE}/deliveries/{delivery}`
const problems = ['project_not_found', 'insufficient_role']
const ONE_PROBLEMS = [...problems, 'webhook_not_found']

export const webhookRoutes = (parts: Pick<Dependencies, 'webhooks'>): Route[] => [
  ...collectionRoutes(parts),
  ...itemRoutes(parts),
  ...deliveryRoutes(parts),
]

const collectionRoutes = ({ webhooks }: Pick<Dependencies, 'webhooks'>): Route[] => [
  route({
    operationId: 'listWebhooks',
    method: 'GET',
    path: PROJECT,
    summary: 'List the webhooks of a project',
    description: 'All webhooks, oldest first. Only for managers of the project.',
    access: 'read:documents',
    answers: { 200: { description: 'The webhooks', schema: webhookList } },
    problems,
    async handle({ ctx, actor, id }) {
      ctx.body = { webhooks: (await webhooks.list(actor, id)).map(presentWebhook) } satisfies WebhookList
    },
  }),
  route({
    operationId: 'createWebhook',
    method: 'POST',
    path: PROJECT,
    summary: 'Add a webhook to a project',
    description:
      'docsearch sends a message to the address for each of these events, signed according to the Standard Webhooks specification. The secret ' +
      'is shown only once. A project has at most 10 webhooks (`limits.webhooks`). Only for managers of the project.',
    access: 'write:documents',
    body: webhookCreate,
    answers: { 201: { description: 'The webhook with its secret', schema: webhookWithSecret } },
    problems: [...problems, 'invalid_webhook_url', 'too_many_webhooks'],
    async handle({ ctx, actor, id, body }) {
      const { url, events = WEBHOOK_EVENTS, description } = body
      const created = await webhooks.create(actor, id, { url, events, description })
      const { projectId } = created.webhook
      answerCreated(ctx, `/api/v1/projects/${projectId}/webhooks/${created.webhook.id}`, presentNewWebhook(created))
    },
  }),
]

const itemRoutes = ({ webhooks }: Pick<Dependencies, 'webhooks'>): Route[] => [
  route({
    operationId: 'getWebhook',
    method: 'GET',
    path: ONE,
    summary: 'Show a webhook',
    access: 'read:documents',
    answers: { 200: { description: 'The webhook', schema: webhook } },
    problems: ONE_PROBLEMS,
    async handle({ ctx, actor, id, params }) {
      ctx.body = presentWebhook(await webhooks.get(actor, id, params['webhook'] ?? ''))
    },
  }),
  route({
    operationId: 'updateWebhook',
    method: 'PATCH',
    path: ONE,
    summary: 'Change a webhook, or turn it on or off',
    description:
      'Waiting messages go to the new address. While a webhook is off, docsearch records no messages for it. When it is turned on ' +
      'again, docsearch sends the messages that were already waiting.',
    access: 'write:documents',
    body: webhookUpdate,
    answers: { 200: { description: 'The webhook', schema: webhook } },
    problems: [...ONE_PROBLEMS, 'invalid_webhook_url'],
    async handle({ ctx, actor, id, params, body }) {
      ctx.body = presentWebhook(await webhooks.update(actor, id, params['webhook'] ?? '', body))
    },
  }),
  route({
    operationId: 'deleteWebhook',
    method: 'DELETE',
    path: ONE,
    summary: 'Delete a webhook',
    description: 'Also deletes the waiting messages and the log of deliveries.',
    access: 'write:documents',
    answers: { 204: { description: 'The webhook is deleted' } },
    problems: ONE_PROBLEMS,
    async handle({ ctx, actor, id, params }) {
      await webhooks.delete(actor, id, params['webhook'] ?? '')
      ctx.status = 204
    },
  }),
  route({
    operationId: 'rotateWebhook',
    method: 'POST',
    path: `${ONE}/rotate`,
    summary: 'Create a new secret for a webhook',
    description:
      'The new secret is shown only once. For `grace_seconds`, docsearch signs messages with both secrets, so that you can ' +
      'change the receiver meanwhile.',
    access: 'write:documents',
    body: webhookRotate,
    bodyOptional: true,
    answers: { 200: { description: 'The webhook with its new secret', schema: webhookRotated } },
    problems: ONE_PROBLEMS,
    async handle({ ctx, actor, id, params, body }) {
      ctx.body = presentRotated(await webhooks.rotate(actor, id, params['webhook'] ?? '', body.grace_seconds))
    },
  }),
]

const deliveryRoutes = ({ webhooks }: Pick<Dependencies, 'webhooks'>): Route[] => [
  route({
    operationId: 'testWebhook',
    method: 'POST',
    path: `${ONE}/test`,
    summary: 'Send a test message',
    description:
      'Sends a message of the type `webhook.test`, once. `getWebhookDelivery` shows the result. Until docsearch has sent the message, the state is `waiting`.',
    access: 'write:documents',
    answers: { 202: { description: 'The delivery that begins now', schema: webhookDelivery } },
    problems: [...ONE_PROBLEMS, 'webhook_disabled'],
    async handle({ ctx, actor, id, params }) {
      ctx.status = 202
      ctx.body = presentDelivery(await webhooks.test(actor, id, params['webhook'] ?? ''))
    },
  }),
  route({
    operationId: 'listWebhookDeliveries',
    method: 'GET',
    path: `${ONE}/deliveries`,
    summary: 'List the deliveries of a webhook',
    description: 'Newest first. The log keeps deliveries for 30 days, and at most the last 1,000 finished ones.',
    access: 'read:documents',
    query: webhookDeliveryListQuery,
    answers: { 200: { description: 'Some of the deliveries, and the cursor to the next ones', schema: webhookDeliveryList } },
    problems: [...ONE_PROBLEMS, 'invalid_cursor'],
    async handle({ ctx, actor, id, params, query }) {
      const { items, nextCursor } = await webhooks.deliveries(actor, id, params['webhook'] ?? '', query)
      ctx.body = { deliveries: items.map(presentDelivery), next_cursor: nextCursor } satisfies WebhookDeliveryList
    },
  }),
  route({
    operationId: 'getWebhookDelivery',
    method: 'GET',
    path: DELIVERY,
    summary: 'Show a delivery',
    access: 'read:documents',
    answers: { 200: { description: 'The delivery with its attempts', schema: webhookDelivery } },
    problems: [...ONE_PROBLEMS, 'delivery_not_found'],
    async handle({ ctx, actor, id, params }) {
      ctx.body = presentDelivery(await webhooks.delivery(actor, id, params['webhook'] ?? '', params['delivery'] ?? ''))
    },
  }),
  route({
    operationId: 'redeliverWebhook',
    method: 'POST',
    path: `${DELIVERY}/redeliver`,
    summary: 'Send a message again',
    description:
      'docsearch sends the message now, with the same `webhook-id` and body. If the attempt fails, it tries again like for a new message.',
    access: 'write:documents',
    answers: { 202: { description: 'The delivery that begins now', schema: webhookDelivery } },
    problems: [...ONE_PROBLEMS, 'delivery_not_found', 'webhook_disabled'],
    async handle({ ctx, actor, id, params }) {
      ctx.status = 202
      ctx.body = presentDelivery(await webhooks.redeliver(actor, id, params['webhook'] ?? '', params['delivery'] ?? ''))
    },
  }),
]

function presentWebhook(webhook: WebhookRecord): Webhook {
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

function presentNewWebhook({ webhook, secret }: { webhook: WebhookRecord; secret: string }): WebhookWithSecret {
  return { ...presentWebhook(webhook), secret }
}

function presentRotated(rotated: { webhook: WebhookRecord; secret: string; formerUntil: Date }): WebhookRotated {
  return { ...presentNewWebhook(rotated), old_secret_expires_at: rotated.formerUntil.toISOString() }
}

function presentDelivery(delivery: DeliveryRecord): WebhookDelivery {
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
