import { isIP } from 'node:net'
import { type IsAllowedAddress, isPrivateHost, isPublicAddress, isPublicOrPrivateAddress } from '../core/addresses.ts'
import type { Clock } from '../core/clock.ts'
import { DocsearchError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { Logger } from '../core/logger.ts'
import type { WebhookPolicy } from '../core/webhooks.ts'
import type { Records } from '../records/records.ts'
import { createWebhookSecrets, type KeySource, newWebhookSecret } from './secrets.ts'
import { WebhookSender } from './sender.ts'

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

/** Returns which IP addresses docsearch may send messages to. */
function allowedAddresses({ privateNetworks }: WebhookPolicy): IsAllowedAddress {
  return privateNetworks ? isPublicOrPrivateAddress : isPublicAddress
}

/**
 * Returns the address of a webhook in its usual form. Throws `invalid_webhook_url` for an address that can't work, so that the
 * manager learns about it. The IP addresses of a name are checked again for each connection.
 */
function checkWebhookUrl(text: string, policy: WebhookPolicy): string {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw invalid('The address of a webhook must be complete, such as https://example.com/docsearch.')
  if (url.username !== '' || url.password !== '')
    throw invalid('The address of a webhook must not contain a user name or a password.')
  if (url.hash !== '') throw invalid('The address of a webhook must not contain a fragment (#…), which is never sent.')
  if (url.protocol === 'http:' && !policy.plainHttp)
    throw invalid('The address of a webhook must begin with https://. The operator can allow http (webhooks.plain_http).')
  checkHost(url.hostname, policy)
  return url.href
}

function checkHost(hostname: string, policy: WebhookPolicy): void {
  const address = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(address) !== 0) {
    if (allowedAddresses(policy)(address)) return
    if (isPublicOrPrivateAddress(address)) throw isPrivate()
    throw invalid(`Webhooks cannot have the address ${hostname}, because it is not the address of a host.`)
  }
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost') || isPrivateHost(hostname)
  if (isLocal && !policy.privateNetworks) throw isPrivate()
}

function isPrivate(): DocsearchError {
  return invalid(
    'The address leads to a private network, and this instance sends webhooks only to the internet. The operator can allow private ' +
      'networks (webhooks.private_networks).',
  )
}

function invalid(message: string): DocsearchError {
  return new DocsearchError('invalid_webhook_url', message)
}
