import type { Logger } from '../core/logger.ts'

/** A search that began before a switch may read the former index for this long. */
const DELAY_MS = 30_000

/** Closes and deletes indexes a while after they have left the records. */
export class PendingDrops {
  readonly #pending = new Map<NodeJS.Timeout, () => Promise<void>>()
  readonly #log: Logger

  constructor(log: Logger) {
    this.#log = log
  }

  add(id: string, drop: () => Promise<void>): void {
    const run = async () => {
      this.#pending.delete(timer)
      await drop()
    }
    const timer = setTimeout(() => {
      run().catch((error: unknown) => this.#log.warn({ err: error, index: id }, 'could not drop an index'))
    }, DELAY_MS)
    timer.unref()
    this.#pending.set(timer, run)
  }

  /** Drops what is pending now. */
  async finish(): Promise<void> {
    for (const [timer, run] of this.#pending) {
      clearTimeout(timer)
      await run()
    }
  }
}
