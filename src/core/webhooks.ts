/** What a webhook can be about. */
export const WEBHOOK_EVENTS = ['document.ready', 'document.failed', 'document.deleted'] as const
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]

export function isWebhookEvent(type: string): type is WebhookEvent {
  return WEBHOOK_EVENTS.some((event) => event === type)
}

/** The type of a message that a manager sends to try a webhook. */
export const WEBHOOK_TEST = 'webhook.test'
export type WebhookMessageType = WebhookEvent | typeof WEBHOOK_TEST

/** Why a webhook is off: a manager turned it off, all deliveries failed for days, the receiver answered 410, or too many messages wait. */
export const WEBHOOK_STOPS = ['manager', 'failing', 'gone', 'backlog'] as const
export type WebhookStop = (typeof WEBHOOK_STOPS)[number]

/** Which addresses webhooks may have. The operator decides. */
export interface WebhookPolicy {
  /** Allows http in addition to https. */
  plainHttp: boolean
  /** Allows loopback addresses and addresses of private networks. */
  privateNetworks: boolean
}

export const DEFAULT_WEBHOOK_POLICY: WebhookPolicy = { plainHttp: false, privateNetworks: false }

export interface WebhookRecord {
  id: string
  projectId: string
  url: string
  description: string
  events: WebhookEvent[]
  createdAt: Date
  updatedAt: Date
  /** Null while the webhook is on. */
  disabled: { at: Date; reason: WebhookStop } | null
  /** Since when every delivery has failed; null if the last one succeeded. */
  failingSince: Date | null
  /** How many messages wait for their next attempt. */
  waiting: number
}

/** Why an attempt failed, in words for users. Never says what the receiver sent. */
export const DELIVERY_ERRORS = {
  bad_status: 'The receiver answered with a status other than 2xx.',
  address_not_allowed: 'The address leads to a private network, and this instance does not allow that.',
  name_not_found: 'The name in the address could not be found.',
  connection_failed: 'docsearch could not connect to the receiver, or the connection broke.',
  certificate_invalid: 'The certificate of the receiver is not valid.',
  timeout: 'The receiver did not answer in time.',
  secret_lost: 'The instance can no longer read the secret. Rotate the secret.',
} as const
export type DeliveryError = keyof typeof DELIVERY_ERRORS

export interface DeliveryAttempt {
  at: Date
  /** The HTTP status of the answer; null without an answer. */
  status: number | null
  /** Null if the attempt succeeded. */
  error: DeliveryError | null
  tookMs: number
}

export const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** A message to a webhook. Its ID is the header `webhook-id`, the same in all attempts. */
export interface DeliveryRecord {
  id: string
  webhookId: string
  type: WebhookMessageType
  /** Null for a test. */
  document: { id: string; name: string } | null
  createdAt: Date
  state: DeliveryState
  /** Oldest first. */
  attempts: DeliveryAttempt[]
  /** Null unless the message waits. */
  nextAttemptAt: Date | null
}
