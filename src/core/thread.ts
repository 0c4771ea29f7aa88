import { parentPort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { DocsearchError, isErrorCode } from './errors.ts'

/** What a thread can be asked: the request and the answer of each kind of call. */
export type Calls<C> = { [Kind in keyof C]: { request: unknown; answer: unknown } }

export interface ThreadOptions {
  workerData?: unknown
  /** The limit of the thread's heap in MB. */
  heapMb?: number
  /** False if the files that the thread opened stay open when it ends. */
  trackUnmanagedFds?: boolean
  /** Ends the thread when it works on a call for longer than this. */
  maxMs?: number
  /** Ends the thread when it has had nothing to do for this long, to free its memory. */
  idleMs?: number
  /** Called with each message that the thread sends by itself (see `answerCalls`). */
  onMessage?: (message: unknown) => void
  /** Called when the thread has ended without being idle or closed, before its calls are rejected. */
  onLost?: (cause: Error) => void
}

/** Rejects the calls of a thread that has ended. `cause` says why. */
export class ThreadLost extends Error {
  declare readonly cause: Error
  /** True for the call that the thread was working on, which may be the reason. */
  readonly wasRunning: boolean

  constructor(cause: Error, wasRunning: boolean) {
    super(cause.message, { cause })
    this.wasRunning = wasRunning
  }
}

/** The cause when a call took longer than `maxMs`. */
export class CallTookTooLong extends Error {}

/** The way to the thread: a call, a message without an answer, or the ID of a call that nobody waits for any more. */
type Request = { id?: number; kind: string; request: unknown } | { cancelled: number }

/** The way back: an answer, a failure, neither for a cancelled call, or a message that is no answer. */
type Reply = { id: number; answer?: unknown; failure?: Failure } | { message: unknown }

interface Waiting {
  resolve: (answer: never) => void
  reject: (error: unknown) => void
}

/**
 * A conversation with a worker thread, which runs `answerCalls`. The first call starts the thread, and so does the next call after the thread has
 * ended. The thread gets calls and messages in order, works on one at a time, and keeps the process alive only while it has a call to answer.
 */
export class Thread<C extends Calls<C>> {
  readonly #main: URL
  readonly #options: ThreadOptions
  /** In the order of the calls. The thread works on the first one. */
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | null = null
  #ended: Promise<unknown> = Promise.resolve()
  /** One timer serves all calls, because creating a timer costs more than restarting it. The idle timer is reused for the same reason. */
  #callTimer: NodeJS.Timeout | undefined
  #idleTimer: NodeJS.Timeout | undefined
  #isClosed = false
  #lastId = 0

  /** `main` is the module that the thread runs (see `builtModule`). */
  constructor(main: URL, options: ThreadOptions = {}) {
    this.#main = main
    this.#options = options
  }

  get isRunning(): boolean {
    return this.#worker !== null
  }

  /** The number of calls without an answer. */
  get load(): number {
    return this.#waiting.size
  }

  /**
   * Rejects with the error that the thread threw: a DocsearchError, or an Error with the same name, message, stack and codes. Rejects with a
   * `ThreadLost` when the thread ends before it answers. After an abort, rejects with its reason, and the thread skips the call unless it
   * has begun.
   */
  call<K extends keyof C & string>(kind: K, request: C[K]['request'], signal?: AbortSignal): Promise<C[K]['answer']> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const id = ++this.#lastId
      const worker = this.start()
      worker.postMessage({ id, kind, request } satisfies Request)
      this.#waiting.set(id, { resolve, reject })
      if (this.#waiting.size === 1) {
        worker.ref()
        this.#limitTime()
      }
      if (signal !== undefined) this.#giveUpOnAbort(id, signal)
    })
  }

  /** Sends a message that the thread does not answer. */
  tell<K extends keyof C & string>(kind: K, request: C[K]['request']): void {
    this.start().postMessage({ kind, request } satisfies Request)
  }

  /** Starts the thread before its first call. Does not wait until it runs. */
  start(): Worker {
    if (this.#worker !== null) return this.#worker
    if (this.#isClosed) throw new Error('the thread is closed')
    const { workerData, heapMb, trackUnmanagedFds = true } = this.#options
    const worker = new Worker(this.#main, {
      workerData,
      trackUnmanagedFds,
      ...(heapMb !== undefined && { resourceLimits: { maxOldGenerationSizeMb: heapMb } }),
    })
    // The listeners stay when nobody needs the thread any more: an error while it ends must not end the process.
    worker
      .on('message', (reply: Reply) => this.#onReply(worker, reply))
      .on('error', (error: Error) => this.#lose(worker, error))
      .on('exit', (code) => this.#lose(worker, new Error(`the thread ended with code ${code}`)))
    // After the listeners, because a listener for messages keeps the process alive again.
    worker.unref()
    return (this.#worker = worker)
  }

  /** Ends the thread for good. Rejects its calls. Resolves when the thread has really ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#worker !== null) this.#end(this.#worker, new Error('the thread was closed'))
    await this.#ended
  }

  /** Resolves when the thread that was lost or idle has really ended. Code outside of JavaScript, such as SQLite, can't be interrupted. */
  async ended(): Promise<void> {
    await this.#ended
  }

  #onReply(worker: Worker, reply: Reply): void {
    if (worker !== this.#worker) return
    if ('message' in reply) return this.#options.onMessage?.(reply.message)
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if (this.#waiting.size > 0) this.#limitTime()
    else {
      worker.unref()
      this.#endWhenIdle()
    }
    if (reply.failure !== undefined) waiting?.reject(toError(reply.failure))
    else waiting?.resolve(reply.answer as never)
  }

  #giveUpOnAbort(id: number, signal: AbortSignal): void {
    const { resolve, reject } = this.#waiting.get(id)!
    const stopListening = () => signal.removeEventListener('abort', giveUp)
    const giveUp = () => {
      reject(signal.reason)
      this.#worker?.postMessage({ cancelled: id } satisfies Request)
    }
    signal.addEventListener('abort', giveUp, { once: true })
    // The call stays among the waiting ones until the thread has answered, because the thread may be working on it.
    this.#waiting.set(id, {
      resolve: (answer) => (stopListening(), resolve(answer)),
      reject: (error) => (stopListening(), reject(error)),
    })
  }

  #limitTime(): void {
    const { maxMs } = this.#options
    if (maxMs === undefined) return
    const tooLong = () => {
      if (this.#worker !== null && this.#waiting.size > 0)
        this.#lose(this.#worker, new CallTookTooLong(`a call took longer than ${maxMs} ms`))
    }
    this.#callTimer = this.#callTimer?.refresh() ?? setTimeout(tooLong, maxMs).unref()
  }

  #endWhenIdle(): void {
    const { idleMs } = this.#options
    if (idleMs === undefined) return
    const idle = () => {
      if (this.#worker !== null && this.#waiting.size === 0) this.#end(this.#worker, new Error('the thread was idle'))
    }
    this.#idleTimer = this.#idleTimer?.refresh() ?? setTimeout(idle, idleMs).unref()
  }

  #lose(worker: Worker, cause: Error): void {
    if (worker !== this.#worker) return
    this.#options.onLost?.(cause)
    this.#end(worker, cause)
  }

  #end(worker: Worker, cause: Error): void {
    this.#worker = null
    clearTimeout(this.#callTimer)
    clearTimeout(this.#idleTimer)
    this.#callTimer = this.#idleTimer = undefined
    const [running, ...others] = this.#waiting.values()
    this.#waiting.clear()
    this.#ended = worker.terminate()
    running?.reject(new ThreadLost(cause, true))
    for (const { reject } of others) reject(new ThreadLost(cause, false))
  }
}

type Handlers<C extends Calls<C>> = {
  [K in keyof C]: (request: C[K]['request']) => C[K]['answer'] | Promise<C[K]['answer']>
}

/**
 * Makes this thread answer calls and handle messages, one after another. Returns a function that sends a message to the caller by itself. If the
 * handler of a message without an answer throws, the thread ends.
 */
export function answerCalls<C extends Calls<C>>(handlers: Handlers<C>): (message: unknown) => void {
  const port = parentPort!
  const queue: Exclude<Request, { cancelled: number }>[] = []
  const cancelled = new Set<number>()
  let isWorking = false

  function take(request: Request): void {
    if (!('cancelled' in request)) queue.push(request)
    else if (queue.some(({ id }) => id === request.cancelled)) cancelled.add(request.cancelled)
  }

  async function work(): Promise<void> {
    isWorking = true
    for (;;) {
      // A handler that doesn't wait for anything keeps the events of further messages from running, also of those that cancel a call.
      for (let more = receiveMessageOnPort(port); more; more = receiveMessageOnPort(port)) take(more.message as Request)
      const next = queue.shift()
      if (next === undefined) break
      const { id, kind, request } = next
      if (id === undefined) await handlers[kind as keyof C](request)
      else if (cancelled.delete(id)) send({ id })
      else
        try {
          send({ id, answer: await handlers[kind as keyof C](request) })
        } catch (error) {
          send({ id, failure: toFailure(error) })
        }
    }
    isWorking = false
  }

  const send = (reply: Reply) => port.postMessage(reply)
  port.on('message', (request: Request) => {
    take(request)
    if (!isWorking) void work()
  })
  return (message) => send({ message })
}

/** An error as a message between threads. A copied Error would lose its class, its codes and its details. */
export interface Failure {
  name: string
  message: string
  stack: string
  /** The fields of a DocsearchError, and the codes of errors of Node and SQLite. */
  fields: { code?: unknown; errcode?: unknown; details?: Record<string, unknown>; retryAfter?: number | undefined }
  cause: Failure | undefined
}

/** Returns an error as a message. */
export function toFailure(error: unknown): Failure {
  const { name, message, stack = '', cause, ...rest } = error instanceof Error ? error : new Error(String(error))
  const { code, errcode, details, retryAfter } = rest as Failure['fields']
  const isKnown = error instanceof DocsearchError
  return {
    name,
    message,
    stack,
    fields: {
      ...(code !== undefined && { code }),
      ...(errcode !== undefined && { errcode }),
      ...(isKnown && { details, retryAfter }),
    },
    cause: cause === undefined ? undefined : toFailure(cause),
  }
}

/** Returns the error of a message: a DocsearchError, or an Error with the same name, message, stack and codes. */
export function toError({ name, message, stack, fields, cause }: Failure): Error {
  const { code, details, retryAfter } = fields
  const options = cause === undefined ? {} : { cause: toError(cause) }
  if (details !== undefined && typeof code === 'string' && isErrorCode(code))
    return Object.assign(
      new DocsearchError(code, message, { ...options, details, ...(retryAfter !== undefined && { retryAfter }) }),
      { stack },
    )
  return Object.assign(new Error(message, options), { name, stack, ...fields })
}
