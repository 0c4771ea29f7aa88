/** The first pause after a failure. Each further failure doubles the pause. */
const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 5 * 60_000

/** Returns how long to wait after a number of failures in a row. */
export function pauseAfter(failures: number): number {
  return Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 30))
}

export interface BackgroundTaskOptions {
  /** Does all the work that is due. Rejects if some of it has to be tried again. */
  work: () => Promise<void>
  onFailure: (error: unknown) => void
}

/** `waiting`: the last run failed, and the next run begins after a pause. `stopped` is final. */
export type BackgroundTaskState = 'idle' | 'running' | 'waiting' | 'stopped'

/**
 * Runs work in the background, one run at a time. Repeats a failed run after growing pauses until it succeeds. p-retry would not do: it can't be
 * asked for another run, and it gives up after a TypeError.
 */
export class BackgroundTask {
  #state: BackgroundTaskState = 'idle'
  /** True if more work has come since the run in progress began. */
  #isDueAgain = false
  #failures = 0
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()
  readonly #options: BackgroundTaskOptions

  constructor(options: BackgroundTaskOptions) {
    this.#options = options
  }

  get state(): BackgroundTaskState {
    return this.#state
  }

  /** Starts a run, or another run after the one in progress. After a failure, does nothing: the next run begins at the end of the pause anyway. */
  start(): void {
    if (this.#state === 'running') this.#isDueAgain = true
    else if (this.#state === 'idle') this.#running = this.#run()
  }

  /** Resolves when the run in progress has succeeded or failed. */
  idle(): Promise<void> {
    return this.#running
  }

  /** Prevents further runs. Resolves when the run in progress has ended. */
  stop(): Promise<void> {
    this.#state = 'stopped'
    clearTimeout(this.#timer)
    return this.#running
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    this.#state = 'running'
    do {
      this.#isDueAgain = false
      try {
        await this.#options.work()
        this.#failures = 0
      } catch (error) {
        return this.#runLater(error)
      }
    } while (this.#isDueAgain && !this.#isStopped)
    if (!this.#isStopped) this.#state = 'idle'
  }

  get #isStopped(): boolean {
    return this.#state === 'stopped'
  }

  #runLater(error: unknown): void {
    if (this.#isStopped) return
    this.#state = 'waiting'
    this.#options.onFailure(error)
    this.#timer = setTimeout(
      () => {
        this.#running = this.#run()
      },
      pauseAfter(++this.#failures),
    )
    this.#timer.unref()
  }
}
