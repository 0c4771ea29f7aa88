import type { DocumentRecord } from '../core/model.ts'
import { createRetries } from '../core/retries.ts'
import { noTelemetry } from '../core/telemetry.ts'
import type { IndexReading } from '../lifecycle/lifecycle.ts'
import { TEXT_MEDIA_TYPES } from '../parse/readers.ts'
import type { DocumentChange, ProjectIds } from '../records/records.ts'
import type { SharedQueue, WriterReports } from '../records/shared.ts'
import { createAccept } from './accept.ts'
import type { DeletionOptions, Ingest, IngestOptions } from './ingest.ts'
import { Load } from './load.ts'
import { createSettled, describeQueue } from './progress.ts'
import { createExtract } from './steps.ts'
import { Worker } from './worker.ts'

/** How long an edit waits until searches find the changed document. After that, the answer says that the document is queued. */
const EDIT_MS = 10_000

const NO_WRITER = 'no process writes the index. Start one with --role worker or --role all.'

export interface ForWriterOptions extends Omit<IngestOptions, 'lifecycle'> {
  lifecycle: Pick<IndexReading, 'active' | 'choice'>
  /** Says whether a process writes the index. */
  isWorking(): Promise<boolean>
  /** What the process that writes the index reports about its work. */
  reports: Pick<WriterReports, 'read'>
}

/**
 * The ingest of a process that does not write the index. It changes only the records, and the process that writes the index notices the change. So
 * nothing gets lost between the two processes. Searches hide documents that the records no longer have.
 */
export function createIngestForWriter(options: ForWriterOptions): Ingest {
  const { records, quotas, trashDays = 0 } = options
  const stopping = new AbortController()
  const settled = createSettled(records)

  async function edit(
    projects: ProjectIds,
    id: string,
    change: DocumentChange,
    { isOneOfMany = false }: Pick<DeletionOptions, 'isOneOfMany'> = {},
  ): Promise<DocumentRecord | null> {
    const edited = await records.documents.edit(projects, id, change, null, quotas)
    if (edited === null || isOneOfMany) return edited?.document ?? null
    const now = new Set([edited.document.projectId])
    await settled(now, [id], EDIT_MS, stopping.signal)
    return records.documents.get(now, id)
  }

  async function waitReasons(): ReturnType<Ingest['waitReasons']> {
    if (!(await options.isWorking())) return { documents: NO_WRITER, build: NO_WRITER }
    const report = await options.reports.read()
    return { documents: report?.documentsWaitFor ?? null, build: report?.buildWaitsFor ?? null }
  }

  return {
    async start() {},
    async stop() {
      stopping.abort(new Error('the daemon is stopping'))
    },
    accept: createAccept(options, () => {}),
    async deleteDocument(projects, id, { isPermanent = false } = {}) {
      const isKept = trashDays > 0 && !isPermanent
      if (await records.documents.delete(projects, id, { isKept })) return true
      return isPermanent && records.trash.delete(projects, id)
    },
    restore: (projects, id) => records.trash.restore(projects, id, quotas),
    async finishMany() {},
    deleteProject: async (id) => (await records.projects.delete(id))?.documentIds.length ?? null,
    deleteUser: async (id) => (await records.users.delete(id))?.documentIds.length ?? null,
    notice() {},
    edit,
    reprocess: (projects, id) => records.documents.requeue(projects, id),
    // The process that writes the index examines and repairs it.
    repairIndex: async () => null,
    async scrubIndex() {},
    settled,
    waitReasons,
    status: async (projects) => describeQueue(options, (await waitReasons()).documents, projects),
  }
}

interface ReaderOptions extends Omit<IngestOptions, 'lifecycle' | 'handedOver'> {
  queue: SharedQueue
}

/**
 * Reads documents, stores their pages, and hands them over to the process that writes the index. Leaves text files to that process: handing a
 * document over takes about 4 ms of processor time, and reading a text file takes less than 1 ms.
 */
export function createDocumentReader(options: ReaderOptions): Pick<Worker, 'nudge' | 'stop'> {
  const { records, queue, log, telemetry = noTelemetry } = options
  const stopping = new AbortController()
  const retries = createRetries(log, stopping.signal)
  return new Worker({
    records,
    log,
    telemetry,
    retries,
    claim: (limit, claiming) => queue.claimUnread(limit, { ...claiming, exceptTypes: TEXT_MEDIA_TYPES }),
    extract: createExtract(options, { retries, telemetry, savePages: queue.handOver }),
    // The process that takes over the document indexes it.
    async index() {},
    load: new Load(options.parserPool.capacity),
    stopping,
    // A failed document has a tombstone, which the process that writes the index notices.
    onFailed() {},
  })
}
