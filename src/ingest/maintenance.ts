import type { IngestOptions } from './context.ts'
import type { Load } from './load.ts'
import { OptimiseSchedule } from './optimise-schedule.ts'
import type { Reconciler } from './reconciler.ts'

/** A burst of uploads is over when nothing has been committed for this long and no document is in work. */
const QUIET_MS = 2_000
const RETRY_MS = 30_000
const SWEEP_MS = 6 * 3_600_000
/** A user who deletes wants the space. But a sweep looks at every original, which is too much for each deletion. */
const SWEEP_SOON_MS = 60_000

export interface MaintenanceParts extends Pick<IngestOptions, 'records' | 'blobs' | 'lifecycle' | 'log'> {
  reconciler: Pick<Reconciler, 'forget'>
  /** Optimising would hold up the documents in work. */
  load: Pick<Load, 'inWork'>
  /** Runs `work` while nothing else writes to an index. */
  exclusive: <T>(work: () => Promise<T>) => Promise<T>
}

/** Keeps the index fast, and index, events and originals small. Nothing waits for it, and its failures cost only disk space. */
export class Maintenance {
  #state: 'running' | 'stopped' = 'running'
  #isOptimising = false
  readonly #schedule = new OptimiseSchedule(performance.now())
  readonly #timers: Partial<Record<'quiet' | 'retry' | 'sweepSoon' | 'sweep', NodeJS.Timeout>> = {}
  readonly #parts: MaintenanceParts

  constructor(parts: MaintenanceParts) {
    this.#parts = parts
  }

  /** Also cleans up what the last run left behind. */
  start(): void {
    this.#optimiseWhenQuiet()
    this.#sweep()
    this.#timers.sweep = setInterval(() => this.#sweep(), SWEEP_MS)
    this.#timers.sweep.unref()
  }

  stop(): void {
    this.#state = 'stopped'
    for (const timer of Object.values(this.#timers)) clearTimeout(timer)
  }

  /** Passages were committed. */
  committed(passages: number): void {
    if (this.#schedule.committed(passages, performance.now())) this.#optimise()
    this.#optimiseWhenQuiet()
  }

  /** Documents were deleted: their originals can go too. */
  deleted(): void {
    if (this.#state === 'stopped' || this.#timers.sweepSoon !== undefined) return
    this.#timers.sweepSoon = setTimeout(() => {
      delete this.#timers.sweepSoon
      this.#sweep()
    }, SWEEP_SOON_MS)
    this.#timers.sweepSoon.unref()
  }

  /** Deletes documents from the index later, because that failed now. */
  retryForget(): void {
    if (this.#state === 'stopped') return
    clearTimeout(this.#timers.retry)
    this.#timers.retry = setTimeout(() => {
      this.#parts.reconciler.forget().catch((error: unknown) => {
        this.#logFailure('deleting documents from the index', error)
        this.retryForget()
      })
    }, RETRY_MS)
    this.#timers.retry.unref()
  }

  #optimiseWhenQuiet(): void {
    clearTimeout(this.#timers.quiet)
    this.#timers.quiet = setTimeout(() => {
      if (this.#parts.load.inWork > 0 && !this.#schedule.isDue(performance.now())) this.#optimiseWhenQuiet()
      else this.#optimise()
    }, QUIET_MS)
    this.#timers.quiet.unref()
  }

  #optimise(): void {
    this.#schedule.begun()
    if (this.#isOptimising) return
    this.#isOptimising = true
    this.#parts
      .exclusive(() => this.#optimiseNow())
      .catch((error: unknown) => this.#logFailure('optimising the index', error))
      .finally(() => (this.#isOptimising = false))
  }

  async #optimiseNow(): Promise<void> {
    const { lifecycle, records } = this.#parts
    if (this.#state === 'stopped') return
    const startedAt = performance.now()
    await lifecycle.active()?.index.optimize()
    await records.events.trim()
    this.#schedule.ended(startedAt, performance.now())
  }

  #sweep(): void {
    const { blobs, records, log } = this.#parts
    blobs
      .sweep((sha256) => records.documents.isBlobReferenced(sha256))
      .then((count) => count > 0 && log.info({ count }, 'deleted originals without a document'))
      .catch((error: unknown) => this.#logFailure('deleting originals without a document', error))
  }

  #logFailure(what: string, error: unknown): void {
    if (this.#state === 'running') this.#parts.log.warn({ err: error }, `${what} failed; trying again later`)
  }
}
