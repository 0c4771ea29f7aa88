import type { UnrelatedSimilarity } from '../core/noise.ts'
import type { Logger } from '../core/logger.ts'
import { denseDimensions } from '../embed/builtin.ts'
import type { Embedder } from '../embed/embedder.ts'
import type { PassageIndex, PassageIndexStore } from '../index/passage-index.ts'
import { isDamaged } from '../index/segments/failures.ts'
import type { BuildSpeed } from '../records/indexes.ts'
import type { IndexRecord, ProjectIds, Records } from '../records/records.ts'
import { BuildMeter } from './build-meter.ts'
import type { BuildProgress, IndexState, OpenIndex } from './lifecycle.ts'

/** An open index, with the embedder that made it. */
export interface LoadedIndex extends OpenIndex {
  /**
   * The embedder itself, even while `embedder` is a placeholder because the model has changed. Null while the embedder is out of reach, and for
   * an index that was retired before this start.
   */
  ownEmbedder: Embedder | null
}

export type RetiredIndex = Pick<LoadedIndex, 'record' | 'index' | 'ownEmbedder'>

/** The open indexes: the active one, the building one and the retired ones. Only one caller at a time may change them. */
export class OpenIndexes {
  #active: LoadedIndex | null = null
  #building: LoadedIndex | null = null
  #meter: BuildMeter | null = null
  #retired: RetiredIndex[] = []
  readonly #drops: PendingDrops
  readonly #records: Pick<Records, 'indexes'>
  readonly #store: PassageIndexStore
  readonly #log: Logger

  constructor({ records, indexStore, log }: { records: Pick<Records, 'indexes'>; indexStore: PassageIndexStore; log: Logger }) {
    this.#records = records
    this.#store = indexStore
    this.#log = log
    this.#drops = new PendingDrops(log)
  }

  get active(): LoadedIndex | null {
    return this.#active
  }

  get building(): LoadedIndex | null {
    return this.#building
  }

  inactive(): RetiredIndex[] {
    return [...(this.#building ? [this.#building] : []), ...this.#retired]
  }

  /**
   * Makes the index of this record active, with this embedder, and closes what they replace. The index is opened unless it is the one that is
   * active already and only its embedder is new. Throws `index_corrupt`.
   */
  async activate(record: IndexRecord, embedder: Embedder): Promise<void> {
    const before = this.#active
    const index = before?.record.id === record.id ? before.index : await this.#openFiles(record)
    const unrelatedSimilarity =
      before?.record.id === record.id ? before.unrelatedSimilarity : await this.#unrelatedSimilarityOf(record)
    this.#active = { record, embedder, index, ownEmbedder: embedder.canEmbed ? embedder : null, unrelatedSimilarity }
    if (before && before.embedder !== embedder) await before.embedder.close()
    if (before && before.index !== index) await before.index.close()
  }

  /** Answers with another embedder from the active index: a placeholder, or its own again. */
  setActiveEmbedder(embedder: Embedder): void {
    if (this.#active) this.#active = { ...this.#active, embedder }
  }

  async startBuilding(next: Omit<LoadedIndex, 'unrelatedSimilarity'>): Promise<void> {
    const { passagesDone } = await this.#records.indexes.progress(next.record.id)
    this.#meter = new BuildMeter(next.embedder, passagesDone)
    this.#building = { ...next, unrelatedSimilarity: await this.#unrelatedSimilarityOf(next.record) }
  }

  /** Null while no index is being built. */
  async buildSpeed(): Promise<({ indexId: string } & BuildSpeed) | null> {
    if (this.#building === null || this.#meter === null) return null
    const { id } = this.#building.record
    return { indexId: id, ...this.#meter.measure(await this.#records.indexes.progress(id)) }
  }

  /** Remembers what was measured for this index, if it is still active or building. */
  setUnrelatedSimilarity(id: string, unrelatedSimilarity: UnrelatedSimilarity): void {
    if (this.#active?.record.id === id) this.#active = { ...this.#active, unrelatedSimilarity }
    if (this.#building?.record.id === id) this.#building = { ...this.#building, unrelatedSimilarity }
  }

  async #unrelatedSimilarityOf({ id }: IndexRecord): Promise<UnrelatedSimilarity | null> {
    return (await this.#records.indexes.measurements(id))?.unrelatedSimilarity ?? null
  }

  /** Stops building. Returns the index that was being built; it stays open. */
  takeBuilding(): LoadedIndex | null {
    const before = this.#building
    this.#building = null
    return before
  }

  /**
   * Makes the building index active. The former active index is retired, or dropped when both are of the same model: a search that is under way
   * may still use its embedder, which is closed with it.
   */
  switchOver(): void {
    const next = this.takeBuilding()
    if (next === null) return
    const former = this.#active
    this.#active = { ...next, record: { ...next.record, state: 'active' } }
    if (former === null) return
    const { record, index, ownEmbedder } = former
    if (record.embeddingModel === next.record.embeddingModel) this.dropLater(record.id, former)
    else this.retire({ record: { ...record, state: 'retired' }, index, ownEmbedder })
  }

  retire(index: RetiredIndex): void {
    this.#retired = [...this.#retired, index]
  }

  /** Removes an index from the retired ones. It stays open. Null when it is not among them. */
  takeRetired(id: string): RetiredIndex | null {
    const found = this.#retired.find(({ record }) => record.id === id) ?? null
    this.#retired = this.#retired.filter((retired) => retired !== found)
    return found
  }

  /** Opens an index that is not active. Returns null when its files are damaged. */
  async open(record: IndexRecord): Promise<PassageIndex | null> {
    try {
      return await this.#openFiles(record)
    } catch (error) {
      if (!(await isDamaged(error))) throw error
      this.#log.warn({ err: error, index: record.id }, 'dropping a damaged index that is not active')
      return null
    }
  }

  #openFiles({ id, dimensions, embeddingModel }: IndexRecord): Promise<PassageIndex> {
    return this.#store.open({ id, dimensions, denseDimensions: denseDimensions(embeddingModel, dimensions) })
  }

  /** Deletes the files of an index whose row is gone, once no search can read them any more. */
  dropLater(id: string, open: Pick<LoadedIndex, 'index' | 'ownEmbedder'> | null): void {
    this.#drops.add(id, async () => {
      await open?.ownEmbedder?.close()
      await open?.index.close()
      await this.#store.drop(id)
    })
  }

  dropFiles(id: string): Promise<void> {
    return this.#store.drop(id)
  }

  /** Deletes the files of every index that has no row. */
  async dropFilesWithoutRow(): Promise<void> {
    // Files first: an index gets its row before its files. In the other order, an index that another process makes in between would seem to have
    // no row.
    const ids = await this.#store.list()
    const known = new Set((await this.#records.indexes.all()).map(({ id }) => id))
    for (const id of ids) if (!known.has(id)) await this.#store.drop(id)
  }

  async states(projects?: ProjectIds): Promise<IndexState[]> {
    return Promise.all((await this.#records.indexes.all()).map((record) => this.state(record, projects)))
  }

  countOwnPassages({ id }: IndexRecord, projects: ProjectIds): Promise<number> {
    return this.#records.indexes.countPassages(id, projects)
  }

  /** Counts the documents and passages of some projects, or by default of the whole instance. */
  async state(record: IndexRecord, projects?: ProjectIds): Promise<IndexState> {
    const progressOf = () => (record.state === 'active' ? null : this.#progress(record, projects))
    if (projects !== undefined) {
      const [passages, progress] = await Promise.all([this.countOwnPassages(record, projects), progressOf()])
      return { record, passages, sizeBytes: null, progress }
    }
    const open = [this.#active, ...this.inactive()].find((one) => one?.record.id === record.id)
    const [passages, sizeBytes, progress] = await Promise.all([
      open ? this.#countPassages(open) : null,
      this.#store.size(record.id),
      progressOf(),
    ])
    return { record, passages, sizeBytes, progress }
  }

  /** The speed would tell about the documents of other users, so that the numbers about some projects lack it. */
  async #progress({ id }: IndexRecord, projects?: ProjectIds): Promise<BuildProgress> {
    const stored = await this.#records.indexes.progress(id, projects)
    const isBuilding = this.#building?.record.id === id
    if (projects === undefined && isBuilding && this.#meter !== null) return this.#meter.progress(stored)
    return { ...stored, tokensPerSecond: null, secondsLeft: null }
  }

  async close(): Promise<void> {
    await this.#drops.finish()
    for (const open of [this.#active, ...this.inactive()]) {
      await open?.ownEmbedder?.close()
      await open?.index.close()
    }
  }

  /** An index that can't be read is listed without its count; health says what is wrong with it. */
  async #countPassages({ record, index }: RetiredIndex): Promise<number | null> {
    try {
      return await index.countPassages()
    } catch (error) {
      this.#log.warn({ err: error, index: record.id }, 'could not count the passages of an index')
      return null
    }
  }
}

/** A search that began before a switch may read the former index for this long. */
const DELAY_MS = 30_000

/** Closes and deletes indexes a while after they have left the records. */
class PendingDrops {
  readonly #pending = new Map<NodeJS.Timeout, () => Promise<void>>()
  readonly #log: Logger

  constructor(log: Logger) {
    this.#log = log
  }

  add(id: string, drop: () => Promise<void>): void {
    const run = async () => {
      this.#pending.delete(timer)
      await drop()
    }
    const timer = setTimeout(() => {
      run().catch((error: unknown) => this.#log.warn({ err: error, index: id }, 'could not drop an index'))
    }, DELAY_MS)
    timer.unref()
    this.#pending.set(timer, run)
  }

  /** Drops what is pending now. */
  async finish(): Promise<void> {
    for (const [timer, run] of this.#pending) {
      clearTimeout(timer)
      await run()
    }
  }
}
