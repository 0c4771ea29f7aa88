import { DocsearchError, isErrorCode } from '../../core/errors.ts'
import type { Logger } from '../../core/logger.ts'
import { TurnQueue } from '../../core/turns.ts'
import { DamagedSegment } from '../../index/segments/damaged-segment.ts'
import type { ProjectSegments, SegmentsListener } from '../../index/segments/store/project-segments.ts'
import type { FindAnswer, FindRequest } from '../find-request.ts'
import type { Answers, Message, Reply, Spans, Task } from './protocol.ts'
import { SearchThread, TaskTookTooLong, type ThreadLimits } from './search-thread.ts'

/** The parts of an index that the threads need. */
export interface SearchableIndex {
  segments(): readonly ProjectSegments[]
  /** Calls `listener` for each project whose segments change, before the change is acknowledged. Returns a function that removes the listener. */
  onSegmentsChange(listener: SegmentsListener): () => void
  /** Removes a damaged segment from searches. Calls the listeners before it resolves. */
  leaveOut(segment: string): Promise<void>
}

export interface SearchThreadsOptions extends ThreadLimits {
  threads: number
  /** How many tasks of a user may wait for a thread. */
  maxWaiting: number
  /** How long a task may wait for a thread. */
  maxWaitMs: number
  log: Logger
}

/** Far more than the slowest search takes on a slow machine: a search that never ends would hold its thread forever. */
const DEFAULTS = { heapMb: 256, maxMs: 30_000, maxWaiting: 200, maxWaitMs: 30_000 }
/** How many tasks a thread may have. It gets its next task early, so that it doesn't have to wait while the main thread is busy. */
const MAX_LOAD = 2
/** A task whose thread ends gets a second attempt, in case another cause ended the thread. */
const MAX_ATTEMPTS = 2

interface Waiting {
  userId: string
  /** Null when the task needs no index. */
  index: SearchableIndex | null
  task: Task
  attempts: number
  /** The names of the damaged segments that the task has found. */
  leftOut: Set<string>
  resolve: (answer: Answers[Task['kind']]) => void
  reject: (error: unknown) => void
  /** Set while it waits for a thread. */
  timer: NodeJS.Timeout | undefined
}

/**
 * Threads that search, rerank and highlight, so that the main thread stays free for requests. They share the segments of the index that was
 * searched last. Each thread gets all projects of the index once, and then every change.
 */
export class SearchThreads {
  readonly #options: SearchThreadsOptions
  readonly #threads = new Set<SearchThread<Waiting>>()
  readonly #queue = new TurnQueue<Waiting>()
  /** Tasks whose thread ended before it answered. They come before the tasks in the queue. */
  readonly #again: Waiting[] = []
  #attached: { index: SearchableIndex; number: number; stopListening: () => void } | null = null
  #lastNumber = 0
  #isClosed = false

  constructor(options: Pick<SearchThreadsOptions, 'threads' | 'log'> & Partial<SearchThreadsOptions>) {
    this.#options = { ...DEFAULTS, ...options }
  }

  /** Starts the threads and gives them an index, so that both are ready for the first search. Does not wait for the threads. */
  warmUp(index: SearchableIndex | null): void {
    while (this.#threads.size < this.#options.threads) this.#startThread()
    if (index !== null) this.#attach(index)
  }

  find(index: SearchableIndex, request: FindRequest, signal?: AbortSignal): Promise<FindAnswer> {
    return this.#run(request.query.userId, index, { kind: 'find', index: 0, request }, signal)
  }

  /** Returns where each text has the terms of a question. */
  highlight(userId: string, texts: readonly string[], terms: readonly string[], signal?: AbortSignal): Promise<Spans[]> {
    return this.#run(userId, null, { kind: 'highlight', texts, terms }, signal)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#attached?.stopListening()
    this.#attached = null
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) next.reject(stopping())
    for (const { reject } of this.#again.splice(0)) reject(stopping())
    await Promise.all([...this.#threads].map((thread) => thread.end(stopping())))
    this.#threads.clear()
  }

  async #run<T extends Task>(
    userId: string,
    index: SearchableIndex | null,
    task: T,
    signal: AbortSignal | undefined,
  ): Promise<Answers[T['kind']]> {
    signal?.throwIfAborted()
    if (this.#isClosed) throw stopping()
    const { maxWaiting, maxWaitMs } = this.#options
    if (this.#queue.lengthOf(userId) >= maxWaiting) throw tooManySearches()
    const { promise, resolve, reject } = Promise.withResolvers<Answers[Task['kind']]>()
    const waiting: Waiting = { userId, index, task, attempts: 0, leftOut: new Set(), resolve, reject, timer: undefined }
    // If the caller gives up, a thread that already has the task still finishes it.
    const giveUp = () => {
      this.#queue.remove(waiting)
      reject(signal!.reason)
    }
    signal?.addEventListener('abort', giveUp, { once: true })
    this.#queue.push(userId, waiting)
    this.#giveTasks()
    if (waiting.attempts === 0) {
      waiting.timer = setTimeout(() => {
        this.#queue.remove(waiting)
        reject(noThread(maxWaitMs))
      }, maxWaitMs)
      waiting.timer.unref()
    }
    try {
      return (await promise) as Answers[T['kind']]
    } finally {
      clearTimeout(waiting.timer)
      signal?.removeEventListener('abort', giveUp)
    }
  }

  /** Gives waiting tasks to the least busy threads. Users take turns. */
  #giveTasks(): void {
    while (this.#again.length > 0 || this.#queue.length > 0) {
      const thread = this.#leastBusy()
      if (thread === null) return
      this.#give(thread, this.#again.shift() ?? this.#queue.shift()!)
    }
  }

  #give(thread: SearchThread<Waiting>, waiting: Waiting): void {
    clearTimeout(waiting.timer)
    waiting.attempts++
    if (waiting.index !== null && 'index' in waiting.task) waiting.task = { ...waiting.task, index: this.#attach(waiting.index) }
    thread.give(waiting)
  }

  #leastBusy(): SearchThread<Waiting> | null {
    let best: SearchThread<Waiting> | null = null
    for (const thread of this.#threads) if (best === null || thread.load < best.load) best = thread
    if (this.#threads.size < this.#options.threads && (best === null || best.load > 0)) best = this.#startThread()
    return best !== null && best.load < MAX_LOAD ? best : null
  }

  #startThread(): SearchThread<Waiting> {
    const thread = new SearchThread<Waiting>(this.#options, {
      onReply: (waiting, reply) => {
        this.#settle(waiting, reply)
        this.#giveTasks()
      },
      onLost: (cause, oldest, rest) => {
        this.#threads.delete(thread)
        this.#onLost(cause, oldest, rest)
      },
    })
    this.#threads.add(thread)
    if (this.#attached !== null) {
      const { index, number } = this.#attached
      thread.send({ kind: 'segments', index: number, projects: index.segments() })
    }
    return thread
  }

  /** Gives an index to all threads, unless they already have it. Returns the number of the index. */
  #attach(index: SearchableIndex): number {
    if (this.#attached?.index === index) return this.#attached.number
    if (this.#attached !== null) {
      this.#attached.stopListening()
      this.#broadcast({ kind: 'closed', index: this.#attached.number })
    }
    const number = ++this.#lastNumber
    const stopListening = index.onSegmentsChange((changed, mustSettle) => {
      this.#broadcast({ kind: 'segments', index: number, projects: [changed] })
      return mustSettle ? this.#settled() : undefined
    })
    this.#attached = { index, number, stopListening }
    this.#broadcast({ kind: 'segments', index: number, projects: index.segments() })
    return number
  }

  #broadcast(message: Message): void {
    for (const thread of this.#threads) thread.send(message)
  }

  /** Resolves when each thread has handled all messages sent so far, or has ended. */
  async #settled(): Promise<void> {
    const answers = [...this.#threads].map((thread) => {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      thread.give({
        userId: '',
        index: null,
        task: { kind: 'settle' },
        attempts: 1,
        leftOut: new Set(),
        resolve,
        reject,
        timer: undefined,
      })
      return promise
    })
    await Promise.allSettled(answers)
  }

  #settle(waiting: Waiting, reply: Reply): void {
    if ('value' in reply) return waiting.resolve(reply.value)
    if ('damagedSegment' in reply) return void this.#tryWithout(reply.damagedSegment, waiting)
    const { code, message } = reply.failure
    const error = Object.assign(new Error(message), reply.failure)
    if (code === undefined || !isErrorCode(code)) return waiting.reject(error)
    waiting.reject(new DocsearchError(code, message, { cause: error, ...(code === 'store_unavailable' && { retryAfter: 5 }) }))
  }

  /** Repeats a task that has found damage, after the threads have received the index without this segment. */
  async #tryWithout(segment: string, waiting: Waiting): Promise<void> {
    try {
      await waiting.index?.leaveOut(segment)
    } catch (error) {
      return waiting.reject(error)
    }
    if (this.#isClosed) return waiting.reject(stopping())
    if (waiting.leftOut.has(segment)) return waiting.reject(new DamagedSegment(segment))
    waiting.leftOut.add(segment)
    waiting.attempts--
    this.#again.push(waiting)
    this.#giveTasks()
  }

  /** Gives the tasks of a lost thread to other threads. Only the oldest task may have ended the thread, so only its attempts are limited. */
  #onLost(cause: Error, oldest: Waiting | undefined, rest: readonly Waiting[]): void {
    if (this.#isClosed) {
      for (const { reject } of oldest === undefined ? rest : [oldest, ...rest]) reject(stopping())
      return
    }
    this.#options.log.error({ err: cause, task: oldest?.task.kind, attempt: oldest?.attempts }, 'a search thread ended')
    for (const waiting of rest) waiting.attempts--
    this.#again.push(...rest)
    if (oldest !== undefined) {
      if (cause instanceof TaskTookTooLong) oldest.reject(tookTooLong(this.#options.maxMs))
      else if (oldest.attempts >= MAX_ATTEMPTS) oldest.reject(toError(cause))
      else this.#again.unshift(oldest)
    }
    this.#giveTasks()
  }
}

function stopping(): Error {
  return new DocsearchError('unavailable', 'The daemon is stopping. Try again after it has started.', { retryAfter: 5 })
}

function tooManySearches(): DocsearchError {
  return new DocsearchError('rate_limited', 'Too many of your searches are waiting. Try again when some of them have ended.', {
    retryAfter: 1,
  })
}

function noThread(limitMs: number): DocsearchError {
  return new DocsearchError('unavailable', `The search waited ${limitMs / 1000} s for other searches. Try again later.`, {
    retryAfter: 10,
  })
}

function tookTooLong(limitMs: number): DocsearchError {
  return new DocsearchError(
    'unavailable',
    `The search took longer than ${limitMs / 1000} s and was stopped. Ask a shorter question, or search fewer projects.`,
    { retryAfter: 10 },
  )
}

function toError(cause: Error): DocsearchError {
  if ('code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return new DocsearchError(
      'unavailable',
      'The search needs too much memory. Ask a shorter question, or search fewer projects.',
      { cause, retryAfter: 10 },
    )
  return new DocsearchError('internal_error', 'The search ended with an internal error. See the server log.', { cause })
}
