import { setTimeout as pause } from 'node:timers/promises'

export interface Backoff {
  /** Calls in all, the first included. */
  attempts: number
  /** Longest pause before the second call; each further one may be twice as long. */
  baseMs: number
  maxMs: number
}

/** Calls again after a pause while `isWorthIt` says so. Pauses are random below a bound that doubles, so that many callers do not return at once. */
export async function withBackoff<T>(
  { attempts, baseMs, maxMs }: Backoff,
  isWorthIt: (error: unknown) => boolean,
  signal: AbortSignal,
  run: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted()
    try {
      return await run()
    } catch (error) {
      if (attempt >= attempts || !isWorthIt(error)) throw error
      // An abort during the pause is thrown by the check above, with its own reason.
      await pause(Math.random() * Math.min(maxMs, baseMs * 2 ** (attempt - 1)), undefined, { signal }).catch(() => {})
    }
  }
}
