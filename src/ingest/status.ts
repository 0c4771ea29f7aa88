import type { ProjectIds } from '../records/records.ts'
import type { IndexReading } from '../lifecycle/lifecycle.ts'
import type { IngestOptions } from './context.ts'
import type { Ingest } from './ingest.ts'

/** Describes the queue for health: the documents of some projects, or of all. */
export async function describeQueue(
  { records, lifecycle }: Pick<IngestOptions, 'records'> & { lifecycle: Pick<IndexReading, 'active' | 'choice'> },
  /** Why documents wait. Null if nothing is known to hold them up. */
  waitingFor: string | null,
  projects?: ProjectIds,
): ReturnType<Ingest['status']> {
  const { queued, processing, failed } = await records.queue.counts(projects)
  const counts = { queued, processing, failed }
  if (queued + processing === 0) return { status: 'ok', message: 'The queue is empty.', ...counts }
  const reason = waitingFor ?? (lifecycle.active()?.embedder.canEmbed ? null : lifecycle.choice().reason)
  if (reason !== null) return { status: 'degraded', message: `Processing waits: ${reason}`, ...counts }
  return { status: 'ok', message: `Documents waiting: ${queued}. In progress: ${processing}.`, ...counts }
}
