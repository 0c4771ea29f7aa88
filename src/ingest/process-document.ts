import { type ErrorCode, isDocsearchError } from '../core/errors.ts'
import type { Retries } from '../core/retries.ts'
import type { Telemetry } from '../core/telemetry.ts'
import type { Lifecycle } from '../lifecycle/lifecycle.ts'
import { IndexChanged, whileCurrent } from '../lifecycle/while-current.ts'
import type { QueuedDocument } from '../records/queue.ts'
import type { IngestOptions } from './context.ts'
import type { Extracted, Steps } from './steps.ts'
import type { Load } from './load.ts'

/**
 * A document is given up after the daemon has died this often while working on it, without a step of progress in between. Such documents are
 * claimed after all others, so that a daemon killed for other reasons hardly ever counts against one.
 */
const MAX_ATTEMPTS = 10

export interface ProcessParts extends Pick<IngestOptions, 'records' | 'log'> {
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
export async function processDocument(job: QueuedDocument, parts: ProcessParts): Promise<void> {
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
