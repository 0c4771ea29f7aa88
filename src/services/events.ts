import type { DocumentEvent } from '../core/model.ts'
import { SealedNumbers } from '../core/sealed.ts'
import type { Records } from '../records/records.ts'
import { type Access, type Actor, requireScope } from './access.ts'

export { MAX_EVENTS } from '../records/events.ts'

const HEARTBEAT_MS = 15_000
const MAX_BATCH = 100

export interface Events {
  /**
   * Yields what happens to the documents of the actor's projects after the event `afterId` (null: from now on) until the signal aborts.
   * Yields `listening` first, then `missed` when events after `afterId` are no longer stored, and `heartbeat` after 15 seconds without an
   * event. A change of the actor's projects counts at once. Events are read only when the consumer asks for more, so a slow listener needs
   * no memory. All IDs are sealed: they tell nothing about events of other projects. Throws `insufficient_scope`.
   */
  follow(actor: Actor, options: FollowOptions): AsyncGenerator<DocumentEvent | StreamMark>
}

export interface FollowOptions {
  afterId: number | null
  signal: AbortSignal
}

/** A listener that resumes after `lastId` misses no later event. */
export type StreamMark = { type: 'listening'; lastId: number } | { type: 'missed'; lastId: number } | { type: 'heartbeat' }

export interface EventsOptions {
  records: Pick<Records, 'events'>
  access: Pick<Access, 'toHear'>
  heartbeatMs?: number
}

export function createEvents({ records: { events }, access, heartbeatMs = HEARTBEAT_MS }: EventsOptions): Events {
  let sealing: Promise<SealedNumbers> | undefined

  async function* follow(actor: Actor, { afterId, signal }: FollowOptions): ReturnType<Events['follow']> {
    sealing ??= events.key().then((key) => new SealedNumbers(key))
    const ids = await sealing
    const bell = new Doorbell()
    const ring = () => bell.ring()
    const projects = await access.toHear(actor)
    // Subscribe before reading, so that no event is missed in between.
    const unsubscribe = events.subscribe((changed) => {
      const look = async () => {
        const heard = await access.toHear(actor)
        if ([...changed].some((id) => heard.has(id))) ring()
      }
      look().catch(ring)
    })
    signal.addEventListener('abort', ring)
    try {
      const start = await begin(projects, afterId === null ? null : (ids.open(afterId) ?? Number.MAX_SAFE_INTEGER))
      let last = start.afterId
      yield { type: 'listening', lastId: ids.seal(last) }
      if (start.hasMissed) yield { type: 'missed', lastId: ids.seal(last) }
      while (!signal.aborted) {
        const waiting = bell.wait(heartbeatMs)
        const batch = await events.since(await access.toHear(actor), last, MAX_BATCH)
        for (const event of batch) {
          if (signal.aborted) return
          last = event.id
          // A slow listener may have left the project since the batch was read.
          if ((await access.toHear(actor)).has(event.projectId)) yield { ...event, id: ids.seal(event.id) }
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

  /** Returns after which event a listener begins. An id that was never given out is like one from before a restore of a backup. */
  async function begin(projects: ReadonlySet<string>, afterId: number | null): ReturnType<Records['events']['resumeAfter']> {
    if (afterId === null) return { afterId: await events.latestId(projects), hasMissed: false }
    return events.resumeAfter(projects, afterId)
  }

  return {
    follow(actor, settings) {
      requireScope(actor, 'read:documents')
      return follow(actor, settings)
    },
  }
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
