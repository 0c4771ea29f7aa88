import { BackgroundTask } from '../core/background-task.ts'
import { Breaker } from '../core/breaker.ts'
import { countOf } from '../core/count-of.ts'
import { killPoint } from '../core/kill-point.ts'
import type { Logger } from '../core/logger.ts'
import type { StoredPassage } from '../core/passage.ts'
import type { PassageIndex, DamagedIndexFile, DocumentPassages, IndexHealth } from './passage-index.ts'
import { indexFailure } from './segments/failures.ts'
import { toNewDocuments } from './segments/store/new-documents.ts'
import type { PassageTable } from './passage-table.ts'
import { addInventory, SegmentRows } from './segment-rows.ts'
import type { SegmentMemory } from './segments/store/memory.ts'
import { pagedFilesOf } from './segments/store/project-segments.ts'
import type { BlockCache } from './segments/remote/block-cache.ts'
import { SegmentStore } from './segments/store/segment-store.ts'
import type { SharedPlace, WriterLease } from './segments/store/shares.ts'
import type { VectorLayout } from './segments/vectors/format.ts'
import { guarded, TableAndSegments } from './table-and-segments.ts'
import { TableWatch } from './table-watch.ts'
import { isDocsearchError } from '../core/errors.ts'

/** How long a search waits for newer commits before it continues without them. */
const CATCH_UP_MS = 3_000
/** The search for unused rows reads the IDs of all rows, so it runs rarely. */
const UNUSED_EVERY_MS = 60 * 60_000

export interface SharedIndexOptions {
  id: string
  /** The index closes it. */
  table: PassageTable
  /** The folder for copies of segments. Its last part is the ID of the index. */
  folder: string
  shared: SharedPlace
  layout: VectorLayout
  log: Logger
  memory?: SegmentMemory | undefined
  /** Null for a process that only reads. */
  leases: WriterLeases | null
  newestVersion: ((indexId: string) => Promise<number>) | null
  onCommit: (indexId: string, version: number) => Promise<void>
  /** The cache that `shared` names. */
  cache: BlockCache | null
  /** Replaces CATCH_UP_MS in tests. */
  catchUpMs?: number
}

type Watch = Pick<TableWatch, 'verify' | 'onReadable' | 'onDamage' | 'announce' | 'damage' | 'stop'>

/**
 * An index in an object store, which one process at a time writes and any number of processes read. docs/segments.md explains why a process that was
 * frozen and is no longer the writer can't damage it:
 *
 * - A commit of segments needs the fence of the newest writer (segments/remote/commit-log.ts).
 * - Rows in the table are added before the commit that refers to them. Only the process that has added a row ever refers to it, under the same
 *   fence. So rows without a commit are garbage from the next takeover on.
 * - Only garbage is removed: rows of passages that a commit has removed, and rows that the writer has found unused while it was the writer.
 */
export class SharedIndex extends TableAndSegments implements PassageIndex {
  readonly #options: SharedIndexOptions
  readonly #watch: Watch
  readonly #writer: WriterTurn | null
  readonly #breaker: Breaker
  readonly #repairing: BackgroundTask
  /** Brings large files into memory. */
  readonly #filling: BackgroundTask
  /** Brings parts of large files into the cache. This is a separate task, so that a retry does not verify the files on disk again. */
  readonly #caching: BackgroundTask
  /** True when the table may have rows that no commit refers to. */
  #hasUnused = false
  #nextUnusedAt = 0
  /** True while searches continue without the newest commits. */
  #isBehind = false
  /** The last version of the segments at which the table was refreshed. */
  #tableVersion = -1

  private constructor(options: SharedIndexOptions, store: SegmentStore) {
    const { id: indexId, table, leases, log } = options
    const watch = leases === null ? new ReaderWatch(store) : new TableWatch(table, log)
    super({ table, store, watch, log })
    this.#options = options
    this.#watch = watch
    const onTakeover = () => (this.#hasUnused = true)
    this.#writer = leases === null ? null : new WriterTurn({ indexId, store, table, leases, onTakeover })
    this.#breaker = new Breaker({ probe: () => store.follow().catch(() => {}) })
    this.#repairing = new BackgroundTask({
      work: () => this.#repair(),
      onFailure: (error) => log.warn({ err: error }, 'damaged segments could not be removed from the index; trying again later'),
    })
    this.#filling = new BackgroundTask({
      work: () => this.#fill(),
      onFailure: (error) => log.warn({ err: error }, 'large segments could not be fetched; trying again later'),
    })
    this.#caching = new BackgroundTask({
      work: () => this.#fillCache(),
      onFailure: (error) => log.warn({ err: error }, 'the cache of the index could not be filled; trying again later'),
    })
    store.onChange(({ segments }) => {
      if (segments.some((segment) => pagedFilesOf(segment).length > 0)) this.#filling.start()
    })
  }

  /** Loads the segments of the newest commit. Rejects when the object store does not answer. */
  static async open(options: SharedIndexOptions): Promise<SharedIndex> {
    const { table, folder, layout, log, memory, shared } = options
    try {
      const index = new SharedIndex(options, await SegmentStore.open({ folder, layout, log, memory, shared }))
      index.#repairing.start()
      index.#filling.start()
      return index
    } catch (error) {
      await table.close()
      throw indexFailure(error)
    }
  }

  put(documents: readonly DocumentPassages[]): Promise<void> {
    const replaced = documents.filter(({ isNew }) => !isNew).map(({ documentId }) => documentId)
    const added = documents.flatMap(({ passages }) => passages)
    return this.#change(async () => {
      try {
        const rows = added.length === 0 ? [] : await this.table.add(added)
        killPoint('rows')
        return await this.store.commit({ added: toNewDocuments(added, rows), removed: replaced })
      } catch (error) {
        this.#hasUnused = true
        throw error
      }
    })
  }

  deleteDocuments(documentIds: readonly string[]): Promise<void> {
    return this.#change(() => this.store.commit({ added: [], removed: documentIds }))
  }

  /** Waits only briefly. If the fetch of newer commits takes longer, the next searches wait even less, until the store answers. */
  async catchUp(): Promise<boolean> {
    const { catchUpMs = CATCH_UP_MS } = this.#options
    try {
      await this.#breaker.pass()
      const late = Promise.withResolvers<boolean>()
      const timer = setTimeout(() => late.resolve(false), catchUpMs)
      const isInTime = await Promise.race([this.#follow(), late.promise]).finally(() => clearTimeout(timer))
      if (isInTime) this.#breaker.answered()
      else this.#breaker.timedOut()
      this.#noteBehind(isInTime ? null : new Error(`the newest commits did not arrive within ${catchUpMs / 1000} s`))
      return isInTime
    } catch (error) {
      this.#noteBehind(error)
      return false
    }
  }

  /** Fetches the files of the segment again, because its copies on this disk are damaged. */
  async leaveOut(segment: string): Promise<void> {
    if (await this.store.leaveOut(segment)) this.#repairing.start()
  }

  /** Skips rows without a commit. */
  async *stored(): AsyncGenerator<StoredPassage[]> {
    try {
      await this.store.follow()
      await this.refreshTable()
      const committed = new SegmentRows(this.store.projects())
      for await (const rows of this.table.scan()) yield rows.flatMap(({ row, passage }) => (committed.note(row) ? passage : []))
    } catch (error) {
      throw indexFailure(error)
    }
  }

  /** An object store verifies the objects itself. */
  async damagedFiles(): Promise<DamagedIndexFile[]> {
    return []
  }

  inventory(): Promise<Map<string, { version: number; chunks: number }>> {
    return guarded(async () => {
      await this.store.follow()
      if (this.#watch.damage !== null) throw this.#watch.damage
      const found = new Map<string, { version: number; chunks: number }>()
      for (const project of this.store.projects()) addInventory(project, found)
      return found
    })
  }

  /** Does nothing in a process that only reads. Rejects in a process that can't become the writer now. */
  optimize(): Promise<void> {
    return guarded(async () => {
      if (this.#writer === null) return
      // Only the writer compacts, so that processes don't do the same work.
      await this.#asWriter(async () => {})
      await this.table.optimize()
      if (this.#hasUnused && performance.now() >= this.#nextUnusedAt) await this.#asWriter(() => this.#removeUnused())
      await this.store.sweep()
      await this.#options.onCommit(this.#options.id, this.store.version)
    })
  }

  /** Resolves when nothing is left to merge or remove. */
  async idle(): Promise<void> {
    await this.store.idle()
    await this.removals.idle()
    await this.#repairing.idle()
    await this.#filling.idle()
    await this.#caching.idle()
  }

  async check(): Promise<IndexHealth> {
    const { damage } = this.#watch
    const {
      ok,
      message,
      isUnavailable = false,
    } = damage === null ? await this.table.check() : { ok: false, message: damage.message }
    const passages = this.count()
    return {
      ok,
      isUnavailable,
      message: ok ? countOf(passages, 'passage') : message,
      passages: ok ? passages : null,
      isIncomplete: this.isIncomplete(),
    }
  }

  async close(): Promise<void> {
    this.#breaker.close()
    await this.closeParts([this.#repairing, this.#filling, this.#caching].map((task) => task.stop()))
  }

  async #fill(): Promise<void> {
    await this.store.readFiles((segment) => this.leaveOut(segment))
    this.#caching.start()
  }

  async #fillCache(): Promise<void> {
    const files = this.store.projects().flatMap(({ segments }) => segments.flatMap(pagedFilesOf))
    await this.#options.cache?.fill(files.flatMap(({ remote }) => remote ?? []).sort((a, b) => a.size - b.size))
  }

  /** Logs when this process falls behind, and when it has caught up. `reason` says why it lacks the newest commits; null if it has them. */
  #noteBehind(reason: unknown): void {
    const { log } = this.#options
    const isBehind = reason !== null
    if (isBehind && !this.#isBehind) log.warn({ err: reason }, 'searches continue without the newest commits to the index')
    if (!isBehind && this.#isBehind) log.info({}, 'searches have the newest commits to the index again')
    this.#isBehind = isBehind
  }

  async #follow(): Promise<true> {
    const { id, newestVersion } = this.#options
    if (newestVersion === null || (await newestVersion(id)) > this.store.version) await this.store.follow()
    return true
  }

  protected override get canWrite(): boolean {
    return this.#writer !== null
  }

  protected override async refreshTable(): Promise<void> {
    const { version } = this.store
    if (version === this.#tableVersion) return
    await this.table.refresh()
    this.#tableVersion = version
  }

  #asWriter<T>(work: () => Promise<T>): Promise<T> {
    const writer = this.#writer
    if (writer === null) throw indexFailure(new Error('this process only reads the index'))
    return this.write(() => writer.run(work))
  }

  #change(commit: () => Promise<{ removedRows: bigint[] }>): Promise<void> {
    return guarded(() =>
      this.#asWriter(async () => {
        if (this.#watch.damage !== null) throw this.#watch.damage
        const { removedRows } = await commit()
        this.removals.add(removedRows)
        await this.#options.onCommit(this.#options.id, this.store.version)
      }),
    )
  }

  /**
   * Removes the rows that no commit refers to, and that no later commit can refer to. Earlier writers can't commit any more. This process
   * runs one change at a time. A later writer adds its own rows only after its takeover, and `confirm` shows that there has been none since
   * the rows were read.
   */
  async #removeUnused(): Promise<void> {
    const rows = await this.table.rowIds()
    await this.store.confirm()
    // Missing segments refer to rows as well.
    if (this.isIncomplete()) return
    this.#nextUnusedAt = performance.now() + UNUSED_EVERY_MS
    this.#hasUnused = false
    const pending = this.removals.pending()
    const committed = new SegmentRows(this.store.projects())
    const unused: bigint[] = []
    for (const number of rows) {
      const row = BigInt(number)
      if (!committed.note(row) && !pending.has(row)) unused.push(row)
    }
    this.removals.add(unused)
  }

  /**
   * Fetches the files of segments that are missing. If the store lacks them as well, the writer gives them up, so that their documents are indexed
   * again. Other processes wait for that.
   */
  async #repair(): Promise<void> {
    if (!this.isIncomplete()) return
    await this.store.follow()
    if (!this.isIncomplete()) return
    if (this.#writer === null) throw new Error('the object store lacks segments')
    await this.#asWriter(async () => {
      const missing = this.store.projects().filter(({ isIncomplete }) => isIncomplete)
      this.#options.log.error(
        { projects: missing.length },
        'segments in the object store are damaged; indexing their documents again',
      )
      await this.store.mark(missing.map(({ projectId }) => ({ projectId, isIncomplete: false })))
    })
    this.#watch.announce()
  }
}

/**
 * Takes the place of a `TableWatch` in a process that only reads a shared index. It does not read the whole table when a read fails, because every
 * such process would do it, and none could repair anything. It tries unreadable rows again after the next commit.
 */
class ReaderWatch implements Pick<TableWatch, 'verify' | 'onReadable' | 'onDamage' | 'announce' | 'damage' | 'stop'> {
  readonly damage = null
  readonly #store: Pick<SegmentStore, 'onChange'>
  #stopListening: () => void = () => {}

  constructor(store: Pick<SegmentStore, 'onChange'>) {
    this.#store = store
  }

  verify(): void {}

  announce(): void {}

  onDamage(): () => void {
    return () => {}
  }

  onReadable(listener: (damagedTexts: readonly bigint[]) => void): void {
    this.#stopListening = this.#store.onChange(() => listener([]))
  }

  async stop(): Promise<void> {
    this.#stopListening()
  }
}

/** How this process gets the right to write an index that processes share. */
export interface WriterLeases {
  /**
   * Returns the lease that this process has for an index. If it has none, takes one, with a greater fence than every earlier lease of the index.
   * Called before each change, so it has to be quick while the lease lasts. Rejects while another process has the lease.
   */
  current(indexId: string): Promise<WriterLease>
  /** The lease can't be used any more. The next call of `current` has to return another one. */
  drop(indexId: string, lease: WriterLease): void
}

interface WriterTurnOptions {
  indexId: string
  store: Pick<SegmentStore, 'isWriter' | 'takeOver'>
  table: Pick<PassageTable, 'refresh'>
  leases: WriterLeases
  /** Called after this process has become the writer. */
  onTakeover: () => void
}

/** Makes this process the writer of a shared index before a change, if it is not yet. Use it for one change at a time. */
class WriterTurn {
  readonly #options: WriterTurnOptions
  #lease: WriterLease | null = null

  constructor(options: WriterTurnOptions) {
    this.#options = options
  }

  /** Runs a change as the writer. Rejects with `writer_replaced` when another process has become the writer. */
  async run<T>(change: () => Promise<T>): Promise<T> {
    const { indexId, leases } = this.#options
    const lease = await leases.current(indexId)
    try {
      if (this.#lease?.fence !== lease.fence || !this.#options.store.isWriter) await this.#takeOver(lease)
      return await change()
    } catch (error) {
      // After its thread has ended, this process can't tell which of its commits have taken effect. Only a takeover can.
      if (isDocsearchError(error, 'writer_replaced') || !this.#options.store.isWriter) {
        this.#lease = null
        leases.drop(indexId, lease)
      }
      throw error
    }
  }

  async #takeOver(lease: WriterLease): Promise<void> {
    const { store, table, onTakeover } = this.#options
    await store.takeOver(lease)
    await table.refresh()
    this.#lease = lease
    onTakeover()
  }
}
