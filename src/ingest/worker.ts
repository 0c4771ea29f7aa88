import { setTimeout as sleep } from 'node:timers/promises'
import type { Queue, QueuedDocument } from '../records/queue.ts'
import { processDocument, type ProcessParts } from './process-document.ts'

export interface WorkerParts extends Omit<ProcessParts, 'stopping' | 'aborting' | 'onRoom'> {
  claim: Queue['claim']
  /** Aborted by `stop`. `retries` has to end with it. */
  stopping: AbortController
}

/**
 * `idle`: nothing to claim, or no room. `claiming`: taking documents from the queue. `draining`: claims nothing more; the documents in progress end.
 * `stopped` is final.
 */
export type WorkerState = 'idle' | 'claiming' | 'draining' | 'stopped'

/** Takes documents from the queue and processes each. Parsers stay busy while passages are embedded and committed. */
export class Worker {
  #state: WorkerState = 'idle'
  /** Nudged while claiming: claim once more. */
  #isNudged = false
  #timer: NodeJS.Timeout | undefined
  /** The documents in progress. */
  readonly #running = new Map<QueuedDocument, Promise<void>>()
  /**
   * True when this process may have claimed documents that it does not work on. The answer to a claim can get lost, and an earlier worker may have
   * ended while the database did not answer.
   */
  #mayHaveLost = true
  readonly #aborting = new AbortController()
  readonly #parts: WorkerParts
  readonly #process: ProcessParts

  constructor(parts: WorkerParts) {
    this.#parts = parts
    const { signal: stopping } = parts.stopping
    this.#process = { ...parts, stopping, aborting: this.#aborting.signal, onRoom: () => this.nudge() }
  }

  get state(): WorkerState {
    return this.#state
  }

  /** Claims documents if there is room: some may be in the queue. */
  nudge(): void {
    if (this.#state === 'claiming') this.#isNudged = true
    if (this.#state !== 'idle') return
    this.#state = 'claiming'
    void this.#claim()
  }

  /** Never rejects. */
  async #claim(): Promise<void> {
    do {
      this.#isNudged = false
      try {
        await this.#claimWhileRoom()
      } catch (error) {
        if (this.#isClaiming()) this.#parts.log.error({ err: error }, 'the queue could not be read')
      }
    } while (this.#isNudged && this.#isClaiming())
    if (this.#isClaiming()) this.#state = 'idle'
  }

  // The state changes while #claim awaits, which TypeScript does not see in a comparison.
  #isClaiming(): boolean {
    return this.#state === 'claiming'
  }

  async #claimWhileRoom(): Promise<void> {
    clearTimeout(this.#timer)
    const { load } = this.#parts
    while (this.#isClaiming() && load.room > 0) if (!(await this.#claimSome(load.room))) return
    // One at a time, because an owner is a newcomer only until their first document is in progress.
    while (this.#isClaiming() && load.room === 0 && load.roomForNewcomers > 0)
      if (!(await this.#claimSome(1, { except: load.owners }))) return
  }

  /** Returns false when there is nothing to claim. */
  async #claimSome(limit: number, options?: { except: readonly string[] }): Promise<boolean> {
    const { claim, records, retries, log } = this.#parts
    const jobs = await retries.run(async () => {
      if (this.#mayHaveLost) {
        const documents = await records.queue.requeueLost([...this.#running.keys()].map(({ documentId }) => documentId))
        if (documents > 0) log.warn({ documents }, 'continuing with documents that were claimed but not processed')
      }
      this.#mayHaveLost = true
      const jobs = await claim(limit, options)
      this.#mayHaveLost = false
      return jobs
    })
    for (const job of jobs) this.#begin(job)
    return jobs.length > 0
  }

  #begin(job: QueuedDocument): void {
    const run = this.#parts.load
      .working(job.document.ownerId, () => processDocument(job, this.#process))
      .finally(() => {
        this.#running.delete(job)
        this.nudge()
      })
    this.#running.set(job, run)
  }

  /** Waits for the documents in progress for half of the time, then puts the rest back into the queue. */
  async stop(graceMs: number): Promise<void> {
    const { retries, stopping, log } = this.#parts
    const isStuck = retries.reason() !== null
    this.#state = 'draining'
    stopping.abort(new Error('the daemon is stopping'))
    clearTimeout(this.#timer)
    if (isStuck || !(await this.#endWithin(graceMs / 2))) {
      this.#aborting.abort(stopping.signal.reason)
      if (!(await this.#endWithin(graceMs / 2)))
        log.warn(
          { documents: this.#running.size },
          'stopped while documents were being processed; they continue at the next start',
        )
    }
    this.#state = 'stopped'
  }

  #endWithin(ms: number): Promise<boolean> {
    const allEnded = Promise.all(this.#running.values()).then(() => true)
    return Promise.race([allEnded, sleep(ms, false, { ref: false })])
  }
}
