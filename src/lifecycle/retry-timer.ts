const FIRST_MS = 1_000
const MAX_MS = 60_000

/** Repeats an attempt with growing pauses until it succeeds. The timer does not keep the process alive. */
export class RetryTimer {
  #timer: NodeJS.Timeout | undefined
  #isStopped = false
  readonly #attempt: () => Promise<boolean>
  readonly #onError: (error: unknown) => void

  /** `attempt` returns true when there is nothing left to try. */
  constructor(attempt: () => Promise<boolean>, onError: (error: unknown) => void) {
    this.#attempt = attempt
    this.#onError = onError
  }

  start(delay = FIRST_MS): void {
    if (this.#isStopped) return
    this.#timer = setTimeout(() => {
      this.#attempt()
        .then((isDone) => {
          if (!isDone) this.start(Math.min(delay * 2, MAX_MS))
        })
        .catch((error: unknown) => {
          this.#onError(error)
          this.start(MAX_MS)
        })
    }, delay)
    this.#timer.unref()
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }
}
