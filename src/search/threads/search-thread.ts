import { Worker } from 'node:worker_threads'
import { builtModule } from '../../core/built-module.ts'
import type { Message, Reply, Task } from './protocol.ts'

const MAIN = builtModule(new URL('./thread-main.ts', import.meta.url))

export interface ThreadLimits {
  /** The heap of a thread in MB. Segments are not on the heap. */
  heapMb: number
  /** How long a task may run. */
  maxMs: number
}

export interface ThreadEvents<Waiting> {
  /** The thread answered its oldest task. */
  onReply(waiting: Waiting, reply: Reply): void
  /** The thread has ended or was ended. If it had a task, its oldest task is the cause. `rest` are its other tasks. */
  onLost(cause: Error, oldest: Waiting | undefined, rest: readonly Waiting[]): void
}

/** Thrown when a task runs too long. */
export class TaskTookTooLong extends Error {}

/** One thread with its unanswered tasks. The thread works on the oldest task. */
export class SearchThread<Waiting extends { task: Task }> {
  readonly #worker: Worker
  readonly #limits: ThreadLimits
  readonly #events: ThreadEvents<Waiting>
  readonly #unanswered: Waiting[] = []
  #timer: NodeJS.Timeout | undefined
  #isLost = false

  constructor(limits: ThreadLimits, events: ThreadEvents<Waiting>) {
    this.#limits = limits
    this.#events = events
    this.#worker = new Worker(MAIN, { resourceLimits: { maxOldGenerationSizeMb: limits.heapMb } })
    this.#worker.unref()
    this.#worker
      .on('message', (reply: Reply) => this.#onReply(reply))
      .on('error', (error: Error) => this.#onLost(error))
      .on('exit', (code) => this.#onLost(new Error(`the search thread ended with code ${code}`)))
  }

  /** Number of tasks without an answer. */
  get load(): number {
    return this.#unanswered.length
  }

  give(waiting: Waiting): void {
    this.#unanswered.push(waiting)
    this.send(waiting.task)
    if (this.#unanswered.length === 1) this.#startTimer()
  }

  send(message: Message): void {
    this.#worker.postMessage(message)
  }

  async end(cause: Error): Promise<void> {
    this.#onLost(cause)
    await this.#worker.terminate()
  }

  #onReply(reply: Reply): void {
    const waiting = this.#unanswered.shift()
    if (this.#unanswered.length > 0) this.#startTimer()
    if (waiting !== undefined) this.#events.onReply(waiting, reply)
  }

  /** Limits the time of the oldest task. There is one timer for all tasks, because making one costs more than starting it again. */
  #startTimer(): void {
    if (this.#timer !== undefined) {
      this.#timer.refresh()
      return
    }
    this.#timer = setTimeout(() => {
      // The timer goes on when the last task has been answered.
      if (this.#unanswered.length === 0) return
      void this.end(new TaskTookTooLong(`a search task ran for more than ${this.#limits.maxMs} ms`))
    }, this.#limits.maxMs)
    this.#timer.unref()
  }

  #onLost(cause: Error): void {
    if (this.#isLost) return
    this.#isLost = true
    clearTimeout(this.#timer)
    const [oldest, ...rest] = this.#unanswered
    this.#events.onLost(cause, oldest, rest)
  }
}
