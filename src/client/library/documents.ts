import type {
  Document,
  DocumentBatch,
  DocumentBatchAnswer,
  DocumentList,
  DocumentRestored,
  DocumentUpdate,
} from '../../contract/documents.ts'
import type { Client } from '../client.ts'
import { ClientError } from '../errors.ts'
import type { DocumentFilter } from '../list-filters.ts'
import { failureOf } from '../transport.ts'
import { allPages, type Calls } from './calls.ts'
import { toRequestError } from './request-error.ts'
import type { CallOptions } from './options.ts'

const MAX_PAGE = 100

/** The documents that the credential may see. */
export class Documents {
  readonly #calls: Calls

  /** @internal */
  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** Yields all matching documents, newest first. Asks for the next result page when it is needed; `limit` is the size of a result page. */
  list(filter: DocumentFilter = {}, options: CallOptions = {}): AsyncGenerator<Document, void, undefined> {
    return allPages(async (cursor) => {
      const { documents, next_cursor } = await this.page({ limit: MAX_PAGE, ...filter, ...(cursor && { cursor }) }, options)
      return { entries: documents, next_cursor }
    }, filter.cursor)
  }

  /** Returns one result page. Send its `next_cursor` as `cursor` to get the next one. */
  page(filter: DocumentFilter = {}, options?: CallOptions): Promise<DocumentList> {
    return this.#calls.repeatable((client) => client.documents.list(filter), options)
  }

  get(id: string, options?: CallOptions): Promise<Document> {
    return this.#calls.repeatable((client) => client.documents.get(id), options)
  }

  /** Changes name, path, title, tags or project. Fields that you leave out stay as they are. */
  update(id: string, change: DocumentUpdate, options?: CallOptions): Promise<Document> {
    return this.#calls.repeatable((client) => client.documents.update(id, change), options)
  }

  /** Moves a document to the trash, or deletes it for good. */
  delete(id: string, { permanent = false, ...options }: CallOptions & { permanent?: boolean } = {}): Promise<void> {
    return deleteOnce(this.#calls, (client) => client.documents.delete(id, { permanent }), options)
  }

  /** Takes a document out of the trash. */
  restore(id: string, options?: CallOptions): Promise<DocumentRestored> {
    return this.#calls.once((client) => client.documents.restore(id), options)
  }

  /** Processes a document again. */
  reprocess(id: string, options?: CallOptions): Promise<Document> {
    return this.#calls.once((client) => client.documents.reprocess(id), options)
  }

  /** Deletes, restores, reprocesses or updates up to 1,000 documents. */
  batch(batch: DocumentBatch, options?: CallOptions): Promise<DocumentBatchAnswer> {
    return this.#calls.once((client) => client.documents.batch(batch), options)
  }

  /** Returns the text that was indexed, of one page or of all pages with form feeds between them. */
  text(id: string, { page, ...options }: CallOptions & { page?: number } = {}): Promise<string> {
    return this.#calls.repeatable((client) => client.documents.text(id, page), options)
  }

  /** Yields the bytes of the original file. Leaving the loop ends the download. */
  async *content(id: string, options?: CallOptions): AsyncGenerator<Uint8Array, void, undefined> {
    const answer = await this.#calls.repeatable((client) => client.documents.content(id), options)
    try {
      yield* answer as AsyncIterable<Uint8Array>
    } catch (error) {
      throw toRequestError(failureOf(error, this.#calls.address, this.#calls.signal(options?.signal)))
    }
  }
}

/** Deletes something. If the answer to the first request was lost, a second one may find nothing, and that is a success. */
function deleteOnce(calls: Calls, remove: (client: Client) => Promise<void>, options?: CallOptions): Promise<void> {
  return calls.repeatable(async (client, attempt) => {
    try {
      await remove(client)
    } catch (error) {
      if (!(error instanceof ClientError && error.status === 404 && attempt > 1)) throw error
    }
  }, options)
}
