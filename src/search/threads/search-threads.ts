import { builtModule } from '../../core/built-module.ts'
import { DocsearchError } from '../../core/errors.ts'
import type { Logger } from '../../core/logger.ts'
import { CallTookTooLong, Thread, ThreadLost } from '../../core/thread.ts'
import { TurnQueue } from '../../core/turns.ts'
import { DamagedSegment } from '../../index/segments/failures.ts'
import type { ProjectSegments, SegmentsListener } from '../../index/segments/store/project-segments.ts'
import type { FindAnswer, FindRequest } from '../find-request.ts'
import type { SearchCalls, Spans } from './protocol.ts'

const MAIN = builtModule(new URL('./thread-main.ts', import.meta.url))

/** The parts of an index that the threads need. */
export interface SearchableIndex {
  segments(): readonly ProjectSegments[]
  /** Calls `listener` for each project whose segments change, before the change is acknowledged. Returns a function that removes the listener. */
  onSegmentsChange(listener: SegmentsListener): () => void
  /** Removes a damaged segment from searches. Calls the listeners before it resolves. */
  leaveOut(segment: string): Promise<void>
}

export interface SearchThreadsOptions {
  threads: number
  /** The heap of a thread in MB. Segments are not on the heap. */
  heapMb: number
  /** How long a task may run. */
  maxMs: number
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

type SearchThread = Thread<SearchCalls>

interface Task {
  userId: string
  /** Gives the task to a thread. */
  run(thread: SearchThread): Promise<void>
  attempts: number
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
  readonly #threads = new Set<SearchThread>()
  readonly #queue = new TurnQueue<Task>()
  /** Tasks whose thread ended before it answered. They come before the tasks in the queue. */
  readonly #again: Task[] = []
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

  /** Searches. After damage in a segment, searches again without this segment. */
  async find(index: SearchableIndex, request: FindRequest, signal?: AbortSignal): Promise<FindAnswer> {
    const leftOut = new Set<string>()
    for (;;) {
      const answer = await this.#run(
        request.query.userId,
        (thread) => thread.call('find', { index: this.#attach(index), request }),
        signal,
      )
      if (!('damagedSegment' in answer)) return answer
      const { damagedSegment } = answer
      await index.leaveOut(damagedSegment)
      if (leftOut.has(damagedSegment)) throw new DamagedSegment(damagedSegment)
      leftOut.add(damagedSegment)
    }
  }

  /** Returns where each text has the terms of a question. */
  highlight(userId: string, texts: readonly string[], terms: readonly string[], signal?: AbortSignal): Promise<Spans[]> {
    return this.#run(userId, (thread) => thread.call('highlight', { texts, terms }), signal)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#attached?.stopListening()
    this.#attached = null
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) next.reject(stopping())
    for (const { reject } of this.#again.splice(0)) reject(stopping())
    await Promise.all([...this.#threads].map((thread) => thread.close()))
    this.#threads.clear()
  }

  async #run<T>(userId: string, call: (thread: SearchThread) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    signal?.throwIfAborted()
    if (this.#isClosed) throw stopping()
    const { maxWaiting, maxWaitMs } = this.#options
    if (this.#queue.lengthOf(userId) >= maxWaiting) throw tooManySearches()
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const run = (thread: SearchThread) => call(thread).then(resolve)
    const task: Task = { userId, run, attempts: 0, reject, timer: undefined }
    // If the caller gives up, a thread that already has the task still finishes it.
    const giveUp = () => {
      this.#queue.remove(task)
      reject(signal!.reason)
    }
    signal?.addEventListener('abort', giveUp, { once: true })
    this.#queue.push(userId, task)
    this.#giveTasks()
    if (task.attempts === 0) {
      task.timer = setTimeout(() => {
        this.#queue.remove(task)
        reject(noThread(maxWaitMs))
      }, maxWaitMs)
      task.timer.unref()
    }
    try {
      return await promise
    } finally {
      clearTimeout(task.timer)
      signal?.removeEventListener('abort', giveUp)
    }
  }

  /** Gives waiting tasks to the least busy threads. Users take turns. */
  #giveTasks(): void {
    while (this.#again.length > 0 || this.#queue.length > 0) {
      const thread = this.#leastBusy()
      if (thread === null) return
      void this.#give(thread, this.#again.shift() ?? this.#queue.shift()!)
    }
  }

  async #give(thread: SearchThread, task: Task): Promise<void> {
    clearTimeout(task.timer)
    task.attempts++
    try {
      await task.run(thread)
    } catch (error) {
      if (error instanceof ThreadLost) this.#onLost(task, error)
      else task.reject(error)
    }
    this.#giveTasks()
  }

  #leastBusy(): SearchThread | null {
    let best: SearchThread | null = null
    for (const thread of this.#threads) if (best === null || thread.load < best.load) best = thread
    if (this.#threads.size < this.#options.threads && (best === null || best.load > 0)) best = this.#startThread()
    return best !== null && best.load < MAX_LOAD ? best : null
  }

  #startThread(): SearchThread {
    const { heapMb, maxMs, log } = this.#options
    const thread: SearchThread = new Thread(MAIN, {
      heapMb,
      maxMs,
      onLost: (cause) => {
        this.#threads.delete(thread)
        if (thread.load === 0) log.error({ err: cause }, 'a search thread ended')
      },
    })
    thread.start()
    this.#threads.add(thread)
    if (this.#attached !== null) {
      const { index, number } = this.#attached
      thread.tell('segments', { index: number, projects: index.segments() })
    }
    return thread
  }

  /** Gives an index to all threads, unless they already have it. Returns the number of the index. */
  #attach(index: SearchableIndex): number {
    if (this.#attached?.index === index) return this.#attached.number
    if (this.#attached !== null) {
      this.#attached.stopListening()
      this.#tellAll('closed', { index: this.#attached.number })
    }
    const number = ++this.#lastNumber
    const stopListening = index.onSegmentsChange((changed, mustSettle) => {
      this.#tellAll('segments', { index: number, projects: [changed] })
      return mustSettle ? this.#settled() : undefined
    })
    this.#attached = { index, number, stopListening }
    this.#tellAll('segments', { index: number, projects: index.segments() })
    return number
  }

  #tellAll<K extends 'segments' | 'closed'>(kind: K, request: SearchCalls[K]['request']): void {
    for (const thread of this.#threads) thread.tell(kind, request)
  }

  /** Resolves when each thread has handled all messages sent so far, or has ended. */
  async #settled(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => this.#settle(thread)))
  }

  async #settle(thread: SearchThread): Promise<void> {
    // A thread that was lost meanwhile has nothing left to handle.
    await thread.call('settle', null).catch(() => {})
    // Tasks may have waited because the thread had this call instead of them.
    this.#giveTasks()
  }

  /** Gives the task of a lost thread to another thread. Only the task that was running may have ended the thread, so only its attempts are limited. */
  #onLost(task: Task, { cause, wasRunning }: ThreadLost): void {
    if (this.#isClosed) return task.reject(stopping())
    if (!wasRunning) {
      task.attempts--
      this.#again.push(task)
      return
    }
    this.#options.log.error({ err: cause, attempt: task.attempts }, 'a search thread ended')
    if (cause instanceof CallTookTooLong) task.reject(tookTooLong(this.#options.maxMs))
    else if (task.attempts >= MAX_ATTEMPTS) task.reject(toError(cause))
    else this.#again.unshift(task)
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
