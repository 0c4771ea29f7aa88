import { Worker } from 'node:worker_threads'
import { builtModule } from '../../core/built-module.ts'
import { TurnQueue } from '../../core/turns.ts'
import { DocsearchError } from '../../core/errors.ts'
import type { PreparedPassage } from './prepare.ts'
import type { Outcome, Task, Vectors } from './protocol.ts'

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
  owner: string
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
  readonly #maxMs: number
  readonly #idleMs: number
  #idleTimer: NodeJS.Timeout | undefined
  readonly #threads = new Set<Worker>()
  readonly #idle: Worker[] = []
  readonly #waiting = new TurnQueue<Waiting>()
  /** The owner of the document in each working thread. */
  readonly #working = new Map<Worker, string>()
  #lastId = 0

  /** Ends the thread of a document that takes longer than `maxMs`, and all threads once none has had work for `idleMs`. */
  constructor(maxThreads: number, { maxMs = MAX_MS, idleMs = IDLE_MS } = {}) {
    this.#maxThreads = maxThreads
    this.#maxMs = maxMs
    this.#idleMs = idleMs
  }

  /**
   * Prepares one document. Owners take turns. An owner without a document in a thread gets an extra thread instead of waiting for
   * a large document of another owner. Throws `out_of_memory`, `parse_timeout`, `internal_error`.
   */
  prepare(owner: string, task: Omit<Task, 'id'>): Promise<Prepared> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(owner, { owner, task: { ...task, id: ++this.#lastId }, resolve, reject })
      this.#next()
    })
  }

  async close(): Promise<void> {
    clearTimeout(this.#idleTimer)
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) next.reject(new Error('the daemon is stopping'))
    await Promise.all([...this.#threads].map((thread) => thread.terminate()))
  }

  #next(): void {
    const newcomer = this.#waiting.nextOwner([...this.#working.values()])
    const owner = newcomer ?? this.#waiting.nextOwner()
    if (owner === undefined || this.#working.size >= this.#maxThreads + (newcomer === undefined ? 0 : 1)) return
    this.#give(this.#idle.pop() ?? this.#start(), this.#waiting.shift(owner)!)
    this.#next()
  }

  #start(): Worker {
    const thread = new Worker(MAIN, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } })
    thread.unref()
    this.#threads.add(thread)
    return thread
  }

  #endIdleLater(): void {
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(() => {
      for (const thread of this.#idle.splice(0)) {
        this.#threads.delete(thread)
        void thread.terminate()
      }
    }, this.#idleMs)
    this.#idleTimer.unref()
  }

  #give(thread: Worker, { owner, task, resolve, reject }: Waiting): void {
    this.#working.set(thread, owner)
    clearTimeout(this.#idleTimer)
    const stopListening = () => {
      clearTimeout(timer)
      thread.off('message', onMessage).off('error', onError).off('exit', onExit)
      this.#working.delete(thread)
      if (this.#working.size === 0) this.#endIdleLater()
    }
    const onLost = (cause: Error) => {
      stopListening()
      this.#threads.delete(thread)
      reject(toError(cause))
      this.#next()
    }
    const onMessage = (outcome: Outcome) => {
      stopListening()
      this.#idle.push(thread)
      if ('failure' in outcome) reject(toError(Object.assign(new Error(outcome.failure.message), outcome.failure)))
      else {
        const { passages, words, vectors } = outcome
        resolve({ passages, words, vectors: vectors && unpack(vectors, passages.length) })
      }
      this.#next()
    }
    const onError = (error: Error) => onLost(error)
    const onExit = () => onLost(new Error('the thread ended'))
    const timer = setTimeout(() => {
      onLost(tookTooLong(this.#maxMs))
      // Nobody waits for this thread any more, so an error while it ends must not end the daemon.
      thread.on('error', () => {})
      void thread.terminate()
    }, this.#maxMs)
    timer.unref()
    thread.on('message', onMessage).on('error', onError).on('exit', onExit)
    thread.postMessage(task)
  }
}

function tookTooLong(limitMs: number): DocsearchError {
  return new DocsearchError(
    'parse_timeout',
    `Cutting the document into passages took longer than the limit of ${limitMs / 1000} s. Split the document and upload the parts.`,
    { details: { limit_ms: limitMs } },
  )
}

function toError(cause: Error): DocsearchError {
  if (cause instanceof DocsearchError) return cause
  if ('code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY') {
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
