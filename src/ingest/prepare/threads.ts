import { builtModule } from '../../core/built-module.ts'
import { DocsearchError } from '../../core/errors.ts'
import { CallTookTooLong, Thread, ThreadLost } from '../../core/thread.ts'
import { TurnQueue } from '../../core/turns.ts'
import type { PreparedPassage } from './prepare.ts'
import type { PrepareCalls, Task, Vectors } from './thread-main.ts'

const MAIN = builtModule(new URL('./thread-main.ts', import.meta.url))
/** Enough for the largest text a document may have. A document that needs more fails alone. */
const HEAP_MB = 640

export interface Prepared {
  passages: PreparedPassage[]
  /** `TermAndWord[]` as JSON. */
  words: string
  /** In the order of the passages, null for a passage without one. Null when another embedder has to make them. */
  vectors: (Float32Array | null)[] | null
}

/** Far more than the largest text takes on a slow machine. A document that never ends would hold its thread forever. */
const MAX_MS = 300_000
/** Threads without work for this long end, because each remembers words in tens of megabytes. */
const IDLE_MS = 30_000

interface Waiting {
  task: Task
  resolve: (prepared: Prepared) => void
  reject: (error: Error) => void
}

/**
 * Threads that compute passages, terms and the built-in vectors, so that the main thread is free for requests.
 *
 * Our own pool, measured against piscina 5.3 and tinypool 2.2: it takes less than half the time per task, and when theirs keep no idle thread, the
 * tasks that wait never run after a thread has run out of memory.
 */
export class PrepareThreads {
  readonly #maxThreads: number
  readonly #limits: { maxMs: number; idleMs: number }
  readonly #threads: Thread<PrepareCalls>[] = []
  readonly #idle: Thread<PrepareCalls>[] = []
  readonly #waiting = new TurnQueue<Waiting>()
  /** The owner of the document in each working thread. */
  readonly #working = new Map<Thread<PrepareCalls>, string>()

  /** Ends the thread of a document that takes longer than `maxMs`, and a thread that has had no work for `idleMs`. */
  constructor(maxThreads: number, { maxMs = MAX_MS, idleMs = IDLE_MS } = {}) {
    this.#maxThreads = maxThreads
    this.#limits = { maxMs, idleMs }
  }

  /**
   * Prepares one document. Owners take turns. An owner without a document in a thread gets an extra thread instead of waiting for
   * a large document of another owner. Throws `out_of_memory`, `parse_timeout`, `internal_error`.
   */
  prepare(owner: string, task: Task): Promise<Prepared> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(owner, { task, resolve, reject })
      this.#next()
    })
  }

  async close(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) next.reject(new Error('the daemon is stopping'))
    await Promise.all(this.#threads.map((thread) => thread.close()))
  }

  #next(): void {
    const newcomer = this.#waiting.nextOwner([...this.#working.values()])
    const owner = newcomer ?? this.#waiting.nextOwner()
    if (owner === undefined || this.#working.size >= this.#maxThreads + (newcomer === undefined ? 0 : 1)) return
    void this.#give(this.#idle.pop() ?? this.#newThread(), owner)
    this.#next()
  }

  #newThread(): Thread<PrepareCalls> {
    const thread = new Thread<PrepareCalls>(MAIN, { heapMb: HEAP_MB, ...this.#limits })
    this.#threads.push(thread)
    return thread
  }

  async #give(thread: Thread<PrepareCalls>, owner: string): Promise<void> {
    const { task, resolve, reject } = this.#waiting.shift(owner)!
    this.#working.set(thread, owner)
    try {
      const { vectors, ...prepared } = await thread.call('prepare', task)
      resolve({ ...prepared, vectors: vectors && unpack(vectors, prepared.passages.length) })
    } catch (error) {
      reject(toError(error instanceof ThreadLost ? error.cause : error, this.#limits.maxMs))
    }
    this.#working.delete(thread)
    this.#idle.push(thread)
    this.#next()
  }
}

function tookTooLong(limitMs: number): DocsearchError {
  return new DocsearchError(
    'parse_timeout',
    `Cutting the document into passages took longer than the limit of ${limitMs / 1000} s. Split the document and upload the parts.`,
    { details: { limit_ms: limitMs } },
  )
}

function toError(cause: unknown, limitMs: number): DocsearchError {
  if (cause instanceof DocsearchError) return cause
  if (cause instanceof CallTookTooLong) return tookTooLong(limitMs)
  if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new DocsearchError(
      'out_of_memory',
      'The text of this document needs too much memory. Split the document and upload the parts.',
      { cause },
    )
  }
  return new DocsearchError(
    'internal_error',
    'Internal error while processing this document. See the server log. Reprocess the document after an update.',
    { cause },
  )
}

function unpack({ values, dimensions, missing }: Vectors, count: number): (Float32Array | null)[] {
  const none = new Set(missing)
  return Array.from({ length: count }, (_, i) => (none.has(i) ? null : values.subarray(i * dimensions, (i + 1) * dimensions)))
}
