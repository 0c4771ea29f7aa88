import {
  webhook,
  webhookCreate,
  webhookList,
  webhookRotate,
  webhookRotated,
  webhookUpdate,
  webhookWithSecret,
  type WebhookList,
} from '../../../contract/webhooks.ts'
import { WEBHOOK_EVENTS } from '../../../core/webhooks.ts'
import type { Dependencies } from '../../dependencies.ts'
import { answerCreated, route, type Route } from '../../routing/route.ts'
import { deliveryRoutes } from './deliveries.ts'
import { presentNewWebhook, presentRotated, presentWebhook } from './present.ts'
import { ONE, PROJECT, tag } from './shared.ts'

const problems = ['project_not_found', 'insufficient_role'] as const

export const webhookRoutes = (parts: Pick<Dependencies, 'webhooks'>): Route[] => [
  ...collectionRoutes(parts),
  ...itemRoutes(parts),
  ...deliveryRoutes(parts),
]

const collectionRoutes = ({ webhooks }: Pick<Dependencies, 'webhooks'>): Route[] => [
  route({
    ...PROJECT,
    operationId: 'listWebhooks',
    method: 'GET',
    tag,
    summary: 'List the webhooks of a project',
    description: 'All webhooks, oldest first. Only for managers of the project.',
    access: 'read:documents',
    answers: { 200: { description: 'The webhooks', schema: webhookList } },
    problems: [...problems],
    async handle({ ctx, actor, id }) {
      ctx.body = { webhooks: (await webhooks.list(actor, id)).map(presentWebhook) } satisfies WebhookList
    },
  }),
  route({
    ...PROJECT,
    operationId: 'createWebhook',
    method: 'POST',
    tag,
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
    ...ONE,
    operationId: 'getWebhook',
    method: 'GET',
    tag,
    summary: 'Show a webhook',
    access: 'read:documents',
    answers: { 200: { description: 'The webhook', schema: webhook } },
    problems: [...problems, 'webhook_not_found'],
    async handle({ ctx, actor, id, params }) {
      ctx.body = presentWebhook(await webhooks.get(actor, id, params['webhook'] ?? ''))
    },
  }),
  route({
    ...ONE,
    operationId: 'updateWebhook',
    method: 'PATCH',
    tag,
    summary: 'Change a webhook, or turn it on or off',
    description:
      'Waiting messages go to the new address. While a webhook is off, docsearch records no messages for it. When it is turned on ' +
      'again, docsearch sends the messages that were already waiting.',
    access: 'write:documents',
    body: webhookUpdate,
    answers: { 200: { description: 'The webhook', schema: webhook } },
    problems: [...problems, 'webhook_not_found', 'invalid_webhook_url'],
    async handle({ ctx, actor, id, params, body }) {
      ctx.body = presentWebhook(await webhooks.update(actor, id, params['webhook'] ?? '', body))
    },
  }),
  route({
    ...ONE,
    operationId: 'deleteWebhook',
    method: 'DELETE',
    tag,
    summary: 'Delete a webhook',
    description: 'Also deletes the waiting messages and the log of deliveries.',
    access: 'write:documents',
    answers: { 204: { description: 'The webhook is deleted' } },
    problems: [...problems, 'webhook_not_found'],
    async handle({ ctx, actor, id, params }) {
      await webhooks.delete(actor, id, params['webhook'] ?? '')
      ctx.status = 204
    },
  }),
  route({
    ...ONE,
    path: `${ONE.path}/rotate`,
    operationId: 'rotateWebhook',
    method: 'POST',
    tag,
    summary: 'Create a new secret for a webhook',
    description:
      'The new secret is shown only once. For `grace_seconds`, docsearch signs messages with both secrets, so that you can ' +
      'change the receiver meanwhile.',
    access: 'write:documents',
    body: webhookRotate,
    bodyOptional: true,
    answers: { 200: { description: 'The webhook with its new secret', schema: webhookRotated } },
    problems: [...problems, 'webhook_not_found'],
    async handle({ ctx, actor, id, params, body }) {
      ctx.body = presentRotated(await webhooks.rotate(actor, id, params['webhook'] ?? '', body.grace_seconds))
    },
  }),
]
