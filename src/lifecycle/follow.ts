import pLimit from 'p-limit'
import type { Logger } from '../core/logger.ts'
import { fromNow } from '../core/moment.ts'
import { denseDimensions } from '../embed/builtin.ts'
import type { PassageIndex, PassageIndexStore } from '../index/passage-index.ts'
import type { IndexRecord, ProjectIds, Records } from '../records/records.ts'
import type { ModelRequestRecords, Versions, WriterReport, WriterReports } from '../records/shared.ts'
import { fitOf } from './active-index.ts'
import { withSpeed } from './build-meter.ts'
import {
  Changes,
  type ChooseEmbedder,
  type Choice,
  type IndexReading,
  type IndexState,
  type LifecycleCheck,
  type OpenIndex,
  type UseOutcome,
} from './lifecycle.ts'
import { DAY_MS, DriftWatch, type WatchedIndexes } from './drift.ts'
import { isUsable, parseFingerprint } from './fingerprint.ts'
import { placeholderEmbedder } from './placeholder-embedder.ts'
import { ModelRequests } from './model-requests.ts'
import type { ModelTest } from './model-test.ts'
import type { LoadedIndex } from './open-indexes.ts'
import { changedMessage, describeStatus } from './status.ts'

/** How often to look for changes while no search asks for them. */
const LOOK_MS = 1_000
/** How often to look after a failure, and while the embedder can't be used. */
const RETRY_MS = 5_000
/** A search that began before a switch may read the former index for this long. */
const CLOSE_AFTER_MS = 30_000

const ONLY_HERE =
  'The process that writes the index does not report this. If it uses another Ollama server, run the same version of Ollama for all processes.'

export interface FollowOptions {
  records: Pick<Records, 'indexes'>
  /** Opens indexes for reading. */
  indexStore: Pick<PassageIndexStore, 'open' | 'size'>
  versions: Versions
  reports: Pick<WriterReports, 'read'>
  modelRequests: ModelRequestRecords
  /** Says whether a process writes the index. */
  isWorking(): Promise<boolean>
  chooseEmbedder: ChooseEmbedder
  /** How often to compare the vectors of the canary texts, in addition to the comparison at each start. */
  checkEveryMs?: number
  log: Logger
}

/** Follows the indexes that another process writes. Tries to open the active one, and goes on trying if that fails. */
export async function followIndexes(options: FollowOptions): Promise<IndexReading> {
  const following = new FollowedIndexes(options)
  await following.start()
  return following
}

/** An open index, its embedder, and why this embedder is used. */
interface Followed extends LoadedIndex {
  reason: string
  /** False while its embedder can't be used but may be later. */
  isSettled: boolean
}

class FollowedIndexes implements IndexReading {
  readonly #options: FollowOptions
  readonly #changes = new Changes()
  readonly #closing = new AbortController()
  readonly #exclusive = pLimit(1)
  readonly #leaving = new Map<NodeJS.Timeout, () => Promise<void>>()
  readonly #drift: DriftWatch
  readonly #requests: ModelRequests
  #active: Followed | null = null
  #building: IndexRecord | null = null
  /** Why the process that writes the index can't embed documents. Null if it can, or if no process writes the index. */
  #writerFailure: WriterReport['embedder'] = null
  /** The version of the list of indexes that `active` is from. */
  #seenIndexes = -1
  /** True while the active index is one that this version can't read. */
  #isUnreadable = false
  #noIndex = 'No process has made an index yet. Start one with --role worker or --role all.'
  #running: Promise<void> | null = null
  #next: Promise<void> | null = null
  #timer: NodeJS.Timeout | undefined

  constructor(options: FollowOptions) {
    this.#options = options
    this.#drift = new DriftWatch({
      records: options.records,
      openIndexes: this.#watched(),
      writer: null,
      exclusive: this.#exclusive,
      onChange: () => this.#changes.announce(),
      checkEveryMs: options.checkEveryMs ?? DAY_MS,
      signal: this.#closing.signal,
      log: options.log,
    })
    this.#requests = new ModelRequests({
      ...options,
      catchUp: () => this.catchUp(),
      hasChanged: () => this.#hasChanged(),
      signal: this.#closing.signal,
    })
  }

  #watched(): WatchedIndexes {
    const active = () => this.#active
    return {
      get active() {
        return active()
      },
      // The process that writes the index checks the index that is being built.
      building: null,
      setActiveEmbedder: (embedder) => {
        if (this.#active) this.#active = { ...this.#active, embedder }
      },
    }
  }

  async start(): Promise<void> {
    await this.#look()
  }

  /** Each reload serves all callers that were waiting before it began. They have all asked for the version by then, so it is new enough for each. */
  async catchUp(): Promise<void> {
    if ((await this.#options.versions.of('indexes')) === this.#seenIndexes) return
    this.#next ??= (async () => {
      await this.#running?.catch(() => {})
      this.#running = this.#next
      this.#next = null
      await this.#catchUpNow()
    })()
    await this.#next
  }

  async #catchUpNow(): Promise<void> {
    const indexes = await this.#options.versions.of('indexes')
    if (indexes === this.#seenIndexes) return
    const before = this.#active?.ownEmbedder
    await this.#exclusive(() => this.#reload())
    this.#seenIndexes = indexes
    this.#changes.announce()
    if (this.#active?.ownEmbedder !== before) void this.#drift.check()
  }

  async #look(): Promise<void> {
    let pause = LOOK_MS
    try {
      if (this.#active?.isSettled === false) this.#seenIndexes = -1
      await fromNow(async () => {
        await this.catchUp()
        // Fetch commits now, so that the next search waits less.
        await this.#active?.index.catchUp()
      })
      await this.#readReport()
      await this.#readUnrelatedSimilarity()
      if (this.#active?.isSettled === false) pause = RETRY_MS
    } catch (error) {
      this.#options.log.warn({ err: error }, 'could not read changes of the search index; trying again')
      pause = RETRY_MS
    }
    if (!this.#closing.signal.aborted) this.#timer = setTimeout(() => void this.#look(), pause).unref()
  }

  async #readReport(): Promise<void> {
    const before = this.#writerFailure
    // The built-in embedder does not fail.
    const report = this.#active?.embedder.isExternal ? await this.#options.reports.read() : null
    this.#writerFailure = report?.embedder ?? null
    // Usually, both processes use the same Ollama, so the vectors here have probably changed too.
    if (this.#writerFailure?.code !== before?.code) void this.#drift.check()
  }

  /** The process that writes the index may measure this only after this process has opened the index. */
  async #readUnrelatedSimilarity(): Promise<void> {
    if (!this.#active?.embedder.isExternal || this.#active.unrelatedSimilarity !== null) return
    const { id } = this.#active.record
    const measured = await this.#options.records.indexes.measurements(id)
    const unrelatedSimilarity = measured?.unrelatedSimilarity ?? null
    if (unrelatedSimilarity === null) return
    await this.#exclusive(async () => {
      if (this.#active?.record.id === id) this.#active = { ...this.#active, unrelatedSimilarity }
    })
  }

  async #reload(): Promise<void> {
    const all = await this.#options.records.indexes.all()
    this.#building = all.find(({ state }) => state === 'building') ?? null
    const record = all.find(({ state }) => state === 'active') ?? null
    const before = this.#active
    this.#isUnreadable = record !== null && !isUsable(parseFingerprint(record.fingerprint))
    if (record === null || this.#isUnreadable) {
      if (record !== null)
        this.#noIndex =
          'Another version of docsearch made the search index, and this version cannot read it. Run the same version here.'
      this.#active = null
    } else if (before?.record.id === record.id) {
      if (before.record.fingerprint !== record.fingerprint || !before.isSettled)
        this.#active = { ...before, record, ...(await this.#embedderOf(record)) }
      return
    } else this.#active = await this.#open(record)
    if (before !== null) this.#closeLater(before)
  }

  async #open(record: IndexRecord): Promise<Followed> {
    const { records, indexStore } = this.#options
    const { id, dimensions, embeddingModel } = record
    const index = await indexStore.open({ id, dimensions, denseDimensions: denseDimensions(embeddingModel, dimensions) })
    const unrelatedSimilarity = (await records.indexes.measurements(id))?.unrelatedSimilarity ?? null
    return { record, index, unrelatedSimilarity, ...(await this.#embedderOf(record)) }
  }

  async #embedderOf(record: IndexRecord): Promise<Pick<Followed, 'embedder' | 'ownEmbedder' | 'reason' | 'isSettled'>> {
    const { embeddingModel, fingerprint } = record
    const existing = { embeddingModel, fingerprint: parseFingerprint(fingerprint).embedder }
    const { embedder, reason } = await this.#options.chooseEmbedder(existing, embeddingModel)
    if (embedder === null)
      return {
        embedder: placeholderEmbedder(record, 'embedder_unavailable', reason),
        ownEmbedder: null,
        reason,
        isSettled: false,
      }
    if (fitOf(record, embedder) !== 'changed' && embedder.fingerprint === existing.fingerprint)
      return { embedder, ownEmbedder: embedder, reason, isSettled: true }
    await embedder.close()
    const message = changedMessage(embedder.name, existing.fingerprint, embedder.fingerprint)
    return {
      embedder: placeholderEmbedder(record, 'embedding_model_changed', message),
      ownEmbedder: null,
      reason: message,
      isSettled: true,
    }
  }

  #closeLater({ index, ownEmbedder }: Followed): void {
    const close = async () => {
      this.#leaving.delete(timer)
      await ownEmbedder?.close()
      await index.close()
    }
    const timer = setTimeout(() => {
      close().catch((error: unknown) => this.#options.log.warn({ err: error }, 'could not close an index'))
    }, CLOSE_AFTER_MS)
    timer.unref()
    this.#leaving.set(timer, close)
  }

  active(): OpenIndex | null {
    return this.#active
  }

  building(): Pick<OpenIndex, 'record'> | null {
    return this.#building && { record: this.#building }
  }

  inactive(): [] {
    return []
  }

  choice(): Choice {
    const active = this.#active
    if (active === null) return { embedder: 'none', reason: this.#noIndex }
    return { embedder: active.record.embeddingModel, reason: active.reason }
  }

  async indexes(projects?: ProjectIds): Promise<IndexState[]> {
    // Only an index that is open has a number of passages.
    await this.catchUp()
    const all = await this.#options.records.indexes.all()
    return Promise.all(all.map((record) => this.#stateOf(record, projects)))
  }

  async #stateOf(record: IndexRecord, projects?: ProjectIds): Promise<IndexState> {
    const { records, indexStore, reports } = this.#options
    const { id, state } = record
    const stored = state === 'active' ? null : await records.indexes.progress(id, projects)
    const withoutSpeed = stored && { ...stored, tokensPerSecond: null, secondsLeft: null }
    // The speed and the size would reveal something about the documents of other users.
    if (projects !== undefined) {
      const passages = await records.indexes.countPassages(id, projects)
      return { record, passages, sizeBytes: null, progress: withoutSpeed }
    }
    const isOpen = this.#active?.record.id === id
    const [passages, sizeBytes, report] = await Promise.all([
      // Only the writer has the other indexes open, so the records have to say how many passages they have.
      isOpen ? this.#countPassages(this.#active!.index) : (stored?.passagesDone ?? null),
      indexStore.size(id),
      state === 'building' ? reports.read() : null,
    ])
    const speed = report?.building?.indexId === id ? report.building : null
    return { record, passages, sizeBytes, progress: stored && speed ? withSpeed(stored, speed) : withoutSpeed }
  }

  async #countPassages(index: PassageIndex): Promise<number> {
    await index.catchUp()
    return index.countPassages()
  }

  async status(projects?: ProjectIds): ReturnType<IndexReading['status']> {
    const { records } = this.#options
    const [active, building] = [this.#active, this.#building]
    // Health also answers while the database does not; its own check says so.
    const [state, own] = await Promise.all([
      building && this.#stateOf(building, projects).catch(() => null),
      active === null || projects === undefined
        ? null
        : records.indexes.countPassages(active.record.id, projects).catch(() => null),
    ])
    const { embedder: chosen, reason } = this.choice()
    const ownPassages = projects === undefined ? undefined : own
    const described = await describeStatus({
      active,
      chosen,
      reason,
      rebuiltBecause: null,
      building: state,
      ownPassages,
      withoutEmbedder: 'Searches in this process use keywords only.',
    })
    // Other processes may run a version that can read the index.
    if (this.#isUnreadable) return { ...described, index: { status: 'unavailable', message: this.#noIndex } }
    return { ...described, embedder: this.#withWriter(described.embedder) }
  }

  /** Says what is true of searches in this process, and then what the process that writes the index reports. That process may use another Ollama server. */
  #withWriter(own: LifecycleCheck): LifecycleCheck {
    const failure = this.#writerFailure
    const hasDrifted = own['code'] === 'embedding_model_changed' && this.#active?.embedder.canEmbed === false
    if (failure === null) return hasDrifted ? { ...own, message: `${own.message} ${ONLY_HERE}` } : own
    const isSame = own.message.startsWith(failure.message)
    const finding = isSame ? ' the same.' : `: ${failure.message}`
    const report = `New documents wait. The process that writes the index reports${finding}`
    if (own.status !== 'ok') return { ...own, message: `${own.message} ${report}` }
    return { ...own, status: 'degraded', code: failure.code, message: `Searches in this process use vectors. ${report}` }
  }

  onChange(listener: () => void): () => void {
    return this.#changes.onChange(listener)
  }

  waitFor<T>(find: () => T | null, signal: AbortSignal): Promise<T> {
    return this.#changes.waitFor(find, signal)
  }

  use(name: string): Promise<UseOutcome> {
    return this.#requests.use(name)
  }

  async #hasChanged(): Promise<boolean> {
    await this.#drift.checkBriefly()
    return (await this.#active?.embedder.check())?.code === 'embedding_model_changed'
  }

  test(name: string, signal: AbortSignal): Promise<ModelTest> {
    return this.#requests.test(name, signal)
  }

  remove(name: string): Promise<void> {
    return this.#requests.remove(name)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    clearTimeout(this.#timer)
    this.#drift.stop()
    await this.#running?.catch(() => {})
    for (const [timer, close] of this.#leaving) {
      clearTimeout(timer)
      await close()
    }
    await this.#active?.ownEmbedder?.close()
    await this.#active?.index.close()
  }
}
