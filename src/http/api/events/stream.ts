import type { Events } from '../../../records/records.ts'
import { formatEvent } from './present.ts'

const HEARTBEAT_MS = 15_000
const AT_ONCE = 100

/**
 * The owner's events after `afterId` (null: from now on), as text, until the signal aborts. It reads from the table only when
 * its consumer asks for more, so a slow listener costs no memory. `isAllowed` is asked at every heartbeat.
 */
export async function* eventStream(options: {
  events: Events
  ownerId: string
  afterId: number | null
  signal: AbortSignal
  isAllowed: () => Promise<boolean>
  heartbeatMs?: number
}): AsyncGenerator<string> {
  const { events, ownerId, signal, isAllowed, heartbeatMs = HEARTBEAT_MS } = options
  const bell = doorbell()
  const stop = events.subscribe(ownerId, bell.ring)
  signal.addEventListener('abort', bell.ring)
  try {
    // Subscribed first: nothing that is committed from here on is missed.
    const latest = await events.latestId()
    // An id from before the instance was restored from a backup may lie ahead of ours: waiting for it, a listener would miss all until then.
    let last = Math.min(options.afterId ?? latest, latest)
    yield 'retry: 2000\n: listening\n\n'
    while (!signal.aborted) {
      const waiting = bell.wait(heartbeatMs)
      const batch = await events.since(ownerId, last, AT_ONCE)
      for (const event of batch) {
        if (signal.aborted) return
        last = event.id
        yield formatEvent(event)
      }
      if (batch.length === AT_ONCE) continue
      if ((await waiting) === 'rung' || signal.aborted) continue
      if (!(await isAllowed())) return
      yield ': heartbeat\n\n'
    }
  } finally {
    stop()
    signal.removeEventListener('abort', bell.ring)
    bell.close()
  }
}

/** Waits for a ring or for time to pass. A ring while nobody waits is not forgotten. */
function doorbell() {
  let rung = false
  let wake: (() => void) | null = null
  let timer: NodeJS.Timeout | undefined
  return {
    ring(this: void) {
      rung = true
      wake?.()
    },
    wait(ms: number): Promise<'rung' | 'silent'> {
      clearTimeout(timer)
      return new Promise((resolve) => {
        const settle = () => {
          clearTimeout(timer)
          wake = null
          resolve(rung ? 'rung' : 'silent')
          rung = false
        }
        if (rung) return settle()
        timer = setTimeout(settle, ms)
        wake = settle
      })
    },
    close() {
      clearTimeout(timer)
    },
  }
}
