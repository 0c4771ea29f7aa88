/**
 * Calls `act` until it succeeds. `pauseAfter` returns how long to wait after a failure, or null when the failure is final and is thrown.
 * Own code: p-retry needs more lines for this, because the instance says how long to wait and the caller says how a wait ends.
 */
export async function retry<T>(
  act: () => Promise<T>,
  pauseAfter: (error: unknown, attempt: number) => number | null,
  wait: (seconds: number) => Promise<void>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act()
    } catch (error) {
      const seconds = pauseAfter(error, attempt)
      if (seconds === null) throw error
      await wait(seconds)
    }
  }
}
