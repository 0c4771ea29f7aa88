import { Worker } from 'node:worker_threads'
import { indexFailure } from '../../failures.ts'
import { type Answer, type Call, toError } from './call.ts'
import type { Calls } from './protocol.ts'

interface Waiting {
  resolve: (answer: never) => void
  reject: (error: Error) => void
}

export interface ThreadOptions {
  /** A thread that has had nothing to do for this long ends, to give its memory back. By default it stays. */
  idleMs?: number
}

/** A thread that answers calls (call.ts). The first call starts it, and so does the next call after the thread ended. */
export class Thread<C extends Calls<C>> {
  readonly #main: URL
  readonly #idleMs: number
  readonly #waiting = new Map<number, Waiting>()
  #idleTimer: NodeJS.Timeout | undefined
  #worker: Worker | null = null
  #isClosed = false
  #lastId = 0

  /** `main` is the module that the thread runs. */
  constructor(main: URL, { idleMs = Infinity }: ThreadOptions = {}) {
    this.#main = main
    this.#idleMs = idleMs
  }

  get isRunning(): boolean {
    return this.#worker !== null
  }

  /** Rejects with the DocsearchError that the thread threw, or with `index_failed` when the thread died or threw another error. */
  call<K extends keyof C & string>(kind: K, request: C[K]['request']): Promise<C[K]['answer']> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(indexFailure(new Error('the index is closed')))
      const call: Call = { id: ++this.#lastId, kind, request }
      clearTimeout(this.#idleTimer)
      this.#worker ??= this.#start()
      try {
        this.#worker.postMessage(call)
        this.#waiting.set(call.id, { resolve, reject })
      } catch (error) {
        reject(indexFailure(error))
      }
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#idleTimer)
    await this.#worker?.terminate()
  }

  #start(): Worker {
    // When the thread ends, the files that it opened have to stay open for other threads.
    const worker = new Worker(this.#main, { trackUnmanagedFds: false })
    worker.unref()
    const onLost = (cause: Error) => {
      if (this.#worker !== worker) return
      this.#worker = null
      const waiting = [...this.#waiting.values()]
      this.#waiting.clear()
      for (const { reject } of waiting) reject(indexFailure(cause))
    }
    worker.on('message', (answer: Answer) => {
      const waiting = this.#waiting.get(answer.id)
      this.#waiting.delete(answer.id)
      if ('failure' in answer) waiting?.reject(toError(answer.failure))
      else waiting?.resolve(answer.answer as never)
      if (this.#waiting.size === 0 && this.#idleMs < Infinity) this.#endLater(worker)
    })
    worker.on('error', onLost).on('exit', () => onLost(new Error('a thread of the index ended')))
    return worker
  }

  #endLater(worker: Worker): void {
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(() => {
      if (this.#worker === worker) this.#worker = null
      void worker.terminate()
    }, this.#idleMs)
    this.#idleTimer.unref()
  }
}
