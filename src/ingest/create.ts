import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { killPoint } from '../core/kill-point.ts'
import { createAccept } from './accept.ts'
import { createBatcher } from './batcher.ts'
import { createBuilder } from './builder.ts'
import type { IngestOptions } from './context.ts'
import type { Ingest } from './ingest.ts'
import { createSteps } from './job.ts'
import { createMaintenance } from './maintenance.ts'
import { createPatience } from './patience.ts'
import { createPrepareThreads } from './prepare/threads.ts'
import { createReconciler } from './recovery.ts'
import { createSettled } from './settled.ts'
import { createWorker } from './worker.ts'
import { createIndexWriter } from './writer.ts'

/** A deletion waits for the index so long, in case a full disk or a long optimisation is in its way. */
const FORGET_MS = 2_000

/** Wires the parts of ingest: accept → queue → worker (extract, prepare, embed) → writer, with recovery and maintenance beside them. */
export function createIngest(options: IngestOptions): Ingest {
  const { records, lifecycle, log } = options
  const stopping = new AbortController()
  const patience = createPatience(log, stopping.signal)
  const maintenance = createMaintenance(options, {
    writer: () => writer,
    reconciler: () => reconciler,
    inWork: () => worker.inWork(),
  })
  const writer = createIndexWriter(options, {
    patience,
    inWork: () => worker.inWork(),
    onCommit: (chunks) => maintenance.committed(chunks),
  })
  const reconciler = createReconciler(options, writer)
  // One keeps up with about four parsers.
  const threads = createPrepareThreads(Math.ceil((options.parseWorkers ?? availableParallelism()) / 4))
  const steps = createSteps(options, { patience, threads, batcher: createBatcher(patience), writer })
  const worker = createWorker({ ...options, patience, steps, stopping, onFailed: forgetSoon })
  const builder = createBuilder(options, { threads, writer, waits: () => patience.reason() !== null })
  let unsubscribe: () => void = () => {}

  /** A document without a row is hidden from every search already; the index follows, at the latest when what holds it up is over. */
  async function forget(): Promise<void> {
    try {
      await Promise.race([reconciler.forget(), sleep(FORGET_MS, undefined, { ref: false })])
    } catch (error) {
      log.warn({ err: error }, 'deleted documents are still in the index; they are hidden and taken out later')
      maintenance.retryForget()
    }
  }

  /** Many at once were deleted; their number, or null when there was nothing to delete. */
  async function gone(deleted: { documentIds: string[] } | null): Promise<number | null> {
    if (deleted === null) return null
    killPoint('delete')
    await forget()
    maintenance.deleted()
    return deleted.documentIds.length
  }

  function forgetSoon(): void {
    // It reports its failures itself.
    void forget()
  }

  function onLifecycleChange(): void {
    reconciler
      .reconcile()
      .catch((error: unknown) => log.error({ err: error }, 'index and records could not be compared'))
      .finally(() => worker.nudge())
  }

  return {
    async start() {
      const interrupted = await records.queue.recover()
      if (interrupted > 0) log.info({ documents: interrupted }, 'documents in work when the daemon ended go on')
      await reconciler.reconcile()
      unsubscribe = lifecycle.onChange(onLifecycleChange)
      maintenance.start()
      worker.start()
      builder.start()
    },
    async stop(graceMs) {
      unsubscribe()
      maintenance.stop()
      await Promise.all([worker.stop(graceMs), builder.stop()])
      // Index and records may just be compared: an index that is read cannot be closed.
      await Promise.race([writer.exclusive(async () => {}), sleep(graceMs / 2, undefined, { ref: false })])
      await threads.close()
    },
    accept: createAccept(options, () => worker.nudge()),
    async deleteDocument(ownerId, id) {
      if (!(await records.documents.delete(ownerId, id))) return false
      killPoint('delete')
      await forget()
      maintenance.deleted()
      return true
    },
    deleteProject: async (ownerId, id) => gone(await records.projects.delete(ownerId, id)),
    deleteUser: async (id) => gone(await records.users.delete(id)),
    async reprocess(ownerId, id) {
      const document = await records.documents.requeue(ownerId, id)
      if (document) worker.nudge()
      return document
    },
    settled: createSettled(records),
    change: () => ({ reason: builder.reason() }),
    async status() {
      const { queued, processing, failed } = await records.queue.counts()
      const held = patience.reason() ?? (lifecycle.active()?.embedder.canEmbed ? null : lifecycle.choice().reason)
      const stands = held !== null && queued + processing > 0
      const message = stands
        ? `Processing waits: ${held}`
        : queued + processing > 0
          ? `${queued} documents wait, ${processing} are worked on.`
          : 'Nothing waits.'
      return { status: stands ? 'degraded' : 'ok', message, queued, processing, failed }
    },
  }
}
