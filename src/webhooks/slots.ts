import { Turns } from '../core/turns.ts'
import type { DueDelivery, DueWebhook } from '../records/webhooks.ts'

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
export class Slots {
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
