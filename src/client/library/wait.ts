import type { Document } from '../../contract/documents.ts'
import { DocumentWatch } from '../document-watch.ts'
import type { WatchedSource } from '../document-watch.ts'
import type { Calls } from './calls.ts'
import type { WaitSettings } from './options.ts'
import { RequestError, toRequestError } from './request-error.ts'

/** Waits until the documents are processed, and returns them in the given order. */
export async function waitFor(
  calls: Calls,
  documents: readonly (string | Document)[],
  { timeoutMs, signal, onChange }: WaitSettings,
): Promise<Document[]> {
  const limit = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
  const ending = calls.signal(limit === undefined ? signal : AbortSignal.any([limit, ...(signal === undefined ? [] : [signal])]))
  const seen = new Map<string, Document>()
  const get = (id: string) => calls.persist((client) => client.documents.get(id), { signal: ending, isRepeatable: true })
  try {
    const started = await inTurn(documents, (one) => (typeof one === 'string' ? get(one) : one))
    await settle({ events: calls.client(ending).events, documents: { get } }, started, ending, (document) => {
      const isNew = seen.get(document.id)?.status !== document.status
      seen.set(document.id, document)
      if (isNew) onChange?.(document)
    })
    // An event has only some fields of its document.
    return await inTurn(started, ({ id }) => {
      const document = seen.get(id)!
      return document.status === 'ready' && document.ready_at === null ? get(id) : document
    })
  } catch (error) {
    if (limit?.aborted !== true || signal?.aborted === true) throw toRequestError(error)
    const pending = [...seen.values()].filter((document) => !isDone(document)).map(({ id }) => id)
    throw new RequestError('timeout', `${pending.length} of ${documents.length} documents were not processed in time.`, {
      details: { pending },
    })
  }
}

async function settle(
  source: WatchedSource,
  documents: readonly Document[],
  signal: AbortSignal,
  onChange: (document: Document) => void,
): Promise<void> {
  if (documents.every(isDone)) return documents.forEach(onChange)
  const watch = new DocumentWatch<Document>(source, { signal, onChange, isLate: true })
  try {
    for (const document of documents) watch.add(document)
    await watch.settled()
  } finally {
    watch.close()
  }
}

function isDone({ status }: Document): boolean {
  return status === 'ready' || status === 'failed'
}

async function inTurn<T, R>(values: readonly T[], act: (value: T) => R | Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (const value of values) results.push(await act(value))
  return results
}
