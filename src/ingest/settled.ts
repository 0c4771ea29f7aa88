import type { Records } from '../records/records.ts'
import type { Ingest } from './ingest.ts'

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
