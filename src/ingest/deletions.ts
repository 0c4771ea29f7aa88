import { setTimeout as sleep } from 'node:timers/promises'
import { killPoint } from '../core/kill-point.ts'
import type { ProjectIds, Restored } from '../records/records.ts'
import type { IngestOptions, DeletionOptions } from './ingest.ts'
import type { Maintenance } from './maintenance.ts'
import type { Reconciler } from './reconciler.ts'

/**
 * How long a deletion waits for the index, which syncs several files. While LanceDB compacts, or while a large commit is written, one sync can take
 * hundreds of milliseconds.
 */
const FORGET_MS = 40

export interface DeletionParts extends Pick<IngestOptions, 'records' | 'quotas' | 'log' | 'trashDays'> {
  reconciler: Pick<Reconciler, 'forget'>
  maintenance: Pick<Maintenance, 'deleted' | 'retryForget'>
}

/** Deletes documents, alone or with their project or user: first the rows, then the passages, later the originals. */
export class Deletions {
  readonly #parts: DeletionParts

  constructor(parts: DeletionParts) {
    this.#parts = parts
  }

  /** Returns false when there is no such document. */
  async deleteDocument(projects: ProjectIds, id: string, options: DeletionOptions = {}): Promise<boolean> {
    const { records, maintenance, trashDays = 0 } = this.#parts
    const { isPermanent = false, isOneOfMany = false } = options
    const isKept = trashDays > 0 && !isPermanent
    if (await records.documents.delete(projects, id, { isKept })) {
      killPoint('delete')
      if (!isOneOfMany) await this.finishMany()
      return true
    }
    const isDeleted = isPermanent && (await records.trash.delete(projects, id))
    if (!isDeleted) return false
    killPoint('purge')
    maintenance.deleted()
    return true
  }

  /** Takes a document out of the trash and queues it. Returns null when it is not there. */
  async restore(projects: ProjectIds, id: string, { isOneOfMany = false }: DeletionOptions = {}): Promise<Restored | null> {
    const { records, quotas } = this.#parts
    const restored = await records.trash.restore(projects, id, quotas)
    if (restored === null) return null
    killPoint('restore')
    // A document that was at its path went to the trash.
    if (restored.replacedId !== null && !isOneOfMany) await this.forget()
    return restored
  }

  /** Deletes the passages of documents that were deleted, and later their originals. */
  async finishMany(): Promise<void> {
    await this.forget()
    this.#parts.maintenance.deleted()
  }

  /** Returns the number of documents deleted with the project, or null when there is no such project. */
  async deleteProject(id: string): Promise<number | null> {
    return this.#count(await this.#parts.records.projects.delete(id))
  }

  /** Returns the number of documents deleted with the user, or null when there is no such user. Throws `owner_stays`. */
  async deleteUser(id: string): Promise<number | null> {
    return this.#count(await this.#parts.records.users.delete(id))
  }

  /**
   * Deletes the passages of deleted and failed documents. Never rejects. The records have already made the deletion durable, and searches hide a
   * document without a row. So the index may follow later: until then, only facets and the statistics of words still count the document.
   */
  async forget(): Promise<void> {
    const { reconciler, maintenance, log } = this.#parts
    const forgotten = reconciler.forget().catch((error: unknown) => {
      log.warn({ err: error }, 'deleted documents are still in the index; searches hide them until they can be deleted there')
      maintenance.retryForget()
    })
    await Promise.race([forgotten, sleep(FORGET_MS, undefined, { ref: false })])
  }

  async #count(deleted: { documentIds: string[] } | null): Promise<number | null> {
    if (deleted === null) return null
    killPoint('delete')
    await this.finishMany()
    return deleted.documentIds.length
  }
}
