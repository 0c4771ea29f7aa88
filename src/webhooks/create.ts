import { newId } from '../core/ids.ts'
import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import type { WebhookPolicy } from '../core/webhooks.ts'
import type { Records } from '../records/records.ts'
import { allowedAddresses, checkWebhookUrl } from './address.ts'
import { createWebhookSecrets, type KeySource } from './secrets.ts'
import { WebhookSender } from './sender.ts'
import { newWebhookSecret } from './signature.ts'

/** What sends the messages of webhooks, and makes their secrets. */
export interface WebhookDelivery {
  /** Returns the address in its usual form. Throws `invalid_webhook_url`. */
  checkUrl(url: string): string
  newId(): string
  /** Returns a new secret, as it is shown once and as it is stored. */
  newSecret(webhookId: string): Promise<{ secret: string; sealed: string }>
  /** Sends the messages that are due. */
  nudge(): void
  start(): void
  /** Lets the attempts in progress end within this time. Messages that were not sent stay in the records. */
  stop(graceMs: number): Promise<void>
}

export interface WebhookOptions {
  records: Pick<Records, 'webhooks' | 'events'>
  /** The key that encrypts secrets. */
  key: KeySource
  policy: WebhookPolicy
  clock: Clock
  log: Logger
  timeoutMs?: number | undefined
  /** Called before each attempt. Resolves to false while another process may send. By default, only this process sends. */
  maySend?: () => Promise<boolean>
}

export function createWebhookDelivery({ records, key, policy, clock, log, timeoutMs, maySend }: WebhookOptions): WebhookDelivery {
  const secrets = createWebhookSecrets(key)
  const { outbox } = records.webhooks
  const isAllowedAddress = allowedAddresses(policy)
  const sender = new WebhookSender({ outbox, secrets, isAllowedAddress, clock, log, timeoutMs, maySend })
  let unsubscribe = () => {}
  return {
    checkUrl: (url) => checkWebhookUrl(url, policy),
    newId: () => newId('whk', clock.now()),
    async newSecret(webhookId) {
      const secret = newWebhookSecret()
      return { secret, sealed: await secrets.seal(secret, webhookId) }
    },
    nudge: () => sender.nudge(),
    start() {
      // Messages are written together with events.
      unsubscribe = records.events.subscribe(() => sender.nudge())
      sender.nudge()
    },
    async stop(graceMs) {
      unsubscribe()
      await sender.stop(graceMs)
    },
  }
}
