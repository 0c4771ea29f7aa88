import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Health, Me } from '../../contract/account.ts'
import type { Document, DocumentEvent, UploadAnswer } from '../../contract/documents.ts'
import type { SearchAnswer, SearchRequest, SearchResult } from '../../contract/search.ts'
import type { UploadOptions } from '../client.ts'
import { DocumentWatch, type WatchedSource } from '../document-watch.ts'
import { reasonOf } from '../errors.ts'
import { batchesOf, type UploadFile } from '../multipart.ts'
import { Calls } from './calls.ts'
import { RequestError, toRequestError } from './request-error.ts'
import { Documents } from './documents.ts'
import type { CallOptions, DocsearchOptions, EventSettings, FileSource, UploadSettings, WaitSettings } from './options.ts'
import { Projects } from './projects.ts'

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

const REFUSED = new Set([409, 413, 415, 422])

async function uploadFiles(
  calls: Calls,
  sources: readonly FileSource[],
  { project, tags, path, onConflict, signal }: UploadSettings,
): Promise<UploadAnswer> {
  const paths = path === undefined ? [] : [path].flat()
  if (paths.length > 0 && paths.length !== sources.length)
    throw new RequestError('invalid_request', `${sources.length} files were given, but ${paths.length} paths.`)
  const files = await Promise.all(sources.map((source, i) => fileOf(source, paths[i])))
  const options: UploadOptions = {
    ...(project !== undefined && { project }),
    ...(tags !== undefined && { tags }),
    ...(onConflict !== undefined && { onConflict }),
    signal: calls.signal(signal),
  }
  const answer: UploadAnswer = { documents: [], rejected: [] }
  let refusal: RequestError | undefined
  for (const batch of batchesOf(files)) {
    try {
      // An instance never stores the same bytes at a path twice, so an upload may be repeated.
      const { documents, rejected } = await calls.repeatable((client) => client.upload(batch, options), { signal })
      answer.documents.push(...documents)
      answer.rejected.push(...rejected)
    } catch (error) {
      // An instance that refuses all files of a request answers with an error.
      const rejected = error instanceof RequestError && REFUSED.has(error.status) ? rejectedOf(error) : null
      if (rejected === null) throw error
      answer.rejected.push(...rejected)
      refusal = error as RequestError
    }
  }
  if (refusal !== undefined && answer.documents.length === 0) throw refusal
  return answer
}

function rejectedOf({ details }: RequestError): UploadAnswer['rejected'] | null {
  const { rejected } = details
  return Array.isArray(rejected) && rejected.length > 0 ? (rejected as UploadAnswer['rejected']) : null
}

/** Returns a file that can be read again for each attempt. */
async function fileOf(source: FileSource, path: string | undefined): Promise<UploadFile> {
  if (typeof source === 'string' || source instanceof URL) return fileAt(source, path)
  const { name } = source
  const content = 'content' in source ? source.content : source
  const blob = content instanceof Blob ? content : new Blob([content as Uint8Array<ArrayBuffer> | ArrayBuffer | string])
  return { name, path: path ?? name, size: blob.size, open: () => blob.stream() }
}

async function fileAt(source: string | URL, path: string | undefined): Promise<UploadFile> {
  const file = source instanceof URL ? fileURLToPath(source) : source
  const name = basename(file)
  const found = await stat(file).catch((error: unknown) => {
    throw new RequestError('file_unreadable', `Cannot read ${file}: ${reasonOf(error)}.`, { cause: error })
  })
  if (!found.isFile()) throw new RequestError('file_unreadable', `Cannot read ${file}: it is not a file.`)
  return { name, path: path ?? name, size: found.size, open: () => createReadStream(file) }
}
