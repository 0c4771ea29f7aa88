import type { IndexReading } from '../lifecycle/lifecycle.ts'
import type { ProjectIds, Records } from '../records/records.ts'
import type { Ingest, IngestOptions } from './ingest.ts'

const DONE = new Set(['ready', 'failed'])

/** Makes `Ingest.settled`, which looks again whenever one of the documents may have changed. */
export function createSettled({ documents, events }: Pick<Records, 'documents' | 'events'>): Ingest['settled'] {
  return async (projects, documentIds, timeoutMs, signal) => {
    const ended = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])])
    let wake: () => void = () => {}
    const unsubscribe = events.subscribe((changed) => {
      if ([...changed].some((id) => projects.has(id))) wake()
    })
    const onEnd = () => wake()
    ended.addEventListener('abort', onEnd)
    try {
      let pending = documentIds
      let hasAttachments = false
      for (;;) {
        // Made before the documents are read, so that it also sees a change during the read.
        const change = new Promise<void>((resolve) => (wake = resolve))
        const found = await documents.getMany(projects, pending)
        // A deleted document is settled too.
        pending = pending.filter((id) => !DONE.has(found.get(id)?.status ?? 'ready'))
        if (pending.length === 0 || hasAttachments) {
          // A message is searchable as a whole when its attachments are. They are there when the message is ready.
          const attachments = await documents.attachments(projects, documentIds)
          pending = attachments.filter(({ status }) => !DONE.has(status)).map(({ id }) => id)
          hasAttachments = true
        }
        if (pending.length === 0) return true
        if (ended.aborted) return false
        await change
      }
    } finally {
      unsubscribe()
      ended.removeEventListener('abort', onEnd)
    }
  }
}

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
