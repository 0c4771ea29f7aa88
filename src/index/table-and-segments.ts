import pLimit from 'p-limit'
import type { IndexNumbers } from '../core/instance-numbers.ts'
import type { Logger } from '../core/logger.ts'
import type { Passage } from '../core/passage.ts'
import type { PhraseFilter } from '../text/phrase.ts'
import type { StoredVector } from './passage-index.ts'
import type { PassageTable } from './passage-table.ts'
import { PassageTexts } from './passage-texts.ts'
import { documentsOf, rowsOf } from './segment-rows.ts'
import { indexFailure } from './segments/failures.ts'
import { livePassages, memoryOfSegment, type ProjectSegments, type SegmentsListener } from './segments/store/project-segments.ts'
import type { SegmentStore } from './segments/store/segment-store.ts'
import type { TableWatch } from './table-watch.ts'
import { BackgroundTask } from '../core/background-task.ts'

interface Parts {
  table: PassageTable
  store: SegmentStore
  watch: Pick<TableWatch, 'verify' | 'onReadable' | 'onDamage' | 'announce' | 'damage' | 'stop'>
  log: Logger
}

/** What an index of one process and a shared index have in common: a table with all passages, and segments that refer to its rows. */
export abstract class TableAndSegments {
  protected readonly table: PassageTable
  protected readonly store: SegmentStore
  protected readonly log: Logger
  protected readonly removals: RowRemovals
  /** Runs changes one after another, so that each change sees the result of the change before. */
  protected readonly write = pLimit(1)
  readonly #watch: Parts['watch']
  readonly #texts: PassageTexts

  protected constructor({ table, store, watch, log }: Parts) {
    this.table = table
    this.store = store
    this.log = log
    this.removals = new RowRemovals(table, log)
    this.#watch = watch
    const removeDocuments = (rows: readonly bigint[]) => this.#removeDamaged(rows)
    this.#texts = new PassageTexts({ table, watch, removeDocuments, log })
    store.onDamage((segment) => this.leaveOut(segment))
  }

  abstract leaveOut(segment: string): Promise<void>

  abstract deleteDocuments(documentIds: readonly string[]): Promise<void>

  /** False in a process that only reads. */
  protected get canWrite(): boolean {
    return true
  }

  /** Makes the rows of every commit that this process knows visible. */
  protected async refreshTable(): Promise<void> {}

  segments(): readonly ProjectSegments[] {
    return this.store.projects()
  }

  onSegmentsChange(listener: SegmentsListener): () => void {
    return this.store.onChange(listener)
  }

  passages(rows: readonly bigint[]): Promise<Map<bigint, Passage>> {
    return guarded(() => this.#texts.read(rows))
  }

  vectors(documentId: string): Promise<Map<number, StoredVector>> {
    return guarded(async () => {
      const rows = rowsOf(this.store.projects(), documentId)
      if (rows.length === 0) return new Map()
      await this.refreshTable()
      const passages = await this.table.readStored(rows)
      return new Map(passages.map(({ index, version, textHash, vector }) => [index, { version, textHash, vector }]))
    })
  }

  rowsWithPhrases(rows: readonly bigint[], phrases: PhraseFilter): Promise<bigint[]> {
    return guarded(async () => {
      if (rows.length === 0) return []
      await this.refreshTable()
      return this.#texts.rowsWithPhrases(rows, phrases)
    })
  }

  hasDamagedTexts(rows: readonly bigint[]): boolean {
    return this.#texts.areDamaged(rows)
  }

  onDamage(listener: () => void): () => void {
    return this.#watch.onDamage(listener)
  }

  async countPassages(): Promise<number> {
    return this.count()
  }

  numbers(): IndexNumbers {
    const segments = this.store.projects().flatMap((project) => project.segments)
    return {
      passages: this.count(),
      unindexed: 0,
      segments: segments.length,
      memoryBytes: segments.reduce((sum, segment) => sum + memoryOfSegment(segment), 0),
    }
  }

  /** Closes everything. `stopped` are promises of tasks that were told to stop. */
  protected async closeParts(stopped: readonly Promise<void>[]): Promise<void> {
    const all = [...stopped, this.#watch.stop(), this.#texts.stop()]
    await this.write(async () => {})
    await this.removals.stop()
    // Closing the store ends a verification.
    await this.store.close()
    await Promise.all(all)
    await this.table.close()
  }

  protected count(): number {
    return this.store.projects().reduce((sum, project) => sum + livePassages(project), 0)
  }

  protected isIncomplete(): boolean {
    return this.store.projects().some(({ isIncomplete }) => isIncomplete)
  }

  /** Removes documents whose texts are damaged, so that they are indexed again from their stored texts. */
  async #removeDamaged(rows: readonly bigint[]): Promise<void> {
    const documents = documentsOf(this.store.projects(), rows)
    if (documents.length === 0) return
    this.log.error({ documents: documents.length }, 'texts in the index are damaged; their documents have to be indexed again')
    if (!this.canWrite) return
    await this.deleteDocuments(documents)
    this.#watch.announce()
  }
}

/** Runs `work`. Any error becomes one that a user can act on. */
export async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw indexFailure(error)
  }
}

const MAX_ROWS_AT_ONCE = 10_000

/**
 * Removes rows that no segment refers to any more, in the background. The next start finds and removes the rows that are left when the process
 * ends.
 */
class RowRemovals {
  #rows: bigint[] = []
  #isStopped = false
  readonly #table: Pick<PassageTable, 'remove'>
  readonly #task: BackgroundTask

  constructor(table: Pick<PassageTable, 'remove'>, log: Logger) {
    this.#table = table
    this.#task = new BackgroundTask({
      work: () => this.#removeAll(),
      onFailure: (error) =>
        log.warn({ err: error, rows: this.#rows.length }, 'rows without a passage could not be removed; trying again later'),
    })
  }

  add(rows: Iterable<bigint>): void {
    for (const row of rows) this.#rows.push(row)
    if (this.#rows.length > 0) this.#task.start()
  }

  /** Returns the rows that are still there. */
  pending(): ReadonlySet<bigint> {
    return new Set(this.#rows)
  }

  /** Resolves when no row is left to remove, or when a removal failed. */
  idle(): Promise<void> {
    return this.#task.idle()
  }

  stop(): Promise<void> {
    this.#isStopped = true
    return this.#task.stop()
  }

  async #removeAll(): Promise<void> {
    while (this.#rows.length > 0 && !this.#isStopped) {
      const rows = this.#rows.slice(0, MAX_ROWS_AT_ONCE)
      await this.#table.remove(rows)
      this.#rows = this.#rows.slice(rows.length)
    }
  }
}
