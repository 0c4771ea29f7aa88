import { BackgroundTask } from '../core/background-task.ts'
import { countOf } from '../core/count-of.ts'
import { isDocsearchError } from '../core/errors.ts'
import type { IndexNumbers } from '../core/instance-numbers.ts'
import { killPoint } from '../core/kill-point.ts'
import type { Logger } from '../core/logger.ts'
import type { IndexedPassage, StoredPassage } from '../core/passage.ts'
import type { PassageIndex, DamagedIndexFile, DocumentPassages, IndexHealth } from './passage-index.ts'
import { indexFailure } from './segments/failures.ts'
import { LostDocuments, rebuild } from './rebuild.ts'
import { toNewDocuments } from './segments/store/new-documents.ts'
import type { OnRead, PassageTable } from './passage-table.ts'
import type { SegmentMemory } from './segments/store/memory.ts'
import type { Marked } from './segments/store/protocol.ts'
import { SegmentStore } from './segments/store/segment-store.ts'
import { guarded, TableAndSegments } from './table-and-segments.ts'
import { TableWatch } from './table-watch.ts'
import type { VectorLayout } from './segments/vectors/format.ts'
import { addInventory, rowsAmong, SegmentRows, toDamagedIndexFiles } from './segment-rows.ts'

/** `open` waits for a rebuild of at most this many passages, which takes about a second. A larger rebuild goes on while searches are answered. */
const AWAITED_PASSAGES = 5_000

export interface SegmentedIndexOptions {
  /** The index closes it. */
  table: PassageTable
  /** The folder of the segments. */
  folder: string
  layout: VectorLayout
  log: Logger
  /** By default, all segments are in memory. */
  memory?: SegmentMemory | undefined
  /** Replaces AWAITED_PASSAGES. */
  awaitedPassages?: number
  /** Ends a rebuild that `open` waits for. Close the index then. */
  signal?: AbortSignal | undefined
}

/**
 * Keeps passages in a table, and segments that are built from them. A commit first stores the rows, then switches the segments, so that no segment
 * refers to a missing row. Afterwards, rows that no segment refers to are removed.
 *
 * LanceDB never syncs its files, so after a power cut the table may lack rows that segments refer to. Every start therefore compares table and
 * segments.
 */
export class SegmentedIndex extends TableAndSegments implements PassageIndex {
  readonly #lost = new LostDocuments()
  readonly #closing = new AbortController()
  readonly #comparison = new Comparison()
  readonly #repairing: BackgroundTask
  /** True while new rows are not yet in segments. A comparison would count these rows as lost. */
  #isRebuilding = false
  readonly #verifying: BackgroundTask
  readonly #watch: TableWatch

  private constructor({ table, log }: SegmentedIndexOptions, store: SegmentStore) {
    const watch = new TableWatch(table, log)
    super({ table, store, watch, log })
    this.#watch = watch
    this.#repairing = new BackgroundTask({
      work: () => this.#repair(),
      onFailure: (error) => log.error({ err: error }, 'segments of the index could not be rebuilt; trying again later'),
    })
    this.#verifying = new BackgroundTask({
      work: () => this.#verify(),
      onFailure: (error) => log.error({ err: error }, 'segments of the index could not be verified; trying again later'),
    })
  }

  /** Rebuilds damaged segments, in the background if they have many passages. Rejects with `index_corrupt` if the table is damaged. */
  static async open(options: SegmentedIndexOptions): Promise<SegmentedIndex> {
    const { table, folder, layout, log, memory, awaitedPassages = AWAITED_PASSAGES, signal } = options
    await table.recordChecksums()
    const store = await SegmentStore.open({ folder, layout, log, memory })
    const index = new SegmentedIndex(options, store)
    signal?.addEventListener('abort', () => index.#closing.abort(signal.reason), { signal: index.#closing.signal })
    try {
      // Wait for the comparison only if it is likely to find something.
      if (index.isIncomplete() || (await table.count()) !== index.count()) await index.#compareAtStart()
      else index.#compareAtStart().catch((error: Error) => index.#watch.noteDamage(error))
      if (index.#lost.countPassages() <= awaitedPassages) await index.#repairing.idle()
      index.#verifying.start()
      return index
    } catch (error) {
      await index.close()
      throw indexFailure(error)
    }
  }

  put(documents: readonly DocumentPassages[]): Promise<void> {
    const replaced = documents.filter(({ isNew }) => !isNew).map(({ documentId }) => documentId)
    return this.#change(
      documents.flatMap(({ passages }) => passages),
      replaced,
    )
  }

  deleteDocuments(documentIds: readonly string[]): Promise<void> {
    return this.#change([], documentIds)
  }

  /** Waits for a change in progress, which may have read the segment. */
  leaveOut(segment: string): Promise<void> {
    return this.write(async () => {
      if (!(await this.store.leaveOut(segment))) return
      this.#comparison.request()
      this.#repairing.start()
    })
  }

  /** Only this process writes to the index. */
  async catchUp(): Promise<boolean> {
    return true
  }

  async *stored(): AsyncGenerator<StoredPassage[]> {
    try {
      for await (const rows of this.table.scan()) yield rows.map(({ passage }) => passage)
    } catch (error) {
      throw indexFailure(error)
    }
  }

  damagedFiles(onRead?: OnRead): Promise<DamagedIndexFile[]> {
    return guarded(async () => toDamagedIndexFiles(await this.table.damagedFiles(onRead), this.store.projects()))
  }

  inventory(): Promise<Map<string, { version: number; chunks: number }>> {
    return guarded(async () => {
      await this.#compareIfDue()
      if (this.#watch.damage !== null) throw this.#watch.damage
      const found = new Map(this.#lost.inventory())
      for (const project of this.store.projects()) addInventory(project, found)
      return found
    })
  }

  override numbers(): IndexNumbers {
    return { ...super.numbers(), unindexed: this.#lost.countPassages() }
  }

  optimize(): Promise<void> {
    return guarded(async () => {
      await this.table.optimize()
    })
  }

  /** Resolves when nothing is left to read, verify, merge or remove. */
  async idle(): Promise<void> {
    await this.#verifying.idle()
    await this.store.idle()
    await this.removals.idle()
  }

  async check(): Promise<IndexHealth> {
    const { damage } = this.#watch
    const { ok, message } = damage === null ? await this.table.check() : { ok: false, message: damage.message }
    const isIncomplete = this.isIncomplete()
    if (!ok) {
      // Otherwise, nothing may read the damaged files for a long time.
      this.#watch.verify()
      return { ok, message, passages: null, isIncomplete }
    }
    const passages = this.count()
    return { ok, message: countOf(passages, 'passage'), passages, isIncomplete }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.closeParts([this.#repairing.stop(), this.#verifying.stop()])
  }

  /** Adds passages, and removes the earlier passages of the documents in `replaced`. */
  #change(added: readonly IndexedPassage[], replaced: readonly string[]): Promise<void> {
    return guarded(async () => {
      // Without this, a later comparison would find rows of documents that this change removes, and bring these documents back.
      let isDone = false
      while (!isDone) {
        await this.#compareIfDue()
        isDone = await this.write(async () => {
          if (this.#comparison.isDue) return false
          await this.#changeNow(added, replaced)
          return true
        })
      }
    })
  }

  async #changeNow(added: readonly IndexedPassage[], replaced: readonly string[]): Promise<void> {
    if (this.#watch.damage !== null) throw this.#watch.damage
    const rows = added.length === 0 ? [] : await this.table.add(added)
    killPoint('rows')
    // From here on, a rebuild skips these documents.
    this.removals.add(this.#lost.forget(replaced))
    try {
      const { removedRows } = await this.store.commit({ added: toNewDocuments(added, rows), removed: replaced })
      this.removals.add(removedRows)
    } catch (error) {
      await this.#removeUnused(rows)
      throw error
    }
  }

  /** Removes the rows of a failed commit, except for rows that segments refer to nevertheless. */
  async #removeUnused(rows: readonly bigint[]): Promise<void> {
    await this.store.refresh()
    const used = rowsAmong(this.store.projects(), rows)
    this.removals.add(rows.filter((row) => !used.has(row)))
  }

  /** Compares table and segments, after a rebuild in progress. Rejects if the table can't be read. */
  async #compareIfDue(): Promise<void> {
    if (!this.#comparison.isDue) return
    while (this.#comparison.isDue) {
      if (this.#isRebuilding) await this.#repairing.idle()
      else
        await this.write(async () => {
          if (!this.#isRebuilding) await this.#comparison.run(() => this.#compare())
        })
    }
    if (this.isIncomplete()) this.#repairing.start()
  }

  /** Rejects only with `index_corrupt`. Other failures, such as a full disk, must not stop searches from using the segments that are there. */
  async #compareAtStart(): Promise<void> {
    try {
      await this.#compareIfDue()
    } catch (error) {
      if (isDocsearchError(error, 'index_corrupt')) throw error
      this.log.error({ err: error }, 'the table of the index could not be compared with its segments; trying again later')
      this.#repairing.start()
    }
  }

  /** Removes what only the table or only the segments have, and finds out what has to be rebuilt. */
  async #compare(): Promise<void> {
    // Rows that wait for their removal are not lost.
    const removed = this.removals.pending()
    const known = new SegmentRows(this.store.projects())
    // Mostly, both have the same rows. Then nothing else has to be read.
    if (!this.isIncomplete() && removed.size === 0 && known.areExactly(await this.table.rowIds())) return
    const unused: bigint[] = []
    const incomplete = new Map<string, Marked>()
    for await (const batch of this.table.rows()) {
      for (const stored of batch) {
        if (known.note(stored.row) || removed.has(stored.row)) continue
        const { projectId } = stored
        if (this.store.project(projectId)?.isIncomplete === false) unused.push(stored.row)
        else {
          this.#lost.add(stored)
          incomplete.set(projectId, { projectId, isIncomplete: true })
        }
      }
    }
    const documents = known.documentsWithoutRows()
    if (documents.length > 0) {
      this.log.warn(
        { documents: documents.length },
        'the index lacks texts of documents; removing these documents from the segments',
      )
      await this.store.commit({ added: [], removed: documents })
    }
    const inSegments = new Map<string, { version: number; chunks: number }>()
    for (const project of this.store.projects()) if (project.isIncomplete) addInventory(project, inSegments)
    this.removals.add([...unused, ...this.#lost.takeSuperseded(), ...this.#lost.forget(inSegments.keys())])
    await this.store.mark([...incomplete.values()])
  }

  /** Reads the files that `open` has left on disk. */
  #verify(): Promise<void> {
    return this.store.readFiles((segment) => this.leaveOut(segment))
  }

  /** Builds the missing segments. */
  async #repair(): Promise<void> {
    try {
      while (this.#comparison.isDue) await this.write(() => this.#comparison.run(() => this.#compare()))
      if (this.isIncomplete()) await this.#rebuild()
    } catch (error) {
      if (isDocsearchError(error, 'index_corrupt')) this.#watch.noteDamage(error)
      else throw error
    }
  }

  async #rebuild(): Promise<void> {
    const [table, store, lost, signal] = [this.table, this.store, this.#lost, this.#closing.signal]
    this.log.warn({ passages: lost.countPassages() }, 'rebuilding segments of the index')
    const isCurrent = () => !this.#comparison.isDue
    let areTextsDamaged = false
    const onDamagedTexts = () => (areTextsDamaged = true)
    this.#isRebuilding = true
    try {
      if (await rebuild({ table, store, lost, exclusive: (work) => this.write(work), isCurrent, onDamagedTexts, signal }))
        this.log.info({}, 'the segments of the index are complete again')
    } finally {
      this.#isRebuilding = false
      if (areTextsDamaged) this.#watch.announce()
    }
  }
}

/**
 * Keeps track of whether table and segments have to be compared: after the start, after each damage, and again when a comparison has failed.
 * `isDue` stays true until a comparison succeeds that began after the last damage.
 */
class Comparison {
  #requested = 1
  #done = 0

  get isDue(): boolean {
    return this.#done < this.#requested
  }

  /** Call this when the segments have lost passages that the table has. */
  request(): void {
    this.#requested++
  }

  /** Runs a comparison if one is due. */
  async run(compare: () => Promise<void>): Promise<void> {
    const wanted = this.#requested
    if (this.#done === wanted) return
    await compare()
    this.#done = wanted
  }
}
