import { Worker } from 'node:worker_threads'
import { DocsearchError } from '../../core/errors.ts'
import type { PreparedChunk } from './prepare.ts'
import type { Outcome, Task, Vectors } from './protocol.ts'

/** The built program runs the built thread, a checkout the source: Node strips the types. */
const MAIN = new URL(`./thread-main${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)
/** Enough for the largest text a document may have; what needs more fails alone. */
const HEAP_MB = 640

export interface Prepared {
  chunks: PreparedChunk[]
  /** See `CountedWord`, as JSON. */
  words: string
  /** In the order of the chunks, null where there is none; null when another embedder is to make them. */
  vectors: (Float32Array | null)[] | null
}

export interface PrepareThreads {
  /** In order of asking, one document for each thread at a time. Throws DocsearchError `out_of_memory`, `internal_error`. */
  prepare(task: Omit<Task, 'id'>): Promise<Prepared>
  close(): Promise<void>
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
export function createPrepareThreads(count: number): PrepareThreads {
  const idle: Worker[] = []
  const all = new Set<Worker>()
  const waiting: Waiting[] = []
  let lastId = 0

  function next(): void {
    const thread = waiting.length === 0 ? undefined : (idle.pop() ?? (all.size < count ? start() : undefined))
    if (thread) give(thread, waiting.shift()!)
  }

  function start(): Worker {
    const thread = new Worker(MAIN, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } })
    thread.unref()
    all.add(thread)
    return thread
  }

  function give(thread: Worker, { task, resolve, reject }: Waiting): void {
    const done = () => thread.off('message', onMessage).off('error', onError).off('exit', onExit)
    const lost = (error: Error) => {
      done()
      all.delete(thread)
      reject(error)
      next()
    }
    const onMessage = (outcome: Outcome) => {
      done()
      idle.push(thread)
      if ('failure' in outcome) reject(failed(Object.assign(new Error(outcome.failure.message), outcome.failure)))
      else {
        const { chunks, words, vectors } = outcome
        resolve({ chunks, words, vectors: vectors && unpack(vectors, chunks.length) })
      }
      next()
    }
    const onError = (error: Error) => lost(failed(error))
    const onExit = () => lost(failed(new Error('the thread ended')))
    thread.on('message', onMessage).on('error', onError).on('exit', onExit)
    thread.postMessage(task)
  }

  return {
    prepare(task) {
      return new Promise((resolve, reject) => {
        waiting.push({ task: { ...task, id: ++lastId }, resolve, reject })
        next()
      })
    },
    async close() {
      for (const { reject } of waiting.splice(0)) reject(new Error('the daemon is stopping'))
      await Promise.all([...all].map((thread) => thread.terminate()))
    },
  }
}

function failed(cause: Error): DocsearchError {
  if ('code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new DocsearchError(
      'out_of_memory',
      'The text of this document takes more memory than there is for it. Split it and upload the parts.',
      { cause },
    )
  }
  return new DocsearchError(
    'internal_error',
    'docsearch made a mistake with this document; its log says which. Reprocess it after an update.',
    {
      cause,
    },
  )
}

function unpack({ values, dimensions, missing }: Vectors, count: number): (Float32Array | null)[] {
  const none = new Set(missing)
  return Array.from({ length: count }, (_, i) => (none.has(i) ? null : values.subarray(i * dimensions, (i + 1) * dimensions)))
}
