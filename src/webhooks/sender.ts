import { setTimeout as sleep } from 'node:timers/promises'
import { type IsAllowedAddress, AddressNotAllowedError } from '../core/addresses.ts'
import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import { WEBHOOK_TEST, type DeliveryError } from '../core/webhooks.ts'
import type { AttemptOutcome, DueDelivery, DueWebhook, WebhookOutbox } from '../records/webhooks.ts'
import { type WebhookSecrets, signedHeaders } from './secrets.ts'
import { exchange } from '../core/http-fetch.ts'
import { Turns } from '../core/turns.ts'

const MAX_SLEEP_MS = 60_000
/** How long a stop waits at most for attempts in progress. Waiting only saves repetitions. */
const MAX_STOP_MS = 3_000
/** How long to wait when the records fail. */
const RECORDS_PAUSE_MS = 15_000
const GONE = 410

export interface SenderParts {
  outbox: WebhookOutbox
  secrets: Pick<WebhookSecrets, 'open'>
  isAllowedAddress: IsAllowedAddress
  clock: Clock
  log: Logger
  /** Milliseconds for one attempt. */
  timeoutMs?: number | undefined
  random?: () => number
  /** See `WebhookOptions`. */
  maySend?: (() => Promise<boolean>) | undefined
}

/** `idle`: nothing is due, or no slot is free. `looking`: taking messages from the outbox. `stopped` is final. */
export type SenderState = 'idle' | 'looking' | 'stopped'

/**
 * Sends the messages of the outbox. A message that is being sent stays due in the records until its attempt is recorded, so a message whose attempt
 * a crash interrupts is sent again, with the same ID.
 */
export class WebhookSender {
  #state: SenderState = 'idle'
  #isNudged = false
  #timer: NodeJS.Timeout | undefined
  readonly #slots = new Slots()
  readonly #running = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  readonly #parts: SenderParts

  constructor(parts: SenderParts) {
    this.#parts = parts
  }

  get state(): SenderState {
    return this.#state
  }

  /** Looks for messages that are due. */
  nudge(): void {
    if (this.#state === 'looking') this.#isNudged = true
    if (this.#state !== 'idle') return
    this.#state = 'looking'
    void this.#look()
  }

  /** Lets the attempts in progress end, and interrupts those that take longer than `graceMs` or three seconds. */
  async stop(graceMs: number): Promise<void> {
    this.#state = 'stopped'
    clearTimeout(this.#timer)
    const allEnded = Promise.all(this.#running)
    await Promise.race([allEnded, sleep(Math.min(graceMs, MAX_STOP_MS), undefined, { ref: false })])
    this.#stopping.abort(new Error('the daemon is stopping'))
    await Promise.all(this.#running)
  }

  // The state changes while #look awaits, which TypeScript does not see in a comparison.
  #isLooking(): boolean {
    return this.#state === 'looking'
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    clearTimeout(this.#timer)
    do {
      this.#isNudged = false
      try {
        await this.#fillSlots()
      } catch (error) {
        this.#parts.log.error({ err: error }, 'the messages of webhooks could not be read; trying again later')
        this.#sleep(RECORDS_PAUSE_MS)
      }
    } while (this.#isNudged && this.#isLooking())
    if (this.#isLooking()) this.#state = 'idle'
  }

  async #fillSlots(): Promise<void> {
    const { outbox, clock, maySend = async () => true } = this.#parts
    let due = await outbox.due()
    while (this.#isLooking()) {
      const webhook = this.#slots.choose(due)
      if (webhook === null) break
      const delivery = await outbox.next(webhook.id, this.#slots.deliveriesOf(webhook.id))
      // The other messages of this webhook are being sent already.
      if (delivery === null) due = due.filter(({ id }) => id !== webhook.id)
      else if ((await maySend()) && this.#isLooking()) this.#begin(delivery, webhook)
      else break
    }
    const next = await outbox.nextDueAt()
    if (next !== null && this.#isLooking()) this.#sleep(next.getTime() - clock.now().getTime())
  }

  #sleep(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.nudge(), Math.min(Math.max(ms, 10), MAX_SLEEP_MS))
    this.#timer.unref()
  }

  #begin(delivery: DueDelivery, webhook: DueWebhook): void {
    this.#slots.take(delivery, webhook)
    const run = this.#deliver(delivery)
      .catch(async (error: unknown) => {
        if (this.#stopping.signal.aborted) return
        this.#parts.log.error({ err: error, webhook: webhook.id }, 'the delivery to a webhook could not be recorded')
        // The message is still due. Without a pause, it would be sent again and again.
        await sleep(RECORDS_PAUSE_MS, undefined, { ref: false, signal: this.#stopping.signal }).catch(() => {})
      })
      .finally(() => {
        this.#slots.free(delivery.id)
        this.#running.delete(run)
        this.nudge()
      })
    this.#running.add(run)
  }

  async #deliver(delivery: DueDelivery): Promise<void> {
    const { outbox, clock, log } = this.#parts
    const at = clock.now()
    const begun = performance.now()
    const result = await this.#send(delivery, at)
    const outcome = this.#judge(delivery, result, { at, tookMs: Math.round(performance.now() - begun) })
    const { webhookId: webhook, id: message } = delivery
    if (result.error !== null)
      log.info(
        { webhook, message, error: result.error, status: result.status, err: result.cause },
        'the delivery to a webhook failed',
      )
    const disabled = await outbox.finish(delivery.id, outcome)
    if (disabled !== null) log.warn({ webhook, reason: disabled.disabled?.reason }, 'a webhook was turned off')
  }

  async #send(delivery: DueDelivery, at: Date): Promise<AttemptResult> {
    const { secrets, isAllowedAddress, timeoutMs } = this.#parts
    const { id, webhookId, body, url } = delivery
    const valid = delivery.secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > at)
    const opened = await Promise.allSettled(valid.map(({ sealed }) => secrets.open(sealed, webhookId)))
    // After a rotation, messages can do without the former secret, which comes second.
    const [present] = opened
    if (present?.status !== 'fulfilled')
      return { status: null, retryAfter: null, error: 'secret_lost', cause: present?.reason as unknown }
    const headers = signedHeaders(
      { id, at, body },
      opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    )
    return attempt({ url, headers, body, isAllowedAddress, signal: this.#stopping.signal, timeoutMs })
  }

  #judge(
    { type, failures }: DueDelivery,
    { status, error, retryAfter }: AttemptResult,
    { at, tookMs }: { at: Date; tookMs: number },
  ): AttemptOutcome {
    const { clock, random = Math.random } = this.#parts
    const made = { attempt: { at, status, error, tookMs }, isGone: status === GONE }
    if (error === null) return { ...made, state: 'delivered', nextAttemptAt: null }
    const isLast = made.isGone || type === WEBHOOK_TEST
    const next = isLast ? null : nextAttemptAt({ at: clock.now(), failures: failures + 1, retryAfter }, random())
    return { ...made, state: next === null ? 'failed' : 'waiting', nextAttemptAt: next }
  }
}

/** The specification recommends 15 to 30 seconds at most. */
const TIMEOUT_MS = 10_000
/** How many bytes of an answer docsearch reads before it closes the connection. It ignores them. */
const MAX_ANSWER_BYTES = 64 * 1024

interface AttemptRequest {
  url: string
  headers: Record<string, string>
  body: string
  isAllowedAddress: IsAllowedAddress
  signal: AbortSignal
  timeoutMs?: number | undefined
}

interface AttemptResult {
  status: number | null
  error: DeliveryError | null
  retryAfter: string | null
  /** For the log. */
  cause?: unknown
}

/** Sends a message once. Rejects only when the signal aborts. */
async function attempt(request: AttemptRequest): Promise<AttemptResult> {
  const { url, headers, body, isAllowedAddress, signal, timeoutMs = TIMEOUT_MS } = request
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json', 'User-Agent': 'docsearch', ...headers }, body }
  const limits = { timeoutMs, signal, maxBytes: MAX_ANSWER_BYTES, isBodyNeeded: false, isAllowedAddress }
  try {
    const { status, retryAfter } = await exchange(new URL(url), init, limits)
    return { status, retryAfter, error: status >= 200 && status < 300 ? null : 'bad_status' }
  } catch (error) {
    signal.throwIfAborted()
    return { status: null, retryAfter: null, error: reasonOf(error), cause: error }
  }
}

/** Codes of Node and OpenSSL for certificates. */
const CERTIFICATE_CODE = /^(?:ERR_TLS_CERT|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH)/
const NAME_CODES = ['ENOTFOUND', 'EAI_AGAIN', 'ENODATA']

function reasonOf(error: unknown): DeliveryError {
  if (error instanceof AddressNotAllowedError) return 'address_not_allowed'
  const { name, code } = error as { name?: string; code?: unknown }
  if (name === 'AbortError' || name === 'TimeoutError') return 'timeout'
  if (typeof code !== 'string') return 'connection_failed'
  if (NAME_CODES.includes(code)) return 'name_not_found'
  return CERTIFICATE_CODE.test(code) ? 'certificate_invalid' : 'connection_failed'
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** How long to wait after each failed attempt, as the Standard Webhooks specification recommends. The pauses add up to about three days. */
const PAUSES = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]
/** Each pause is longer by up to this share, so that messages that failed together are not all sent again at the same time. */
const JITTER = 0.1
const MAX_RETRY_AFTER = 24 * HOUR

interface FailedAttempt {
  at: Date
  /** Failures in a row, this one included. */
  failures: number
  /** The header of the answer: seconds or a date. */
  retryAfter: string | null
}

/** Returns when to try again, or null if that was the last attempt. `random` is from 0 to 1. */
function nextAttemptAt({ at, failures, retryAfter }: FailedAttempt, random: number): Date | null {
  const pause = PAUSES[failures - 1]
  if (pause === undefined) return null
  const wanted = Math.min(askedPause(retryAfter, at), MAX_RETRY_AFTER)
  return new Date(at.getTime() + Math.max(Math.round(pause * (1 + JITTER * random)), wanted))
}

function askedPause(retryAfter: string | null, at: Date): number {
  if (retryAfter === null) return 0
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * SECOND
  const date = Date.parse(retryAfter)
  return Number.isNaN(date) ? 0 : date - at.getTime()
}

/** How many messages are sent at the same time. */
const TOTAL = 32
const PER_PROJECT = 8
const PER_WEBHOOK = 4
/** For webhooks whose last attempt failed: one each, because most of these attempts wait for the timeout. */
const FAILING = 16

interface Slot {
  deliveryId: string
  webhook: DueWebhook
}

/** The messages that are being sent. Projects take turns, and webhooks within a project, so that a slow receiver does not hold up others. */
class Slots {
  readonly #taken = new Map<string, Slot>()
  readonly #projects = new Turns()
  readonly #webhooks = new Turns()

  get size(): number {
    return this.#taken.size
  }

  /** Returns the webhook that comes next, or null when there is no slot for any. */
  choose(due: readonly DueWebhook[]): DueWebhook | null {
    if (this.#taken.size >= TOTAL) return null
    let next: DueWebhook | null = null
    for (const webhook of due) if (this.#hasRoom(webhook) && (next === null || this.#isBefore(webhook, next))) next = webhook
    return next
  }

  #hasRoom({ id, projectId, isFailing }: DueWebhook): boolean {
    const count = (test: (webhook: DueWebhook) => boolean) => {
      let taken = 0
      for (const { webhook } of this.#taken.values()) if (test(webhook)) taken += 1
      return taken
    }
    if (count((webhook) => webhook.id === id) >= (isFailing ? 1 : PER_WEBHOOK)) return false
    if (isFailing && count((webhook) => webhook.isFailing) >= FAILING) return false
    return count((webhook) => webhook.projectId === projectId) < PER_PROJECT
  }

  #isBefore(a: DueWebhook, b: DueWebhook): boolean {
    const byProject = this.#projects.of(a.projectId) - this.#projects.of(b.projectId)
    return byProject < 0 || (byProject === 0 && this.#webhooks.of(a.id) < this.#webhooks.of(b.id))
  }

  deliveriesOf(webhookId: string): string[] {
    return [...this.#taken.values()].flatMap(({ deliveryId, webhook }) => (webhook.id === webhookId ? [deliveryId] : []))
  }

  take({ id }: Pick<DueDelivery, 'id'>, webhook: DueWebhook): void {
    this.#projects.note(webhook.projectId)
    this.#webhooks.note(webhook.id)
    this.#taken.set(id, { deliveryId: id, webhook })
  }

  free(deliveryId: string): void {
    this.#taken.delete(deliveryId)
  }
}
