import { Worker } from 'node:worker_threads'
import { DocsearchError } from '../../core/errors.ts'
import type { PreparedPassage } from './prepare.ts'
import type { Outcome, Task, Vectors } from './protocol.ts'

/** The built program starts the built thread, a checkout starts the source: Node strips the types. */
const MAIN = new URL(`./thread-main${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)
/** Enough for the largest text a document may have. A document that needs more fails alone. */
const HEAP_MB = 640

export interface Prepared {
  passages: PreparedPassage[]
  /** `CountedWord[]` as JSON. */
  words: string
  /** In the order of the passages, null for a passage without one. Null when another embedder has to make them. */
  vectors: (Float32Array | null)[] | null
}

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
  readonly #threads = new Set<Worker>()
  readonly #idle: Worker[] = []
  readonly #waiting: Waiting[] = []
  #lastId = 0

  constructor(maxThreads: number) {
    this.#maxThreads = maxThreads
  }

  /** Prepares one document, in the order of the calls. Throws `out_of_memory`, `internal_error`. */
  prepare(task: Omit<Task, 'id'>): Promise<Prepared> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task: { ...task, id: ++this.#lastId }, resolve, reject })
      this.#next()
    })
  }

  async close(): Promise<void> {
    for (const { reject } of this.#waiting.splice(0)) reject(new Error('the daemon is stopping'))
    await Promise.all([...this.#threads].map((thread) => thread.terminate()))
  }

  #next(): void {
    if (this.#waiting.length === 0) return
    const thread = this.#idle.pop() ?? (this.#threads.size < this.#maxThreads ? this.#start() : null)
    if (thread) this.#give(thread, this.#waiting.shift()!)
  }

  #start(): Worker {
    const thread = new Worker(MAIN, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } })
    thread.unref()
    this.#threads.add(thread)
    return thread
  }

  #give(thread: Worker, { task, resolve, reject }: Waiting): void {
    const stopListening = () => thread.off('message', onMessage).off('error', onError).off('exit', onExit)
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
    thread.on('message', onMessage).on('error', onError).on('exit', onExit)
    thread.postMessage(task)
  }
}

function toError(cause: Error): DocsearchError {
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
