import type { Client } from '../../../client/client.ts'
import { ClientError } from '../../../client/errors.ts'
import type { DocumentEvent } from '../../../contract/documents.ts'
import type { Uploaded } from './send.ts'

// Events arrive at once. Polling finds changes that were missed while the connection was down.
const POLL_MS = 10_000
const MAX_POLLED = 20

/** Follows uploaded documents until they are processed. Start it before the first upload, so that no event is missed. */
export class DocumentWatch {
  readonly #client: Client
  readonly #signal: AbortSignal
  readonly #onChange: (document: Uploaded) => void
  /** Documents that are not processed yet. */
  readonly #pending = new Map<string, Uploaded>()
  /** Events of documents whose upload is not answered yet: a small document may be ready first. */
  readonly #early = new Map<string, DocumentEvent>()
  readonly #stop = new AbortController()
  readonly #done = Promise.withResolvers<void>()
  readonly #timer: NodeJS.Timeout
  /** Set once every document has been added. */
  #isComplete = false

  constructor(client: Client, signal: AbortSignal, onChange: (document: Uploaded) => void) {
    this.#client = client
    this.#signal = signal
    this.#onChange = onChange
    this.#done.promise.catch(() => {
      // settled() returns the promise; until that call a rejection has no handler.
    })
    this.#timer = setInterval(() => this.#poll(MAX_POLLED), POLL_MS)
    signal.addEventListener('abort', this.#cancel)
    this.#listen().catch(this.#done.reject)
  }

  /** Follows a document that an upload has returned. */
  add(document: Uploaded): void {
    this.#update(document)
    const event = this.#early.get(document.id)
    if (event !== undefined) this.#take(event)
  }

  /** Resolves when every added document is ready, failed or deleted. Call it after the last `add`. Throws ClientError. */
  settled(): Promise<void> {
    this.#isComplete = true
    this.#finish()
    return this.#done.promise
  }

  close(): void {
    clearInterval(this.#timer)
    this.#signal.removeEventListener('abort', this.#cancel)
    this.#stop.abort()
  }

  readonly #cancel = (): void => this.#done.reject(new ClientError('aborted', 'Cancelled.'))

  async #listen(): Promise<void> {
    const signal = AbortSignal.any([this.#signal, this.#stop.signal])
    const onOpen = () => this.#poll(MAX_POLLED)
    // Events were missed, so any document may have changed: ask for all of them.
    const onMissed = () => this.#poll(Infinity)
    for await (const event of this.#client.events({ signal, onOpen, onMissed })) this.#take(event)
  }

  #take(event: DocumentEvent): void {
    const document = this.#pending.get(event.document_id)
    if (document === undefined) return void this.#early.set(event.document_id, event)
    const isOfEarlierVersion = event.created_at < document.updated_at
    if (isOfEarlierVersion) return
    this.#update(event.type === 'document.deleted' ? deleted(document) : { ...document, ...partsOf(event) })
  }

  #poll(limit: number): void {
    this.#askFor([...this.#pending.values()].slice(0, limit)).catch(this.#done.reject)
  }

  async #askFor(documents: readonly Uploaded[]): Promise<void> {
    for (const document of documents) {
      try {
        const found = await this.#client.documents.get(document.id)
        // An event that arrived during the request may be newer than the answer.
        if (this.#pending.get(document.id) === document) this.#update({ ...document, ...found })
      } catch (error) {
        if (error instanceof ClientError && error.status === 404) this.#update(deleted(document))
        else if (!(error instanceof ClientError) || !isTemporary(error)) throw error
      }
    }
  }

  #update(document: Uploaded): void {
    this.#onChange(document)
    if (document.status === 'ready' || document.status === 'failed') this.#pending.delete(document.id)
    else this.#pending.set(document.id, document)
    this.#finish()
  }

  #finish(): void {
    if (!this.#isComplete || this.#pending.size > 0) return
    this.#stop.abort()
    this.#done.resolve()
  }
}

function deleted(document: Uploaded): Uploaded {
  return { ...document, status: 'failed', error: { code: 'deleted', message: 'deleted while it was being processed' } }
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
