import type {
  DeliveryAttempt,
  DeliveryRecord,
  DeliveryState,
  WebhookEvent,
  WebhookMessageType,
  WebhookRecord,
} from '../core/webhooks.ts'
import type { ListRequest, ResultPage } from './result-page.ts'

/** How many messages may wait for one webhook. With more, the webhook is turned off, so that they can't fill the disk. */
export const MAX_WAITING = 100_000
/** A webhook is turned off when an attempt fails and every attempt has failed for this long. */
export const MAX_FAILING_MS = 3 * 24 * 60 * 60 * 1000
/** How many finished deliveries the log of one webhook keeps. */
export const MAX_LOGGED = 1_000
/** How many attempts of one delivery the log keeps. */
export const MAX_ATTEMPTS_LOGGED = 20

/** A secret as it is stored, encrypted. */
export interface StoredSecret {
  sealed: string
  /** Null for the present secret. */
  expiresAt: Date | null
}

export interface NewWebhook {
  id: string
  projectId: string
  url: string
  description: string
  events: readonly WebhookEvent[]
  sealedSecret: string
  maxWebhooks: number
}

export interface WebhookChange {
  url?: string | undefined
  description?: string | undefined
  events?: readonly WebhookEvent[] | undefined
  enabled?: boolean | undefined
}

/**
 * The webhooks of projects, and the log of their deliveries. A change of a document writes the messages about it in its own transaction, so no
 * crash loses one. A method that takes a project and a webhook finds nothing if the webhook belongs to another project.
 */
export interface Webhooks {
  /** Returns null when there is no such project. Throws `too_many_webhooks`. */
  create(webhook: NewWebhook): Promise<WebhookRecord | null>
  /** Returns all webhooks of a project, oldest first. */
  list(projectId: string): Promise<WebhookRecord[]>
  get(projectId: string, id: string): Promise<WebhookRecord | null>
  /** A webhook that is turned on again no longer counts as failing, and the messages that wait for it are sent. */
  update(projectId: string, id: string, change: WebhookChange): Promise<WebhookRecord | null>
  /** Replaces the secret. The former one also signs messages until `formerUntil`; an older one no longer does. */
  rotate(projectId: string, id: string, secret: { sealed: string; formerUntil: Date }): Promise<WebhookRecord | null>
  /** Also deletes its messages. Returns false when the project has no such webhook. */
  delete(projectId: string, id: string): Promise<boolean>
  /** Returns the deliveries of a webhook, newest first. */
  deliveries(webhookId: string, page: ListRequest & { state?: DeliveryState | undefined }): Promise<ResultPage<DeliveryRecord>>
  delivery(webhookId: string, id: string): Promise<DeliveryRecord | null>
  /** Adds a message of the type `webhook.test`, which is not about a document. It has one attempt. Throws `webhook_disabled`. */
  addTest(webhookId: string): Promise<DeliveryRecord | null>
  /** Makes a delivery wait for an attempt now, with all further attempts. Throws `webhook_disabled`. */
  redeliver(webhookId: string, id: string): Promise<DeliveryRecord | null>
  outbox: WebhookOutbox
}

/** A webhook with a message that is due. */
export interface DueWebhook {
  id: string
  projectId: string
  isFailing: boolean
}

export interface DueDelivery {
  id: string
  webhookId: string
  type: WebhookMessageType
  body: string
  /** Failed attempts since the delivery was created or a manager asked for it again. */
  failures: number
  url: string
  secrets: StoredSecret[]
}

export interface AttemptOutcome {
  attempt: DeliveryAttempt
  state: DeliveryState
  /** When the next attempt is due, if the state is `waiting`. */
  nextAttemptAt: Date | null
  /** True when the receiver wants no further messages. */
  isGone: boolean
}

/** The messages that wait. A message stays due until `finish`, so the caller remembers which ones it is sending. */
export interface WebhookOutbox {
  /** Returns the webhooks with messages that are due. */
  due(): Promise<DueWebhook[]>
  /** Returns the message of a webhook that is due for the longest time and not among `except`. */
  next(webhookId: string, except: readonly string[]): Promise<DueDelivery | null>
  /** Returns when the next message becomes due that is not due yet; null if none waits. */
  nextDueAt(): Promise<Date | null>
  /**
   * Records an attempt, turns the webhook off if it failed for too long, and shortens the log. A power cut may undo this: then the message is
   * sent again. Does nothing if the delivery was deleted in the meantime. If another process has finished the delivery in the meantime, a failed
   * attempt changes only the log. Returns the webhook if this turned it off.
   */
  finish(deliveryId: string, outcome: AttemptOutcome): Promise<WebhookRecord | null>
  /** Deletes up to `limit` deliveries that were created before this time. Returns how many. */
  sweep(before: Date, limit: number): Promise<number>
}
