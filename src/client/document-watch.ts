import type { Document, DocumentEvent } from '../contract/documents.ts'
import { ClientError } from './errors.ts'
import type { EventOptions } from './events.ts'

/** What a watch asks the instance. `Client` has both. */
export interface WatchedSource {
  events(settings: EventOptions): AsyncGenerator<DocumentEvent>
  documents: { get(id: string): Promise<Document> }
}

interface WatchOptions<T> {
  signal: AbortSignal
  onChange: (document: T) => void
  /**
   * True if documents may have changed before the watch began, or while it connected. Then the watch asks for all of them once it is connected.
   */
  isLate?: boolean
}

// Events arrive at once. Polling finds changes that were missed while the connection was down.
const POLL_MS = 10_000
const MAX_POLLED = 20

/** Follows documents until they are processed. Start it before the first upload, so that it misses no event, or with `isLate`. */
export class DocumentWatch<T extends Document> {
  readonly #source: WatchedSource
  readonly #options: WatchOptions<T>
  /** Documents that are not processed yet. */
  readonly #pending = new Map<string, T>()
  /** Events of documents whose upload is not answered yet: a small document may be ready first. */
  readonly #early = new Map<string, DocumentEvent>()
  readonly #stop = new AbortController()
  readonly #done: Promise<void>
  #resolve: () => void = () => undefined
  #reject: (error: unknown) => void = () => undefined
  readonly #timer: NodeJS.Timeout
  #isPolling = false
  /** Set once every document has been added. */
  #isComplete = false

  constructor(source: WatchedSource, options: WatchOptions<T>) {
    this.#source = source
    this.#options = options
    // Not Promise.withResolvers, because the client library runs on Node 20.
    this.#done = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.#done.catch(() => {
      // settled() returns the promise; until that call a rejection has no handler.
    })
    this.#timer = setInterval(() => {
      // A poll waits while the instance limits requests, so the last one may still run.
      if (!this.#isPolling) this.#poll(MAX_POLLED)
    }, POLL_MS)
    options.signal.addEventListener('abort', this.#cancel)
    if (options.signal.aborted) this.#cancel()
    this.#listen().catch(this.#reject)
  }

  /** Follows a document that an upload has returned. */
  add(document: T): void {
    this.#update(document)
    const event = this.#early.get(document.id)
    if (event !== undefined) this.#take(event)
  }

  /** Resolves when every added document is ready, failed or deleted. Call it after the last `add`. Throws ClientError. */
  settled(): Promise<void> {
    this.#isComplete = true
    this.#finish()
    return this.#done
  }

  close(): void {
    clearInterval(this.#timer)
    this.#options.signal.removeEventListener('abort', this.#cancel)
    this.#stop.abort()
  }

  readonly #cancel = (): void => this.#reject(new ClientError('aborted', 'Cancelled.'))

  async #listen(): Promise<void> {
    const signal = AbortSignal.any([this.#options.signal, this.#stop.signal])
    const onOpen = () => this.#poll(this.#options.isLate === true ? Infinity : MAX_POLLED)
    // Events were missed, so any document may have changed: ask for all of them.
    const onMissed = () => this.#poll(Infinity)
    for await (const event of this.#source.events({ signal, onOpen, onMissed })) this.#take(event)
  }

  #take(event: DocumentEvent): void {
    const document = this.#pending.get(event.document_id)
    if (document === undefined) return void this.#early.set(event.document_id, event)
    const isOfEarlierVersion = event.created_at < document.updated_at
    if (isOfEarlierVersion) return
    this.#update(event.type === 'document.deleted' ? deleted(document) : { ...document, ...partsOf(event) })
  }

  #poll(limit: number): void {
    this.#isPolling = true
    const asked = this.#askFor([...this.#pending.values()].slice(0, limit))
    asked.catch(this.#reject).finally(() => (this.#isPolling = false))
  }

  async #askFor(documents: readonly T[]): Promise<void> {
    for (const document of documents) {
      if (this.#stop.signal.aborted) return
      // An event has arrived in the meantime.
      if (this.#pending.get(document.id) !== document) continue
      try {
        const found = await this.#source.documents.get(document.id)
        // An event that arrived during the request may be newer than the answer.
        if (this.#pending.get(document.id) === document) this.#update({ ...document, ...found })
      } catch (error) {
        if (error instanceof ClientError && error.status === 404) this.#update(deleted(document))
        else if (!(error instanceof ClientError) || !isTemporary(error)) throw error
      }
    }
  }

  #update(document: T): void {
    this.#options.onChange(document)
    if (document.status === 'ready' || document.status === 'failed') this.#pending.delete(document.id)
    else this.#pending.set(document.id, document)
    this.#finish()
  }

  #finish(): void {
    if (!this.#isComplete || this.#pending.size > 0) return
    this.#stop.abort()
    this.#resolve()
  }
}

function deleted<T extends Document>(document: T): T {
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
function partsOf({ type, data }: DocumentEvent): Partial<Document> {
  const parts: Partial<Document> = {}
  const status = type.replace(/^document\./, '')
  if (status === 'queued' || status === 'processing' || status === 'ready' || status === 'failed') parts.status = status
  if (typeof data['page_count'] === 'number') parts.page_count = data['page_count']
  if (typeof data['chunk_count'] === 'number') parts.chunk_count = data['chunk_count']
  if (Array.isArray(data['warnings'])) parts.warnings = data['warnings'] as Document['warnings']
  const error = data['error'] as { code?: unknown; message?: unknown } | null | undefined
  if (typeof error?.code === 'string' && typeof error.message === 'string')
    parts.error = { code: error.code, message: error.message }
  return parts
}
