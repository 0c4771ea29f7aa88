import { setTimeout as sleep } from 'node:timers/promises'
import { type ErrorCode, isDocsearchError } from '../core/errors.ts'
import type { Retries } from '../core/retries.ts'
import type { Telemetry } from '../core/telemetry.ts'
import { type Lifecycle, IndexChanged, whileCurrent } from '../lifecycle/lifecycle.ts'
import type { Queue, QueuedDocument } from '../records/queue.ts'
import type { IngestOptions } from './ingest.ts'
import type { Load } from './load.ts'
import type { Extracted, Steps } from './steps.ts'

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

/**
 * A document is given up after the daemon has died this often while working on it, without a step of progress in between. Such documents are
 * claimed after all others, so that a daemon killed for other reasons hardly ever counts against one.
 */
const MAX_ATTEMPTS = 10

interface ProcessParts extends Pick<IngestOptions, 'records' | 'log'> {
  telemetry: Telemetry
  retries: Retries
  extract: Steps['extract']
  /** Makes an extracted document searchable, or hands it over to the process that does. */
  index: (job: QueuedDocument, extracted: Extracted, signals: { stopping: AbortSignal; aborting: AbortSignal }) => Promise<void>
  load: Load
  /** Aborts when the daemon begins to stop: nothing waits any longer. */
  stopping: AbortSignal
  /** Aborts when the documents in progress have to end as well. */
  aborting: AbortSignal
  /** There may be room for another document. */
  onRoom: () => void
  /** A document has failed: its passages have to leave the index. */
  onFailed: () => void
}

/** Brings one claimed document to its end: ready, failed, or back in the queue. Never rejects. */
async function processDocument(job: QueuedDocument, parts: ProcessParts): Promise<void> {
  const { load, log, stopping, aborting, onRoom, telemetry } = parts
  const started = performance.now()
  try {
    await telemetry.trace({ name: 'ingest.document', attributes: { media_type: job.document.mediaType } }, async () => {
      const extracted = await load.reading(() => extract(job, parts))
      if (extracted === null) return
      await load.indexing(extracted.chars, () => {
        onRoom()
        return parts.index(job, extracted, { stopping, aborting })
      })
    })
    log.debug({ document: job.documentId, took_ms: Math.round(performance.now() - started) }, 'document processed')
  } catch (error) {
    await end(job, error, parts).catch((failure: unknown) => {
      // The document stays `processing`. The next worker puts it back into the queue.
      if (!stopping.aborted) log.error({ err: failure, document: job.documentId }, 'the state of a document could not be written')
    })
  }
}

async function extract(job: QueuedDocument, parts: ProcessParts): Promise<Extracted | null> {
  const { load, aborting, onRoom } = parts
  if (job.attempts < MAX_ATTEMPTS) {
    return parts.extract(job, aborting, (work) =>
      load.aside(() => {
        onRoom()
        return work()
      }),
    )
  }
  const message = `The server crashed ${job.attempts} times while processing this document. Open it in the program that made it, save it again and upload the new file.`
  await fail(job, { code: 'crashed_daemon', message }, parts)
  return null
}

/** Makes the function that writes documents to the active index of this process. */
export function indexInto(lifecycle: Lifecycle, steps: Steps): ProcessParts['index'] {
  return async (job, extracted, { stopping, aborting }) => {
    const target = await lifecycle.waitFor(() => {
      const active = lifecycle.active()
      return active?.embedder.canEmbed ? active : null
    }, stopping)
    const isCurrent = () => lifecycle.active() === target
    await whileCurrent(lifecycle, { isCurrent, signal: aborting }, (signal) => steps.index(job, extracted, target, signal))
  }
}

/** Fails the document, or puts it back into the queue when it was not at fault. */
async function end(job: QueuedDocument, error: unknown, parts: ProcessParts): Promise<void> {
  const { records, retries, log, stopping } = parts
  if (stopping.aborted || error instanceof IndexChanged || isDocsearchError(error, 'writer_replaced')) {
    const release = () => records.queue.release(job, { countAttempt: false })
    // No retries while stopping: the next worker, in this or another process, queues the document in any case.
    await (stopping.aborted ? release() : retries.run(release))
    return
  }
  const known = isDocsearchError(error)
  if (!known || error.fault === 'internal')
    log.error({ err: error, document: job.documentId }, 'a document could not be processed')
  const { code, message } = known
    ? error
    : {
        code: 'internal_error' as const,
        message: 'Internal error while processing this document. See the server log. Reprocess the document after an update.',
      }
  await fail(job, { code, message }, parts)
}

async function fail(job: QueuedDocument, error: { code: ErrorCode; message: string }, parts: ProcessParts): Promise<void> {
  const { records, retries, telemetry, onFailed } = parts
  await retries.run(() => records.queue.fail(job, error))
  telemetry.note({ type: 'document_failed', mediaType: job.document.mediaType, code: error.code })
  onFailed()
}
