/** Thrown by `withDeadline` when the time is over. */
export class DeadlinePassed extends Error {}

/**
 * Runs `work` with a signal that fires when the caller gives up or the time is over, and does not wait longer even if the work does not
 * heed it. Throws DeadlinePassed, the caller's reason, or what the work throws.
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
    // What the work throws when it is told to stop says less than why it was told.
    throw controller.signal.aborted ? controller.signal.reason : error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
  }
}
