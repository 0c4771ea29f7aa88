import type { Lifecycle } from './lifecycle.ts'

/** The index that a piece of work was for has been replaced. Its document goes back into the queue. */
export class IndexChanged extends Error {}

/**
 * Runs `work` with a signal that aborts with `IndexChanged` when `isCurrent` is false, now or after a change, and with the reason of `signal` when that
 * aborts.
 */
export async function whileCurrent<T>(
  lifecycle: Pick<Lifecycle, 'onChange'>,
  { isCurrent, signal }: { isCurrent: () => boolean; signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const changed = new AbortController()
  const check = () => {
    if (!isCurrent()) changed.abort(new IndexChanged())
  }
  const unsubscribe = lifecycle.onChange(check)
  check()
  try {
    return await work(AbortSignal.any([signal, changed.signal]))
  } finally {
    unsubscribe()
  }
}
