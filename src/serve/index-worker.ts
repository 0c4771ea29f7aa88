import pLimit from 'p-limit'
import { pauseAfter } from '../core/background-task.ts'
import type { Logger } from '../core/logger.ts'
import type { Coordination, HeldLease } from '../records/shared.ts'

/** How often to look for changes of other processes, and for a free lease. */
const LOOK_MS = 1_000
/** How long running work may take to end after the lease is lost. Meanwhile, other processes may already do the same work again. */
const LOST_GRACE_MS = 2_000

/** Work that can be stopped. */
export interface Running {
  /** Looks for changes of other processes. With `restart`, the work must end and begin again. */
  notice(): void | Promise<'restart' | void>
  stop(graceMs: number): Promise<void>
}

export interface IndexWorkerOptions {
  coordination: Pick<Coordination, 'writer'>
  /** Begins to read documents for the process that writes the index. */
  read(): Running
  /** Throws if this process must not write the index. This process has the lease. */
  check?(): Promise<void>
  /** Begins to write the index, and to do the work that only one process may do, under this lease. */
  write(held: HeldLease): Promise<Running>
  log: Logger
}

/** `reading`: another process has the lease. `writing`: this process has it. `stopped` is final. */
export type IndexWorkerState = 'reading' | 'writing' | 'stopped'

/**
 * The work of a process on documents. One process of the instance writes the index; the others read documents for it, and wait for its lease. So
 * another process takes over soon after the writer was killed, frozen or cut off.
 */
export class IndexWorker {
  #state: IndexWorkerState = 'reading'
  #running: Running | null = null
  #timer: NodeJS.Timeout | undefined
  /** How many attempts to become the writer have failed in a row. */
  #failures = 0
  #nextTry = Number.NEGATIVE_INFINITY
  readonly #inTurn = pLimit(1)
  readonly #options: IndexWorkerOptions

  constructor(options: IndexWorkerOptions) {
    this.#options = options
  }

  get state(): IndexWorkerState {
    return this.#state
  }

  /** Resolves when the process reads or writes. */
  async start(): Promise<void> {
    await this.#look()
  }

  async stop(graceMs: number): Promise<void> {
    this.#state = 'stopped'
    clearTimeout(this.#timer)
    await this.#inTurn(async () => {
      await this.#end(graceMs)
      await this.#options.coordination.writer.release()
    })
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    await this.#inTurn(() => this.#lookNow()).catch((error: unknown) =>
      this.#options.log.warn({ err: error }, 'could not read what other processes have changed; trying again'),
    )
    if (!this.#isStopped()) this.#timer = setTimeout(() => void this.#look(), LOOK_MS).unref()
  }

  async #lookNow(): Promise<void> {
    if (this.#isStopped()) return
    // A database that does not answer must not keep this process from reading once it answers again.
    if (this.#running === null) this.#running = this.#options.read()
    if (this.#state === 'reading' && performance.now() >= this.#nextTry) await this.#tryToWrite()
    const running = this.#running
    if ((await running?.notice()) !== 'restart' || running !== this.#running) return
    await this.#end(LOST_GRACE_MS)
    if (this.#isStopped()) return
    // If this process can't begin to write again, it gives up the lease.
    this.#state = 'reading'
    await this.#tryToWrite()
  }

  // The state changes while methods await, which TypeScript does not see in a comparison.
  #isStopped(): boolean {
    return this.#state === 'stopped'
  }

  async #tryToWrite(): Promise<void> {
    const { coordination, check, write, log } = this.#options
    const held = await coordination.writer.tryTake(() => void this.#lost())
    if (held === null) return
    try {
      await check?.()
      await this.#end(LOST_GRACE_MS)
      this.#running = await write(held)
      if (!this.#isStopped()) this.#state = 'writing'
      this.#failures = 0
      log.info({}, 'this process writes the search index now')
    } catch (error) {
      this.#nextTry = performance.now() + pauseAfter(++this.#failures)
      await coordination.writer.release()
      log.warn({ err: error }, 'this process cannot write the search index; trying again later')
    }
  }

  /** Another process may write by now. */
  async #lost(): Promise<void> {
    await this.#inTurn(async () => {
      if (this.#isStopped()) return
      this.#state = 'reading'
      await this.#end(LOST_GRACE_MS)
      this.#options.log.warn({}, 'another process writes the search index from now on')
    }).catch((error: unknown) => this.#options.log.error({ err: error }, 'could not stop writing the index'))
  }

  async #end(graceMs: number): Promise<void> {
    const running = this.#running
    this.#running = null
    await running?.stop(graceMs)
  }
}
