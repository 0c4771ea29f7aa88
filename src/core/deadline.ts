/** Thrown by `withDeadline` when time runs out. */
export class DeadlinePassed extends Error {}

/**
 * Runs `work` with a signal that fires when the caller gives up or time runs out. It waits no longer, even when the work ignores the
 * signal. Throws DeadlinePassed, the caller's reason, or the work's error.
 */
export async function withDeadline<T>(
  ms: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const giveUp = () => controller.abort(signal?.reason)
  if (signal?.aborted) giveUp()
  signal?.addEventListener('abort', giveUp, { once: true })
  const timer = setTimeout(() => controller.abort(new DeadlinePassed(`no answer within ${ms} ms`)), ms)
  const stopped = new Promise<never>((_, reject) => {
    if (controller.signal.aborted) reject(controller.signal.reason)
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true })
  })
  try {
    return await Promise.race([stopped, work(controller.signal)])
  } catch (error) {
    // The reason of the signal says more than the error of the work that it stopped.
    throw controller.signal.aborted ? controller.signal.reason : error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
  }
}
