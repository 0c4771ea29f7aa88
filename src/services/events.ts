import type { DocumentEvent } from '../core/model.ts'
import type { Records } from '../records/records.ts'
import { requireReader, type Actor } from './access.ts'

const HEARTBEAT_MS = 15_000
const MAX_BATCH = 100

export interface Events {
  /**
   * Yields what happens to the actor's documents after the event `afterId` (null: from now on) until the signal aborts. Yields `listening`
   * first, and `heartbeat` after 15 seconds without an event; `isAllowed` is asked before each heartbeat, and false ends the generator.
   * Events are read only when the consumer asks for more, so a slow listener needs no memory. Throws `insufficient_scope`.
   */
  follow(actor: Actor, options: FollowOptions): AsyncGenerator<DocumentEvent | 'listening' | 'heartbeat'>
}

export interface FollowOptions {
  afterId: number | null
  signal: AbortSignal
  isAllowed(): Promise<boolean>
}

export function createEvents(options: { records: Pick<Records, 'events'>; heartbeatMs?: number }): Events {
  const { heartbeatMs = HEARTBEAT_MS } = options
  const { events } = options.records

  async function* follow(ownerId: string, { afterId, signal, isAllowed }: FollowOptions): ReturnType<Events['follow']> {
    const bell = new Doorbell()
    const ring = () => bell.ring()
    // Subscribe before reading, so that no event is missed in between.
    const unsubscribe = events.subscribe(ownerId, ring)
    signal.addEventListener('abort', ring)
    try {
      const latest = await events.latestId()
      // After a restore from a backup, the listener may know a later id than any there is. Waiting for it would skip all events up to it.
      let last = Math.min(afterId ?? latest, latest)
      yield 'listening'
      while (!signal.aborted) {
        const waiting = bell.wait(heartbeatMs)
        const batch = await events.since(ownerId, last, MAX_BATCH)
        for (const event of batch) {
          if (signal.aborted) return
          last = event.id
          yield event
        }
        if (batch.length === MAX_BATCH) continue
        if ((await waiting) === 'rung' || signal.aborted) continue
        if (!(await isAllowed())) return
        yield 'heartbeat'
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
