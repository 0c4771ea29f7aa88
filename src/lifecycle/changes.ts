/** Tells listeners that the active or the building index changed. */
export class Changes {
  readonly #listeners = new Set<() => void>()

  /** Returns a function that removes the listener. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  announce(): void {
    for (const listener of this.#listeners) listener()
  }

  /**
   * Returns the first value other than null that `find` returns, now or after a change. Rejects with the signal's reason. A value that is there
   * already is returned even when the signal is aborted, because a daemon that stops still finishes the documents in progress.
   */
  async waitFor<T>(find: () => T | null, signal: AbortSignal): Promise<T> {
    const now = find()
    if (now !== null) return now
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const onAbort = () => reject(signal.reason as Error)
    const unsubscribe = this.onChange(() => {
      const found = find()
      if (found !== null) resolve(found)
    })
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await promise
    } finally {
      unsubscribe()
      signal.removeEventListener('abort', onAbort)
    }
  }
}
