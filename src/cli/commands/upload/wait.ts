import type { Client } from '../../../client/client.ts'
import { ClientError } from '../../../client/errors.ts'
import type { DocumentEvent } from '../../../contract/documents.ts'
import type { Uploaded } from './send.ts'

export interface Watch {
  /** Follows a document that an upload has returned. */
  add(document: Uploaded): void
  /** Resolves when every added document is ready, failed or gone. Throws ClientError. */
  settled(): Promise<void>
  close(): void
}

// Events arrive at once; polling finds changes that were missed while the connection was down.
const POLL_MS = 10_000
const MAX_POLLED = 20

/** Follows documents until they are processed. Start before the first upload, so that no event is missed. */
export function watchDocuments(client: Client, signal: AbortSignal, onChange: (document: Uploaded) => void): Watch {
  const pending = new Map<string, Uploaded>()
  // Events of documents whose upload is not answered yet: a small document may be ready first.
  const early = new Map<string, DocumentEvent>()
  const stop = new AbortController()
  const both = AbortSignal.any([signal, stop.signal])
  const { promise: done, resolve, reject } = Promise.withResolvers<void>()
  done.catch(() => {
    // settled() returns the promise; until that call a rejection has no handler.
  })
  let isComplete = false

  function update(document: Uploaded): void {
    onChange(document)
    if (document.status === 'ready' || document.status === 'failed') pending.delete(document.id)
    else pending.set(document.id, document)
    finish()
  }

  function finish(): void {
    if (!isComplete || pending.size > 0) return
    stop.abort()
    resolve()
  }

  function take(event: DocumentEvent): void {
    const document = pending.get(event.document_id)
    if (document === undefined) return void early.set(event.document_id, event)
    // The event belongs to an earlier version of the document.
    if (event.created_at < document.updated_at) return
    if (event.type === 'document.deleted')
      return update({
        ...document,
        status: 'failed',
        error: { code: 'deleted', message: 'deleted while it was being processed' },
      })
    update({ ...document, ...partsOf(event) })
  }

  async function poll(): Promise<void> {
    for (const document of [...pending.values()].slice(0, MAX_POLLED)) {
      try {
        update({ ...document, ...(await client.documents.get(document.id)) })
      } catch (error) {
        if (error instanceof ClientError && error.status === 404) {
          update({ ...document, status: 'failed', error: { code: 'deleted', message: 'deleted while it was being processed' } })
        } else if (!(error instanceof ClientError) || !isTemporary(error)) {
          throw error
        }
      }
    }
  }

  async function listen(): Promise<void> {
    for await (const event of client.events({ signal: both, onOpen: () => void poll().catch(reject) })) take(event)
  }

  const timer = setInterval(() => void poll().catch(reject), POLL_MS)
  listen().catch(reject)
  const cancel = () => reject(new ClientError('aborted', 'Cancelled.'))
  signal.addEventListener('abort', cancel)

  return {
    add(document) {
      update(document)
      const event = early.get(document.id)
      if (event !== undefined) take(event)
    },
    settled() {
      isComplete = true
      finish()
      return done
    },
    close() {
      clearInterval(timer)
      signal.removeEventListener('abort', cancel)
      stop.abort()
    },
  }
}

/** True when the daemon restarts or is busy. The documents are safe, so waiting goes on. */
function isTemporary(error: ClientError): boolean {
  return (
    error.status === 429 ||
    error.status >= 500 ||
    error.code === 'unreachable' ||
    error.code === 'timeout' ||
    error.code === 'aborted'
  )
}

/** The fields of a document that its event contains. */
function partsOf({ type, data }: DocumentEvent): Partial<Uploaded> {
  const parts: Partial<Uploaded> = {}
  const status = type.replace(/^document\./, '')
  if (status === 'queued' || status === 'processing' || status === 'ready' || status === 'failed') parts.status = status
  if (typeof data['page_count'] === 'number') parts.page_count = data['page_count']
  if (typeof data['chunk_count'] === 'number') parts.chunk_count = data['chunk_count']
  if (Array.isArray(data['warnings'])) parts.warnings = data['warnings'] as Uploaded['warnings']
  const error = data['error'] as { code?: unknown; message?: unknown } | null | undefined
  if (typeof error?.code === 'string' && typeof error.message === 'string')
    parts.error = { code: error.code, message: error.message }
  return parts
}
