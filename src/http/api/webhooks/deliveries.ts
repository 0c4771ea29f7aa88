import {
  webhookDelivery,
  webhookDeliveryList,
  webhookDeliveryListQuery,
  type WebhookDeliveryList,
} from '../../../contract/webhooks.ts'
import type { Dependencies } from '../../dependencies.ts'
import { route, type Route } from '../../routing/route.ts'
import { presentDelivery } from './present.ts'
import { ONE, tag } from './shared.ts'

const problems = ['project_not_found', 'insufficient_role', 'webhook_not_found'] as const
const DELIVERY = {
  ...ONE,
  path: `${ONE.path}/deliveries/{delivery}`,
  pathDescriptions: { ...ONE.pathDescriptions, delivery: 'ID of the delivery, which is the header `webhook-id`' },
}

export const deliveryRoutes = ({ webhooks }: Pick<Dependencies, 'webhooks'>): Route[] => [
  route({
    ...ONE,
    path: `${ONE.path}/test`,
    operationId: 'testWebhook',
    method: 'POST',
    tag,
    summary: 'Send a test message',
    description:
      'Sends a message of the type `webhook.test`, once. `getWebhookDelivery` shows the result. Until docsearch has sent the message, the state is `waiting`.',
    access: 'write:documents',
    answers: { 202: { description: 'The delivery that begins now', schema: webhookDelivery } },
    problems: [...problems, 'webhook_disabled'],
    async handle({ ctx, actor, id, params }) {
      ctx.status = 202
      ctx.body = presentDelivery(await webhooks.test(actor, id, params['webhook'] ?? ''))
    },
  }),
  route({
    ...ONE,
    path: `${ONE.path}/deliveries`,
    operationId: 'listWebhookDeliveries',
    method: 'GET',
    tag,
    summary: 'List the deliveries of a webhook',
    description: 'Newest first. The log keeps deliveries for 30 days, and at most the last 1,000 finished ones.',
    access: 'read:documents',
    query: webhookDeliveryListQuery,
    answers: { 200: { description: 'Some of the deliveries, and the cursor to the next ones', schema: webhookDeliveryList } },
    problems: [...problems, 'invalid_cursor'],
    async handle({ ctx, actor, id, params, query }) {
      const { items, nextCursor } = await webhooks.deliveries(actor, id, params['webhook'] ?? '', query)
      ctx.body = { deliveries: items.map(presentDelivery), next_cursor: nextCursor } satisfies WebhookDeliveryList
    },
  }),
  route({
    ...DELIVERY,
    operationId: 'getWebhookDelivery',
    method: 'GET',
    tag,
    summary: 'Show a delivery',
    access: 'read:documents',
    answers: { 200: { description: 'The delivery with its attempts', schema: webhookDelivery } },
    problems: [...problems, 'delivery_not_found'],
    async handle({ ctx, actor, id, params }) {
      ctx.body = presentDelivery(await webhooks.delivery(actor, id, params['webhook'] ?? '', params['delivery'] ?? ''))
    },
  }),
  route({
    ...DELIVERY,
    path: `${DELIVERY.path}/redeliver`,
    operationId: 'redeliverWebhook',
    method: 'POST',
    tag,
    summary: 'Send a message again',
    description:
      'docsearch sends the message now, with the same `webhook-id` and body. If the attempt fails, it tries again like for a new message.',
    access: 'write:documents',
    answers: { 202: { description: 'The delivery that begins now', schema: webhookDelivery } },
    problems: [...problems, 'delivery_not_found', 'webhook_disabled'],
    async handle({ ctx, actor, id, params }) {
      ctx.status = 202
      ctx.body = presentDelivery(await webhooks.redeliver(actor, id, params['webhook'] ?? '', params['delivery'] ?? ''))
    },
  }),
]
