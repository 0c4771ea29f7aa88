import type { IngestOptions } from './context.ts'
import type { Reconciler } from './recovery.ts'
import type { IndexWriter } from './writer.ts'

/** A burst is over when nothing has been committed for so long and nothing is in work. */
const QUIET_MS = 2_000
/** In a long one the index is tended in between, or searches would scan ever more rows that are in no index. */
const CHUNKS_BETWEEN = 20_000
/** A trickle that never ends is no burst, nor is a document that stands still: then it is tended now and then, for at most this part of the time. */
const BETWEEN_MS = 15_000
const LARGEST_PART = 1 / 20
const RETRY_MS = 30_000
const SWEEP_MS = 6 * 3_600_000
/** Whoever deletes wants the room; but every original is looked at, which is too much to do for each deletion. */
const SWEEP_SOON_MS = 60_000

export interface Maintenance {
  start(): void
  committed(chunks: number): void
  /** Documents were deleted: their originals follow. */
  deleted(): void
  /** A deletion could not reach the index. */
  retryForget(): void
  stop(): void
}

interface MaintenanceParts {
  writer: () => IndexWriter
  reconciler: () => Reconciler
  /** Documents in work, on whose way the tending would be. */
  inWork: () => number
}

/** What keeps index, events and originals small. Nothing waits for it, and its failures cost nothing but room. */
export function createMaintenance(options: IngestOptions, { writer, reconciler, inWork }: MaintenanceParts): Maintenance {
  const { records, blobs, lifecycle, log } = options
  let quiet: NodeJS.Timeout | undefined
  let retry: NodeJS.Timeout | undefined
  let sweeping: NodeJS.Timeout | undefined
  let sweepingSoon: NodeJS.Timeout | undefined
  let untended = 0
  let tending = false
  let nextAt = performance.now() + BETWEEN_MS
  let stopped = false

  const logged = (what: string) => (error: unknown) => {
    if (!stopped) log.warn({ err: error }, `${what} did not succeed and is tried again later`)
  }

  function tend(): void {
    untended = 0
    if (tending) return
    tending = true
    writer()
      .exclusive(async () => {
        if (stopped) return
        const started = performance.now()
        await lifecycle.active()?.index.optimize()
        await records.events.trim()
        const ended = performance.now()
        nextAt = ended + Math.max(BETWEEN_MS, (ended - started) / LARGEST_PART)
      })
      .catch(logged('tending the index'))
      .finally(() => (tending = false))
  }

  function soon(): void {
    clearTimeout(quiet)
    quiet = setTimeout(() => (inWork() > 0 && performance.now() < nextAt ? soon() : tend()), QUIET_MS)
    quiet.unref()
  }

  function sweep(): void {
    sweepingSoon = undefined
    blobs
      .sweep((sha256) => records.documents.isBlobReferenced(sha256))
      .then((count) => count > 0 && log.info({ count }, 'originals without a document removed'))
      .catch(logged('removing originals without a document'))
  }

  return {
    start() {
      // Also what the last run left behind.
      soon()
      sweep()
      sweeping = setInterval(sweep, SWEEP_MS)
      sweeping.unref()
    },
    committed(chunks) {
      // After a rest the clock starts with the first commit: a burst is not interrupted at its beginning.
      if (untended === 0) nextAt = Math.max(nextAt, performance.now() + BETWEEN_MS)
      untended += chunks
      if (untended >= CHUNKS_BETWEEN || performance.now() >= nextAt) tend()
      soon()
    },
    deleted() {
      if (stopped || sweepingSoon !== undefined) return
      sweepingSoon = setTimeout(sweep, SWEEP_SOON_MS)
      sweepingSoon.unref()
    },
    retryForget() {
      if (stopped) return
      clearTimeout(retry)
      retry = setTimeout(() => {
        reconciler()
          .forget()
          .catch((error: unknown) => {
            logged('taking deleted documents out of the index')(error)
            this.retryForget()
          })
      }, RETRY_MS)
      retry.unref()
    },
    stop() {
      stopped = true
      for (const timer of [quiet, retry, sweeping, sweepingSoon]) clearTimeout(timer)
    },
  }
}
