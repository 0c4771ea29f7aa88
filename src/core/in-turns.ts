import { setImmediate } from 'node:timers/promises'

/** A request that does more work than this lets other requests take their turn in between. */
const TURN_MS = 5

/** Does something with each item, and lets other work on the main thread go on in between. */
export async function eachInTurns<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let began = performance.now()
  for (const item of items) {
    work(item)
    if (performance.now() - began < TURN_MS) continue
    await setImmediate()
    began = performance.now()
  }
}
