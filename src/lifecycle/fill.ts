import { isDocsearchError, type ErrorCode } from '../core/errors.ts'
import { killPoint } from '../core/kill-point.ts'
import type { Logger } from '../core/logger.ts'
import type { DocumentRecord, DocumentWarning } from '../core/model.ts'
import type { Page } from '../core/parsed.ts'
import type { Retries } from '../core/retries.ts'
import type { Embedder } from '../embed/embedder.ts'
import type { IndexedPassage } from '../core/passage.ts'
import type { IndexedDocument } from '../records/indexes.ts'
import type { Records } from '../records/records.ts'
import type { OpenIndex } from './lifecycle.ts'

/** How many documents are read together, and after how many passages they are committed together. */
const DOCUMENTS_AT_ONCE = 32
const PASSAGES_AT_ONCE = 256
/** In a long run the index is optimised after this many passages, or each commit would cost more than the one before. */
const PASSAGES_BETWEEN_OPTIMISATIONS = 20_000
/** Failures that need not hit another document. */
const OF_ONE_DOCUMENT = new Set<ErrorCode>(['out_of_memory', 'internal_error'])

export interface FillParts {
  records: Pick<Records, 'indexes' | 'documents'>
  /** Cuts a document's pages into passages with vectors. Rejects when the signal is aborted. */
  preparePassages: (
    document: DocumentRecord,
    text: { title: string | null; tags: readonly string[]; pages: readonly Page[] },
    embedder: Embedder,
    signal: AbortSignal,
  ) => Promise<{ passages: IndexedPassage[]; chunksSkipped: number; warnings: DocumentWarning[] }>
  /** Runs `work` while nothing else writes to an index. */
  exclusive: <T>(work: () => Promise<T>) => Promise<T>
  retries: Retries
  log: Logger
}

/** A document's passages and the row that records them; without passages when the document is set aside. */
interface Prepared {
  passages: IndexedPassage[] | null
  entry: IndexedDocument
}

/** Adds documents to one index until it has all that are ready. */
export class IndexFill {
  readonly #parts: FillParts
  readonly #target: OpenIndex
  /** Documents whose passages may be in the index: they have to be replaced, not added. */
  readonly #present: Set<string>
  #passagesSinceOptimise = 0

  constructor(parts: FillParts, target: OpenIndex, present: Set<string>) {
    this.#parts = parts
    this.#target = target
    this.#present = present
  }

  /** Adds every document that is missing now. Returns how many there were. */
  async addMissing(signal: AbortSignal): Promise<number> {
    const { records, retries } = this.#parts
    let found = 0
    for (let after = ''; ;) {
      const page = { after, limit: DOCUMENTS_AT_ONCE }
      const documents = await retries.run(() => records.indexes.missing(this.#target.record.id, page))
      signal.throwIfAborted()
      if (documents.length === 0) return found
      for (const group of groupsOf(documents)) await this.#add(group, signal)
      if (this.#passagesSinceOptimise >= PASSAGES_BETWEEN_OPTIMISATIONS) {
        await this.#target.index.optimize()
        this.#passagesSinceOptimise = 0
      }
      found += documents.length
      after = documents.at(-1)!.id
    }
  }

  /** Before the switch, so that the first searches in the new index are as fast as the last ones in the old. */
  async optimise(): Promise<void> {
    if (this.#passagesSinceOptimise > 0) await this.#parts.retries.run(() => this.#target.index.optimize())
    this.#passagesSinceOptimise = 0
  }

  /** Adds these documents in one commit. */
  async #add(documents: readonly DocumentRecord[], signal: AbortSignal): Promise<void> {
    const prepared = await Promise.all(documents.map((document) => this.#prepare(document, signal)))
    signal.throwIfAborted()
    await this.#parts.exclusive(() => this.#commit(prepared, signal))
    this.#passagesSinceOptimise += prepared.reduce((sum, { passages }) => sum + (passages?.length ?? 0), 0)
  }

  async #commit(prepared: readonly Prepared[], signal: AbortSignal): Promise<void> {
    const { retries, records } = this.#parts
    // A deletion from here on waits for this commit, and then finds the documents in the index.
    const wanted = await retries.run(() => records.indexes.wanted(prepared.map(({ entry }) => entry)))
    const current = prepared.filter(({ entry }) => wanted.has(entry.documentId))
    await retries.run(
      () => {
        const documents = current.flatMap(({ passages, entry: { documentId } }) =>
          passages === null ? [] : [{ documentId, passages, isNew: !this.#present.has(documentId) }],
        )
        // Also a commit that fails may have written passages.
        for (const { documentId } of documents) this.#present.add(documentId)
        return this.#target.index.put(documents)
      },
      () => signal.aborted,
    )
    killPoint('build-index')
    const entries = current.map(({ entry }) => entry)
    await retries.run(() => records.indexes.record(this.#target.record.id, entries))
    killPoint('build-done')
  }

  async #prepare(document: DocumentRecord, signal: AbortSignal): Promise<Prepared> {
    const { records, preparePassages, log } = this.#parts
    const setAside = { documentId: document.id, version: document.version, chunks: null, chunksSkipped: 0, warnings: [] }
    try {
      const pages = await records.documents.pages(new Set([document.projectId]), document.id)
      // The document was deleted meanwhile, or has to be parsed again.
      if (pages === null) return { passages: null, entry: setAside }
      const { title, tags } = document
      const text = { title, tags, pages }
      const { passages, chunksSkipped, warnings } = await preparePassages(document, text, this.#target.embedder, signal)
      return { passages, entry: { ...setAside, chunks: passages.length, chunksSkipped, warnings } }
    } catch (error) {
      signal.throwIfAborted()
      if (!isDocsearchError(error) || !OF_ONE_DOCUMENT.has(error.code)) throw error
      log.warn({ err: error, document: document.id }, 'a document could not be embedded for the new index; setting it aside')
      return { passages: null, entry: setAside }
    }
  }
}

/** Groups documents so that each group has at most PASSAGES_AT_ONCE passages, or one document. */
function* groupsOf(documents: readonly DocumentRecord[]): Generator<DocumentRecord[]> {
  let group: DocumentRecord[] = []
  let passages = 0
  for (const document of documents) {
    const more = document.chunkCount ?? 0
    if (group.length > 0 && passages + more > PASSAGES_AT_ONCE) {
      yield group
      group = []
      passages = 0
    }
    group.push(document)
    passages += more
  }
  if (group.length > 0) yield group
}
