import type { Health, Me } from '../../contract/account.ts'
import type { Document, DocumentEvent, UploadAnswer } from '../../contract/documents.ts'
import type { SearchAnswer, SearchRequest, SearchResult } from '../../contract/search.ts'
import { Calls } from './calls.ts'
import { Documents } from './documents.ts'
import type { CallOptions, DocsearchOptions, EventSettings, FileSource, UploadSettings, WaitSettings } from './options.ts'
import { Projects } from './projects.ts'
import { toRequestError, RequestError } from './request-error.ts'
import { uploadFiles } from './upload.ts'
import { DocumentWatch, type WatchedSource } from '../document-watch.ts'

// The limits of a search.
const MAX_LIMIT = 100
const MAX_OFFSET = 1000

/**
 * A client of one instance. It opens a connection when a method is called, and needs no closing. Every method throws RequestError.
 * A call is repeated after 429 and 503, when the instance says that it is busy, and after a broken connection, unless it must not arrive twice.
 */
export class Docsearch {
  readonly documents: Documents
  readonly projects: Projects
  readonly #calls: Calls

  constructor(options: DocsearchOptions) {
    this.#calls = new Calls(options)
    this.documents = new Documents(this.#calls)
    this.projects = new Projects(this.#calls)
  }

  /** The address of the instance, in its normal form. */
  get url(): string {
    return this.#calls.address
  }

  /** Returns one result page. */
  search(request: string | SearchRequest, options?: CallOptions): Promise<SearchAnswer> {
    return this.#calls.repeatable((client) => client.search(requestOf(request)), options)
  }

  /** Yields the results of all result pages, best first: up to about 1,100. `limit` is the size of a result page. */
  async *searchAll(request: string | SearchRequest, options?: CallOptions): AsyncGenerator<SearchResult, void, undefined> {
    const { limit = MAX_LIMIT, offset: first = 0, ...rest } = requestOf(request)
    let offset = first
    while (offset <= MAX_OFFSET) {
      const { results, truncated } = await this.search({ ...rest, limit, offset }, options)
      yield* results
      offset += results.length
      // A result page that was cut because of its size is shorter, and more results follow.
      if (results.length === 0 || (results.length < limit && !truncated)) return
    }
  }

  /**
   * Uploads files, in as many requests as they need. When it returns, the instance has stored the accepted files and will process them;
   * `rejected` lists the others. Throws if all files were rejected. Uploading the same files again stores nothing twice.
   */
  upload(files: FileSource | readonly FileSource[], settings: UploadSettings = {}): Promise<UploadAnswer> {
    return uploadFiles(this.#calls, [files].flat(), settings)
  }

  /**
   * Waits until documents are ready, which means searchable, or failed, and returns them in the given order. Takes IDs, or the documents that
   * `upload` returned.
   */
  wait(documents: string | Document | readonly (string | Document)[], settings: WaitSettings = {}): Promise<Document[]> {
    return waitFor(this.#calls, [documents].flat(), settings)
  }

  /** Yields changes of documents as they happen. Reconnects and continues after the last event. Ends when the signal aborts. */
  async *events({ signal, ...settings }: EventSettings = {}): AsyncGenerator<DocumentEvent, void, undefined> {
    const client = this.#calls.client(signal)
    try {
      yield* client.events({ ...settings, firstAttempts: this.#calls.retries + 1 })
    } catch (error) {
      throw toRequestError(error)
    }
  }

  /** Returns the user, the scopes and the projects of the credential. */
  me(options?: CallOptions): Promise<Me> {
    return this.#calls.repeatable((client) => client.me(), options)
  }

  /** Returns the state of the instance. Needs no credential, and returns more with one. */
  health(options?: CallOptions): Promise<Health> {
    return this.#calls.repeatable((client) => client.health(), options)
  }
}

function requestOf(request: string | SearchRequest): SearchRequest {
  return typeof request === 'string' ? { query: request } : request
}

/** Waits until the documents are processed, and returns them in the given order. */
async function waitFor(
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
