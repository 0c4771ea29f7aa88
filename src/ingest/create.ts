import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import { createRetries } from '../core/retries.ts'
import { noTelemetry } from '../core/telemetry.ts'
import { Builder } from '../lifecycle/builder.ts'
import type { Queue } from '../records/queue.ts'
import { createAccept } from './accept.ts'
import { Batcher } from './batcher.ts'
import { Deletions } from './deletions.ts'
import { Edits } from './edits.ts'
import type { Ingest, IngestOptions } from './ingest.ts'
import { Load } from './load.ts'
import { Maintenance } from './maintenance.ts'
import { createPreparePassages } from './passages.ts'
import { PrepareThreads } from './prepare/threads.ts'
import { createSettled, describeQueue } from './progress.ts'
import { Reconciler } from './reconciler.ts'
import { createSteps } from './steps.ts'
import { indexInto, Worker } from './worker.ts'
import { IndexWriter } from './writer.ts'

/** Wires the parts: accept → queue → worker (extract, prepare, embed) → writer, with recovery, maintenance and the builder of a new index. */
export function createIngest(options: IngestOptions): Ingest {
  const { records, lifecycle, quotas, log, telemetry = noTelemetry } = options
  const stopping = new AbortController()
  const [retries, load] = [createRetries(log, stopping.signal), new Load(options.parserPool.capacity)]
  /** Everything that writes to an index takes its turn here. */
  const exclusive = pLimit(1)
  const reconciler = new Reconciler({ ...options, exclusive })
  const maintenance = new Maintenance({ ...options, reconciler })
  const deletions = new Deletions({ ...options, reconciler, maintenance })
  const toCommit = { records, lifecycle, quotas, log, telemetry, retries, load, exclusive }
  const writer = new IndexWriter({ ...toCommit, onCommit: () => maintenance.committed() })
  // One thread keeps up with about four parsers.
  const threads = new PrepareThreads(Math.ceil((options.parseWorkers ?? availableParallelism()) / 4))
  const preparePassages = createPreparePassages({ records, threads, batcher: new Batcher(retries) })
  const steps = createSteps(options, { retries, preparePassages, writer, telemetry })
  const edits = new Edits({ records, lifecycle, log, quotas, preparePassages, exclusive, stopping: stopping.signal })
  const onFailed = () => void deletions.forget()
  const claiming = { claim: claimFrom(options), extract: steps.extract, index: indexInto(lifecycle, steps) }
  const worker = new Worker({ records, log, telemetry, retries, load, stopping, onFailed, ...claiming })
  const builder = newBuilder(options, { threads, exclusive, areUploadsStuck: () => retries.reason() !== null })
  let unsubscribe: () => void = () => {}
  let unwatch: () => void = () => {}

  function watchActiveIndex(): void {
    unwatch()
    unwatch = lifecycle.active()?.index.onDamage(reconcile) ?? (() => {})
  }

  /** Also rebuilds a damaged index. */
  function reconcile(): void {
    reconciler
      .reconcile()
      .catch((error: unknown) => log.error({ err: error }, 'index and records could not be compared'))
      .finally(() => worker.nudge())
  }

  /** Begins to work on a document that may have been queued. The deletion of a message can queue its replies. */
  function worked<T>(result: T): T {
    worker.nudge()
    return result
  }

  return {
    async start() {
      const interrupted = await records.queue.recover()
      if (interrupted > 0)
        log.info({ documents: interrupted }, 'continuing with documents that were being processed when the server stopped')
      watchActiveIndex()
      await reconciler.reconcile()
      unsubscribe = lifecycle.onChange(() => {
        watchActiveIndex()
        reconcile()
      })
      maintenance.start()
      worker.nudge()
      builder.start()
    },
    async stop(graceMs) {
      unsubscribe()
      unwatch()
      const upkeep = maintenance.stop()
      await Promise.all([worker.stop(graceMs), builder.stop()])
      // An index can't be closed while it is read, for example by the reconciler.
      await Promise.race([Promise.all([exclusive(async () => {}), upkeep]), sleep(graceMs / 2, undefined, { ref: false })])
      await threads.close()
    },
    accept: createAccept(options, () => worker.nudge()),
    ...changesOf({ records, deletions, edits, worked }),
    notice() {
      worker.nudge()
      maintenance.notice()
    },
    repairIndex: (damage) => reconciler.repair(damage).finally(() => worker.nudge()),
    scrubIndex: async (onRead) => worked(await reconciler.scrub(onRead)),
    settled: createSettled(records),
    waitReasons: async () => ({ documents: retries.reason(), build: builder.reason() }),
    status: (projects) => describeQueue(options, retries.reason(), projects),
  }
}

type Changes = Pick<Ingest, 'deleteDocument' | 'restore' | 'finishMany' | 'deleteProject' | 'deleteUser' | 'edit' | 'reprocess'>

/** The changes that users make. Calls `worked` after each change that can queue documents. */
function changesOf({
  records,
  deletions,
  edits,
  worked,
}: Pick<IngestOptions, 'records'> & { deletions: Deletions; edits: Edits; worked: <T>(result: T) => T }): Changes {
  return {
    deleteDocument: async (projects, id, options) => worked(await deletions.deleteDocument(projects, id, options)),
    restore: async (projects, id, many) => worked(await deletions.restore(projects, id, many)),
    finishMany: () => deletions.finishMany(),
    deleteProject: (id) => deletions.deleteProject(id),
    deleteUser: (id) => deletions.deleteUser(id),
    edit: async (projects, id, change) => worked(await edits.edit(projects, id, change)),
    reprocess: async (projects, id) => worked(await records.documents.requeue(projects, id)),
  }
}

/** Returns how to claim documents. Documents that other processes have read come first, because they need no parser. */
function claimFrom({ records, handedOver }: IngestOptions): Queue['claim'] {
  if (handedOver === undefined) return (limit, options) => records.queue.claim(limit, options)
  return async (limit, options) => {
    const read = options?.except === undefined ? await handedOver.takeOver(limit) : []
    return read.length > 0 ? read : records.queue.claim(limit, options)
  }
}

/**
 * Returns the builder of a new index. It has retries and batches of its own, so an unavailable Ollama delays the new index but no upload. The
 * new index takes turns with the users, as if one user owned all its documents.
 */
function newBuilder(
  { records, lifecycle, log }: IngestOptions,
  {
    threads,
    ...rest
  }: { threads: PrepareThreads } & Pick<ConstructorParameters<typeof Builder>[0], 'exclusive' | 'areUploadsStuck'>,
): Builder {
  const stopping = new AbortController()
  const retries = createRetries(log, stopping.signal)
  const preparePassages = createPreparePassages({ records, threads, batcher: new Batcher(retries), inTurnAs: 'the new index' })
  return new Builder({ records, lifecycle, log, retries, stopping, preparePassages, ...rest })
}
