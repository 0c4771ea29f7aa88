import { type CallOutcome, noTelemetry, type Telemetry } from '../core/telemetry.ts'
import { TurnQueue } from '../core/turns.ts'

/**
 * What a call is for. A user waits for a `query` (its vector) and for a `rerank` (the scores of the passages that it found). Nobody waits for a
 * `batch` of passages.
 */
export type CallKind = 'query' | 'rerank' | 'batch'

/** `searching` while calls of searches run, `embedding` while a batch runs, `both` when a search came during a batch. */
export type QueueState = 'idle' | 'searching' | 'embedding' | 'both'

export interface Caller {
  kind: CallKind
  /** Users take turns. */
  user: string
  /** Withdraws a call that waits. A call that runs gets the signal from its caller. */
  signal: AbortSignal
}

interface Patience {
  /** When searches never pause, or one is never answered, a batch gets its turn after this long. */
  batchWaitMs: number
  /** A batch that runs longer no longer holds up the next one, so that a model that hangs holds up no other model. */
  batchRunMs: number
}

export interface CallQueueOptions extends Partial<Patience> {
  telemetry?: Telemetry
  /** Replaces the clock in tests. In milliseconds. */
  now?: () => number
}

interface Waiting {
  since: number
  start: () => void
}

/**
 * How many calls of a kind run at once. Ollama serves first come, first served, so a call that it has already got can no longer be overtaken.
 * Several queries at once keep the server busy between two answers.
 */
const MAX_RUNNING = { query: 4, rerank: 2, batch: 1 } as const
const PATIENCE: Patience = { batchWaitMs: 2_000, batchRunMs: 10_000 }

/**
 * Decides which call an Ollama server gets next. All calls that make a server compute go through the queue of that server, for every model, so
 * that searches go first: no batch starts while a search waits or runs. A search never waits for a batch here, because at the server it is
 * next in line, or next to it when the models differ.
 */
export class CallQueue {
  readonly #waiting = { query: new TurnQueue<Waiting>(), rerank: new TurnQueue<Waiting>(), batch: new TurnQueue<Waiting>() }
  readonly #running = { query: 0, rerank: 0, batch: 0 }
  readonly #patience: Patience
  readonly #now: () => number
  readonly #telemetry: Telemetry

  constructor({ telemetry = noTelemetry, now = () => performance.now(), ...patience }: CallQueueOptions = {}) {
    this.#patience = { ...PATIENCE, ...patience }
    this.#now = now
    this.#telemetry = telemetry
  }

  get state(): QueueState {
    const { query, rerank, batch } = this.#running
    if (query + rerank === 0) return batch === 0 ? 'idle' : 'embedding'
    return batch === 0 ? 'searching' : 'both'
  }

  /** Runs a call when it is its turn. Rejects with the signal's reason when that aborts before. */
  async run<T>({ kind, user, signal }: Caller, call: () => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    const asked = performance.now()
    await this.#turn(kind, user, signal)
    const began = performance.now()
    let outcome: CallOutcome = 'failed'
    let isCounted = true
    const end = () => {
      if (isCounted) this.#running[kind]--
      isCounted = false
      this.#startNext()
    }
    const late = kind === 'batch' ? setTimeout(end, this.#patience.batchRunMs).unref() : undefined
    try {
      const answer = await this.#telemetry.trace({ name: `ollama.${kind}`, kind: 'client' }, call)
      outcome = 'ok'
      return answer
    } finally {
      clearTimeout(late)
      end()
      if (outcome !== 'ok' && signal.aborted) outcome = 'aborted'
      const [waitedSeconds, seconds] = [(began - asked) / 1000, (performance.now() - began) / 1000]
      this.#telemetry.note({ type: 'ollama_call', kind, outcome, waitedSeconds, seconds })
    }
  }

  /** How many calls of each kind wait for their turn. */
  get waiting(): Readonly<Record<CallKind, number>> {
    const { query, rerank, batch } = this.#waiting
    return { query: query.length, rerank: rerank.length, batch: batch.length }
  }

  async #turn(kind: CallKind, user: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting: Waiting = { since: this.#now(), start: resolve }
    const withdraw = () => {
      // A search that no longer waits may be what a batch waits for.
      if (this.#waiting[kind].remove(waiting)) this.#startNext()
      reject(signal.reason)
    }
    signal.addEventListener('abort', withdraw, { once: true })
    this.#waiting[kind].push(user, waiting)
    this.#startNext()
    // Timers can be a little early.
    const late = kind === 'batch' ? setTimeout(() => this.#startNext(), this.#patience.batchWaitMs + 5).unref() : undefined
    try {
      await promise
    } finally {
      clearTimeout(late)
      signal.removeEventListener('abort', withdraw)
    }
  }

  #startNext(): void {
    for (const kind of ['query', 'rerank', 'batch'] as const)
      while (this.#waiting[kind].length > 0 && this.#mayStart(kind)) {
        this.#running[kind]++
        this.#waiting[kind].shift()!.start()
      }
  }

  #mayStart(kind: CallKind): boolean {
    if (this.#running[kind] >= MAX_RUNNING[kind]) return false
    return (
      kind !== 'batch' || !this.#isSearchOpen() || this.#now() - this.#waiting.batch.peek()!.since >= this.#patience.batchWaitMs
    )
  }

  #isSearchOpen(): boolean {
    return [this.#running.query, this.#running.rerank, this.#waiting.query.length, this.#waiting.rerank.length].some(
      (calls) => calls > 0,
    )
  }
}
