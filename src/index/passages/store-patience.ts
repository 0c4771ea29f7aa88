import { Breaker, BreakerOpen } from '../../core/breaker.ts'
import { storeUnavailable } from '../../core/store-errors.ts'

/** How long a read may take. A read of a few texts takes milliseconds, and a search waits for it. */
const READ_MS = 8_000

/**
 * Limits how long reads wait for an object store, because calls of LanceDB can't be cancelled. After a read that took too long, further reads fail
 * almost at once, until the store answers again. Throws `store_unavailable`.
 */
export class StorePatience {
  readonly #breaker: Breaker
  readonly #readMs: number

  /** `probe` makes a small request. */
  constructor(probe: () => Promise<void>, readMs = READ_MS) {
    this.#breaker = new Breaker({ probe })
    this.#readMs = readMs
  }

  async run<T>(read: () => Promise<T>): Promise<T> {
    await this.#breaker.pass().catch((error: unknown) => {
      throw error instanceof BreakerOpen ? storeUnavailable(error) : error
    })
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      this.#breaker.timedOut()
      late.reject(storeUnavailable(new Error(`no answer within ${this.#readMs / 1000} s`)))
    }, this.#readMs)
    try {
      const result = await Promise.race([read(), late.promise])
      this.#breaker.answered()
      return result
    } finally {
      clearTimeout(timer)
    }
  }

  close(): void {
    this.#breaker.close()
  }
}
