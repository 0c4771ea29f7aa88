import { z } from 'zod'
import { DELIVERY_STATES, WEBHOOK_EVENTS, WEBHOOK_STOPS, WEBHOOK_TEST } from '../core/webhooks.ts'
import { listQuery, nextCursor, timestamp } from './common.ts'
import { document } from './documents.ts'

const MAX_URL_CHARS = 2_000
const MAX_DESCRIPTION_CHARS = 500
/** How long the old secret signs messages in addition, by default and at most. */
const GRACE_SECONDS = { usual: 24 * 60 * 60, most: 7 * 24 * 60 * 60 }

const webhookEvent = z.enum(WEBHOOK_EVENTS).meta({ id: 'WebhookEvent' })
const STOPS = [
  '`manager`: a manager turned it off.',
  '`failing`: every delivery failed for three days.',
  '`gone`: the receiver answered with status 410.',
  '`backlog`: too many messages were waiting.',
].join(' ')

export const webhook = z
  .object({
    id: z.string(),
    url: z.string(),
    description: z.string(),
    events: z.array(webhookEvent),
    enabled: z
      .boolean()
      .meta({ description: 'Whether docsearch sends messages. While it is false, docsearch does not record new events' }),
    disabled_at: timestamp.nullable(),
    disabled_reason: z.enum(WEBHOOK_STOPS).nullable().meta({ description: STOPS }),
    failing_since: timestamp
      .nullable()
      .meta({ description: 'Since when every delivery has failed. Null if the last one succeeded' }),
    waiting: z.int().meta({ description: 'Number of messages that wait for their next attempt' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Webhook' })
export type Webhook = z.infer<typeof webhook>

const secret = z.string().meta({ description: 'Verifies the signatures. Shown only in this answer', examples: ['whsec_…'] })
export const webhookWithSecret = webhook.extend({ secret }).meta({ id: 'WebhookWithSecret' })
export type WebhookWithSecret = z.infer<typeof webhookWithSecret>
export const webhookRotated = webhookWithSecret
  .extend({
    old_secret_expires_at: timestamp.meta({ description: 'Until then, docsearch also signs messages with the old secret' }),
  })
  .meta({ id: 'WebhookRotated' })
export type WebhookRotated = z.infer<typeof webhookRotated>

export const webhookList = z.object({ webhooks: z.array(webhook) }).meta({ id: 'WebhookList' })
export type WebhookList = z.infer<typeof webhookList>

const fields = {
  url: z.string().min(1).max(MAX_URL_CHARS).meta({ description: 'An https address. docsearch does not follow redirects' }),
  events: z
    .array(webhookEvent)
    .min(1)
    .max(20)
    .transform((events) => WEBHOOK_EVENTS.filter((event) => events.includes(event))),
  description: z
    .string()
    .trim()
    .max(MAX_DESCRIPTION_CHARS)
    .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters'),
}

export const webhookCreate = z
  .strictObject({
    url: fields.url,
    events: fields.events.optional().meta({ description: 'By default, all events' }),
    description: fields.description.default(''),
  })
  .meta({ id: 'WebhookCreate', examples: [{ url: 'https://example.com/docsearch', events: ['document.ready'] }] })
export type WebhookCreate = z.input<typeof webhookCreate>

export const webhookUpdate = z
  .strictObject({
    url: fields.url.optional(),
    events: fields.events.optional(),
    description: fields.description.optional(),
    enabled: z.boolean().optional(),
  })
  .meta({ id: 'WebhookUpdate' })
export type WebhookUpdate = z.input<typeof webhookUpdate>

export const webhookRotate = z
  .strictObject({
    grace_seconds: z
      .int()
      .min(0)
      .max(GRACE_SECONDS.most)
      .default(GRACE_SECONDS.usual)
      .meta({ description: 'How long docsearch also signs messages with the old secret' }),
  })
  .meta({ id: 'WebhookRotate' })

const attempt = z.object({
  time: timestamp,
  status: z.int().nullable().meta({ description: 'HTTP status of the answer. Null without an answer' }),
  error: z.object({ code: z.string(), message: z.string() }).nullable().meta({ description: 'Null if the attempt succeeded' }),
  took_ms: z.int(),
})

export const webhookDelivery = z
  .object({
    id: z.string().meta({ description: 'The header `webhook-id`, the same in every attempt' }),
    type: z.enum([...WEBHOOK_EVENTS, WEBHOOK_TEST]),
    document: z.object({ id: z.string(), name: z.string() }).nullable().meta({ description: 'Null for a test' }),
    state: z.enum(DELIVERY_STATES),
    attempts: z.array(attempt).meta({ description: 'Oldest first, at most 20' }),
    created_at: timestamp,
    next_attempt_at: timestamp.nullable(),
  })
  .meta({ id: 'WebhookDelivery' })
export type WebhookDelivery = z.infer<typeof webhookDelivery>

export const webhookDeliveryList = z
  .object({ deliveries: z.array(webhookDelivery), next_cursor: nextCursor })
  .meta({ id: 'WebhookDeliveryList' })
export type WebhookDeliveryList = z.infer<typeof webhookDeliveryList>
export const webhookDeliveryListQuery = z.strictObject({ ...listQuery, state: z.enum(DELIVERY_STATES).optional() })

/** What docsearch sends to the address of a webhook. */
export type WebhookMessage = {
  type: z.infer<typeof webhookEvent>
  timestamp: string
  data: { document: z.infer<typeof document> }
}
export type WebhookTestMessage = { type: typeof WEBHOOK_TEST; timestamp: string; data: { webhook: { id: string } } }
