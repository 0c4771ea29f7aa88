import type { IndexReading } from '../lifecycle/lifecycle.ts'
import type { DocumentRecord } from '../core/model.ts'
import type { DocumentChange, ProjectIds } from '../records/records.ts'
import type { WriterReports } from '../records/shared.ts'
import { createAccept } from './accept.ts'
import type { IngestOptions } from './context.ts'
import type { DeletionOptions, Ingest } from './ingest.ts'
import { createSettled } from './settled.ts'
import { describeQueue } from './status.ts'

/** How long an edit waits until searches find the changed document. After that, the answer says that the document is queued. */
const EDIT_MS = 10_000

const NO_WRITER = 'no process writes the index. Start one with --role worker or --role all.'

export interface LeaveOptions extends Omit<IngestOptions, 'lifecycle'> {
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
export function createIngestForWriter(options: LeaveOptions): Ingest {
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
