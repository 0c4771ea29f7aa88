import type { DocumentEvent } from '../core/model.ts'
import type { Records } from '../records/records.ts'
import { requireReader, type Actor } from './access.ts'

export { MAX_EVENTS } from '../records/events.ts'

const HEARTBEAT_MS = 15_000
const MAX_BATCH = 100

export interface Events {
  /**
   * Yields what happens to the actor's documents after the event `afterId` (null: from now on) until the signal aborts. Yields `listening`
   * first, then `missed` when events after `afterId` are no longer stored, and `heartbeat` after 15 seconds without an event. Events are
   * read only when the consumer asks for more, so a slow listener needs no memory. Throws `insufficient_scope`.
   */
  follow(actor: Actor, options: FollowOptions): AsyncGenerator<DocumentEvent | StreamMark>
}

export interface FollowOptions {
  afterId: number | null
  signal: AbortSignal
}

/** A listener that resumes after `lastId` misses no later event. */
export type StreamMark = { type: 'listening'; lastId: number } | { type: 'missed'; lastId: number } | { type: 'heartbeat' }

export function createEvents(options: { records: Pick<Records, 'events'>; heartbeatMs?: number }): Events {
  const { heartbeatMs = HEARTBEAT_MS } = options
  const { events } = options.records

  async function* follow(ownerId: string, { afterId, signal }: FollowOptions): ReturnType<Events['follow']> {
    const bell = new Doorbell()
    const ring = () => bell.ring()
    // Subscribe before reading, so that no event is missed in between.
    const unsubscribe = events.subscribe(ownerId, ring)
    signal.addEventListener('abort', ring)
    try {
      let last = afterId === null ? await events.latestId(ownerId) : await events.resumeAfter(ownerId, afterId)
      yield { type: 'listening', lastId: last }
      if (afterId !== null && last !== afterId) yield { type: 'missed', lastId: last }
      while (!signal.aborted) {
        const waiting = bell.wait(heartbeatMs)
        const batch = await events.since(ownerId, last, MAX_BATCH)
        for (const event of batch) {
          if (signal.aborted) return
          last = event.id
          yield event
        }
        if (batch.length === MAX_BATCH) continue
        if ((await waiting) === 'silent') yield { type: 'heartbeat' }
      }
    } finally {
      unsubscribe()
      signal.removeEventListener('abort', ring)
      bell.close()
    }
  }

  return { follow: (actor, settings) => follow(requireReader(actor), settings) }
}

/** Waits for a ring or for time to pass. A ring while nobody waits is remembered. */
class Doorbell {
  #isRung = false
  #wake: (() => void) | null = null
  #timer: NodeJS.Timeout | undefined

  ring(): void {
    this.#isRung = true
    this.#wake?.()
  }

  wait(ms: number): Promise<'rung' | 'silent'> {
    clearTimeout(this.#timer)
    return new Promise((resolve) => {
      const settle = () => {
        clearTimeout(this.#timer)
        this.#wake = null
        resolve(this.#isRung ? 'rung' : 'silent')
        this.#isRung = false
      }
      if (this.#isRung) return settle()
      this.#timer = setTimeout(settle, ms)
      this.#wake = settle
    })
  }

  close(): void {
    clearTimeout(this.#timer)
  }
}
