import pLimit from 'p-limit'
import { killPoint } from '../core/kill-point.ts'
import type { DocumentRecord } from '../core/model.ts'
import type { IndexedPassage } from '../core/passage.ts'
import type { PassageIndex } from '../index/passage-index.ts'
import type { OpenIndex } from '../lifecycle/lifecycle.ts'
import type { DocumentChange, ProjectIds } from '../records/records.ts'
import type { IngestOptions } from './ingest.ts'
import type { PreparePassages, StoredVectors } from './passages.ts'

export interface EditParts extends Pick<IngestOptions, 'records' | 'lifecycle' | 'quotas' | 'log'> {
  preparePassages: PreparePassages
  /** Runs `work` while nothing else writes to an index. */
  exclusive: <T>(work: () => Promise<T>) => Promise<T>
  stopping: AbortSignal
}

interface Prepared {
  target: OpenIndex
  version: number
  passages: readonly IndexedPassage[]
  words: string
}

/** Edits whose passages are in memory at a time. */
const PARALLEL_EDITS = 2

/**
 * Changes documents that are searchable. Name, title, path, tags and project are part of each passage in the index, so the passages are cut and
 * analysed again, with the vectors that they have.
 *
 * The records change first. A crash before the index follows leaves two versions, and the next start queues the document again.
 */
export class Edits {
  readonly #parts: EditParts
  readonly #limit = pLimit(PARALLEL_EDITS)

  constructor(parts: EditParts) {
    this.#parts = parts
  }

  /** Returns null when there is no such document. Throws `path_taken` and `project_not_found`. */
  edit(projects: ProjectIds, id: string, change: DocumentChange): Promise<DocumentRecord | null> {
    return this.#limit(async () => {
      const { records, lifecycle, log, exclusive, quotas } = this.#parts
      const document = await records.documents.get(projects, id)
      if (document === null) return null
      const prepared = await this.#prepare(document, change).catch((error: unknown) => {
        log.warn({ err: error, document: id }, 'the passages of an edited document could not be prepared; queueing the document')
        return null
      })
      return exclusive(async () => {
        const isCurrent = prepared !== null && lifecycle.active() === prepared.target
        const edited = await records.documents.edit(projects, id, change, isCurrent ? prepared : null, quotas)
        if (edited === null) return null
        killPoint('edit')
        if (!edited.isPrepared || prepared === null) return edited.document
        return (await this.#write(id, prepared))
          ? edited.document
          : records.documents.get(new Set([edited.document.projectId]), id)
      })
    })
  }

  /** Returns the document's passages after the change; null if the document is not searchable now. */
  async #prepare(document: DocumentRecord, change: DocumentChange): Promise<Prepared | null> {
    const { records, lifecycle, preparePassages, stopping } = this.#parts
    const target = lifecycle.active()
    const { version, projectId, id } = document
    if (target === null || document.status !== 'ready' || !target.embedder.canEmbed) return null
    const pages = await records.documents.pages(new Set([projectId]), id)
    if (pages === null) return null
    const { tags = document.tags, ...changed } = change
    const next = { ...document, ...changed, version: version + 1 }
    const vectors = reuse(target.index, document)
    const { passages, words } = await preparePassages(
      next,
      { title: next.title, tags, pages },
      target.embedder,
      stopping,
      vectors,
    )
    return { target, version, passages, words }
  }

  /** Returns false if the index could not be changed. The document is then queued. */
  async #write(documentId: string, { target, passages }: Prepared): Promise<boolean> {
    const { records, log } = this.#parts
    try {
      await target.index.put([{ documentId, isNew: false, passages }])
      return true
    } catch (error) {
      log.warn(
        { err: error, document: documentId },
        'the passages of an edited document could not be written; queueing the document',
      )
      await records.queue.requeueMany([documentId])
      return false
    }
  }
}

/** Takes the vectors of the passages from the index. Throws if the index has other passages of the document. */
function reuse(index: Pick<PassageIndex, 'vectors'>, { id, version }: DocumentRecord): StoredVectors {
  return async (passages) => {
    const vectors = await index.vectors(id)
    if (vectors.size !== passages.length) throw new Error(`the index has ${vectors.size} passages of ${passages.length}`)
    return passages.map(({ index: i, textHash }) => {
      const stored = vectors.get(i)
      if (stored?.version === version && stored.textHash === textHash) return stored.vector
      throw new Error(`passage ${i} in the index is another one`)
    })
  }
}
