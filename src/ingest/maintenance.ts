import { BackgroundTask } from '../core/background-task.ts'
import { killPoint } from '../core/kill-point.ts'
import type { Lifecycle } from '../lifecycle/lifecycle.ts'
import type { IngestOptions } from './ingest.ts'
import type { Reconciler } from './reconciler.ts'

/** How long after a change the index is optimised, so that all changes of a burst share one optimisation. */
const OPTIMISE_AFTER_MS = 15_000
/** Optimisations take at most this share of the time. */
const MAX_SHARE = 1 / 20
const SWEEP_MS = 6 * 3_600_000
/** A user who deletes wants the space. But a sweep looks at every original, which is too much for each deletion. */
const SWEEP_SOON_MS = 60_000
const DAY_MS = 86_400_000
const PURGED_AT_ONCE = 500

export interface MaintenanceParts extends Pick<IngestOptions, 'records' | 'blobs' | 'trashDays' | 'clock' | 'log'> {
  lifecycle: Pick<Lifecycle, 'active'>
  reconciler: Pick<Reconciler, 'forget'>
}

/** Keeps index, events and originals small, in the background: commits, deletions and searches go on meanwhile. */
export class Maintenance {
  #isStopped = false
  #optimisationMs = 0
  readonly #timers: Partial<Record<'optimise' | 'sweepSoon' | 'sweep', NodeJS.Timeout>> = {}
  readonly #optimising = this.#task('optimising the index', () => this.#optimise())
  readonly #forgetting = this.#task('deleting documents from the index', () => this.#parts.reconciler.forget())
  readonly #noticing = this.#task('deleting documents from the index', () => this.#forgetDeleted())
  readonly #sweeping = this.#task('deleting originals without a document', () => this.#sweep())
  readonly #parts: MaintenanceParts

  constructor(parts: MaintenanceParts) {
    this.#parts = parts
  }

  /** Also cleans up what the last run left behind. */
  start(): void {
    this.#optimiseSoon()
    this.#sweeping.start()
    // An optimisation leaves recent files, because searches may still read them. A later one deletes them.
    this.#timers.sweep = setInterval(() => {
      this.#optimiseSoon()
      this.#sweeping.start()
    }, SWEEP_MS)
    this.#timers.sweep.unref()
  }

  /** Resolves when the upkeep in progress has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    for (const timer of Object.values(this.#timers)) clearTimeout(timer)
    await Promise.all([this.#optimising, this.#forgetting, this.#noticing, this.#sweeping].map((task) => task.stop()))
  }

  /** Passages were committed. */
  committed(): void {
    this.#optimiseSoon()
  }

  /** Called after documents were deleted. Compacts the files of their passages and deletes their originals. */
  deleted(): void {
    this.#optimiseSoon()
    this.#after('sweepSoon', SWEEP_SOON_MS, () => this.#sweeping.start())
  }

  /** Deletes documents from the index after this has failed. Repeats it until it succeeds. */
  retryForget(): void {
    this.#forgetting.start()
  }

  /** Other processes may have deleted documents. Searches already hide these documents, so this is not urgent. */
  notice(): void {
    this.#noticing.start()
  }

  async #forgetDeleted(): Promise<void> {
    const { records, reconciler } = this.#parts
    if ((await records.queue.tombstones()).length === 0) return
    await reconciler.forget()
    this.deleted()
  }

  #optimiseSoon(): void {
    const pause = Math.max(OPTIMISE_AFTER_MS, this.#optimisationMs / MAX_SHARE)
    this.#after('optimise', pause, () => this.#optimising.start())
  }

  /** Does nothing while the timer is running. */
  #after(name: 'optimise' | 'sweepSoon', ms: number, work: () => void): void {
    if (this.#isStopped || this.#timers[name] !== undefined) return
    this.#timers[name] = setTimeout(() => {
      delete this.#timers[name]
      work()
    }, ms)
    this.#timers[name].unref()
  }

  async #optimise(): Promise<void> {
    const { lifecycle, records } = this.#parts
    const startedAt = performance.now()
    await lifecycle.active()?.index.optimize()
    this.#optimisationMs = performance.now() - startedAt
    await records.events.trim()
  }

  async #sweep(): Promise<void> {
    const { blobs, records, log } = this.#parts
    const purged = await this.#purgeTrash()
    if (purged > 0) log.info({ documents: purged }, 'deleted documents that were in the trash for long enough')
    const count = await blobs.sweep(async (sha256) => {
      // In this order: a backup that begins in between copies a database that does not refer to the original either.
      return (await records.documents.isBlobReferenced(sha256)) || (await records.backups.isRunning())
    })
    if (count > 0) log.info({ count }, 'deleted originals without a document')
  }

  /** Returns how many documents it deleted. Takes some at a time, so that others can write in between. */
  async #purgeTrash(): Promise<number> {
    const { records, clock, trashDays = 0 } = this.#parts
    const before = new Date(clock.now().getTime() - trashDays * DAY_MS)
    let count = 0
    for (let more = PURGED_AT_ONCE; more === PURGED_AT_ONCE && !this.#isStopped; count += more) {
      more = await records.trash.purge(before, PURGED_AT_ONCE)
      if (more > 0) killPoint('purge')
    }
    return count
  }

  #task(what: string, work: () => Promise<void>): BackgroundTask {
    const onFailure = (error: unknown) => this.#parts.log.warn({ err: error }, `${what} failed; trying again later`)
    return new BackgroundTask({ work, onFailure })
  }
}
