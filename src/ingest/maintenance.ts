import type { IngestOptions } from './context.ts'
import type { Reconciler } from './recovery.ts'
import type { IndexWriter } from './writer.ts'

/** A burst is over when nothing has been committed for so long. */
const QUIET_MS = 2_000
/** In a long one the index is tended in between, or searches would scan ever more rows that are in no index. */
const CHUNKS_BETWEEN = 20_000
const RETRY_MS = 30_000
const SWEEP_MS = 6 * 3_600_000

export interface Maintenance {
  start(): void
  committed(chunks: number): void
  /** A deletion could not reach the index. */
  retryForget(): void
  stop(): void
}

/** What keeps index, events and originals small. Nothing waits for it, and its failures cost nothing but room. */
export function createMaintenance(options: IngestOptions, writer: () => IndexWriter, reconciler: () => Reconciler): Maintenance {
  const { records, blobs, engine, log } = options
  let quiet: NodeJS.Timeout | undefined
  let retry: NodeJS.Timeout | undefined
  let sweeping: NodeJS.Timeout | undefined
  let untended = 0
  let stopped = false

  const logged = (what: string) => (error: unknown) => {
    if (!stopped) log.warn({ err: error }, `${what} did not succeed and is tried again later`)
  }

  function tend(): void {
    untended = 0
    writer()
      .exclusive(async () => {
        if (stopped) return
        await engine.current()?.index.optimize()
        await records.events.trim()
      })
      .catch(logged('tending the index'))
  }

  function soon(): void {
    clearTimeout(quiet)
    quiet = setTimeout(tend, QUIET_MS)
    quiet.unref()
  }

  function sweep(): void {
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
      untended += chunks
      if (untended >= CHUNKS_BETWEEN) tend()
      soon()
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
      for (const timer of [quiet, retry, sweeping]) clearTimeout(timer)
    },
  }
}
