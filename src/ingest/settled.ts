import type { Records } from '../records/records.ts'
import type { Ingest } from './ingest.ts'

const DONE = new Set(['ready', 'failed'])

/** Ingest.settled: looks again at every change of one of the owner's documents. */
export function createSettled({ documents, events }: Pick<Records, 'documents' | 'events'>): Ingest['settled'] {
  return async (ownerId, documentIds, timeoutMs, signal) => {
    const over = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])])
    let wake: () => void = () => {}
    const unsubscribe = events.subscribe(ownerId, () => wake())
    const onOver = () => wake()
    over.addEventListener('abort', onOver)
    try {
      let left = documentIds
      for (;;) {
        // Taken before looking, so that a change in between is not missed.
        const change = new Promise<void>((resolve) => (wake = resolve))
        const there = await documents.getMany(ownerId, left)
        left = left.filter((id) => !DONE.has(there.get(id)?.status ?? 'ready'))
        if (left.length === 0) return true
        if (over.aborted) return false
        await change
      }
    } finally {
      unsubscribe()
      over.removeEventListener('abort', onOver)
    }
  }
}
