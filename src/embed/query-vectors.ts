import { createHash } from 'node:crypto'
import { DeadlinePassed } from '../core/deadline.ts'
import { LruCache } from '../core/lru-cache.ts'

/** Some thousand vectors of the largest models. */
const MAX_BYTES = 8 * 2 ** 20
/** Key and bookkeeping of one vector. */
const OVERHEAD_BYTES = 200

interface Call {
  vector: Promise<Float32Array>
  stop: AbortController
  waiting: number
}

/**
 * Remembers the vectors of the last queries of one embedder, so that result pages, filters and repeated questions cost no call, and joins equal
 * queries that are under way. Each user has their own: how fast an answer comes must not tell that somebody else has asked the same. The keys are
 * hashes, so that no query stays in memory.
 */
export class QueryVectors {
  readonly #known: LruCache<Float32Array>
  readonly #calls = new Map<string, Call>()

  constructor(maxBytes: number = MAX_BYTES) {
    this.#known = new LruCache(maxBytes)
  }

  /** Returns a remembered vector. The caller must not change it. */
  find(user: string, text: string): Float32Array | undefined {
    return this.#known.get(keyOf(user, text))
  }

  /**
   * Returns the vector of a text, from memory or from `embed`. The caller must not change it. Rejects with the signal's reason when that aborts.
   * `embed` is stopped when nobody waits any more, and when it took longer than the deadline of one of its callers.
   */
  async get(
    { user, text, signal }: { user: string; text: string; signal: AbortSignal },
    embed: (stop: AbortSignal) => Promise<Float32Array>,
  ): Promise<Float32Array> {
    signal.throwIfAborted()
    const key = keyOf(user, text)
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const call = this.#calls.get(key) ?? this.#begin(key, embed)
    call.waiting++
    const left = Promise.withResolvers<never>()
    const leave = () => left.reject(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    try {
      return await Promise.race([call.vector, left.promise])
    } finally {
      signal.removeEventListener('abort', leave)
      call.waiting--
      if (signal.aborted && (call.waiting === 0 || signal.reason instanceof DeadlinePassed)) this.#end(key, call, signal.reason)
    }
  }

  #begin(key: string, embed: (stop: AbortSignal) => Promise<Float32Array>): Call {
    const stop = new AbortController()
    const call: Call = { vector: embed(stop.signal), stop, waiting: 0 }
    this.#calls.set(key, call)
    call.vector.then(
      (vector) => {
        this.#known.set(key, vector, vector.byteLength + OVERHEAD_BYTES)
        this.#end(key, call)
      },
      () => this.#end(key, call),
    )
    return call
  }

  #end(key: string, call: Call, reason?: unknown): void {
    if (this.#calls.get(key) === call) this.#calls.delete(key)
    if (reason !== undefined) call.stop.abort(reason)
  }
}

function keyOf(user: string, text: string): string {
  return createHash('sha256').update(`${user}\0${text}`).digest('base64')
}
