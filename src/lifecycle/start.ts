import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import pRetry from 'p-retry'
import { isDocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import { withoutLatest } from '../ollama/client.ts'
import type { ProjectIds, Records } from '../records/records.ts'
import { ActiveIndex } from './active-index.ts'
import { Building } from './building.ts'
import { Changes, type Choice, type IndexState, type Lifecycle, type LifecycleOptions, type OpenIndex } from './lifecycle.ts'
import { DAY_MS, DriftWatch } from './drift.ts'
import { fingerprintOf, parseFingerprint } from './fingerprint.ts'
import type { ModelTest } from './model-test.ts'
import { pinnedNotice, testNamed } from './model-requests.ts'
import { OpenIndexes } from './open-indexes.ts'
import { describeStatus } from './status.ts'

const CLOSE_MS = 2_000
const RETRY_MS = 1_000
const LOOK_MS = 30_000
const MAX_RETRY_MS = 60_000

/**
 * Chooses the embedder and opens its index. A damaged index is replaced by an empty one, and every document is queued. For another embedder, or
 * after an index of an earlier version, a second index is built while the first one answers. When the same model has other weights or
 * vectors, the index answers keyword searches only, until the user runs `docsearch models use`.
 */
export async function startLifecycle(options: LifecycleOptions): Promise<Lifecycle> {
  const lifecycle = new IndexLifecycle(options)
  await lifecycle.start()
  return lifecycle
}

class IndexLifecycle implements Lifecycle {
  readonly #options: LifecycleOptions
  /** The embedder that the configuration names. */
  readonly #pinned: string | null
  readonly #closing = new AbortController()
  readonly #exclusive = pLimit(1)
  readonly #changes = new Changes()
  readonly #open: OpenIndexes
  readonly #active: ActiveIndex
  readonly #building: Building
  readonly #drift: DriftWatch
  #looking: NodeJS.Timeout | undefined

  constructor(options: LifecycleOptions) {
    const { records, log } = options
    this.#options = options
    this.#pinned = options.pinned == null ? null : withoutLatest(options.pinned)
    this.#open = new OpenIndexes(options)
    this.#active = new ActiveIndex({ ...options, openIndexes: this.#open, closing: this.#closing.signal })
    this.#building = new Building({ ...options, openIndexes: this.#open })
    this.#drift = new DriftWatch({
      records,
      openIndexes: this.#open,
      writer: {
        setUnrelatedSimilarity: (id, unrelatedSimilarity) => this.#open.setUnrelatedSimilarity(id, unrelatedSimilarity),
        restartBuilding: (id) => this.restartBuilding(id, 'its model now returns other vectors'),
      },
      exclusive: this.#exclusive,
      onChange: () => this.#changes.announce(),
      checkEveryMs: options.checkEveryMs ?? DAY_MS,
      signal: this.#closing.signal,
      log,
    })
  }

  async start(): Promise<void> {
    const isSettled = await this.#exclusive(() => this.#choose())
    await dropLeftovers({ ...this.#options, openIndexes: this.#open }, await this.#chosen())
    if (!isSettled) void this.#chooseUntilSettled()
    void this.#drift.check()
    this.#looking = setInterval(() => void this.#lookForModel(), this.#options.lookEveryMs ?? LOOK_MS)
    this.#looking.unref()
  }

  /** Takes a model that appears on Ollama while there are no documents, unless the user has chosen an embedder. Never rejects. */
  async #lookForModel(): Promise<void> {
    const { log } = this.#options
    try {
      const isChanged = await this.#exclusive(async () => (await this.#chosen()) === null && (await this.#active.reconsider()))
      if (!isChanged) return
      log.info(
        { embedder: this.#active.choice.embedder },
        'a model has appeared on Ollama; using it, as there are no documents yet',
      )
      this.#changed()
    } catch (error) {
      if (!this.#closing.signal.aborted) log.warn({ err: error }, 'looking for a model on Ollama failed; trying again later')
    }
  }

  /** Sets up the active index and, when another embedder is chosen, the building one. Returns false when something has to be tried again. */
  async #choose(): Promise<boolean> {
    const all = await this.#options.records.indexes.all()
    const record = all.find(({ state }) => state === 'active') ?? null
    const chosen = await this.#chosen()
    const other = record !== null && chosen !== null && chosen !== record.embeddingModel ? chosen : null
    const own = other === null ? chosen : record!.embeddingModel
    const isSettled = await this.#active.openWithEmbedder(record, own ?? undefined)
    if (this.#closing.signal.aborted) return isSettled
    if (other !== null) return (await this.#begin(other, { isChoice: true })) && isSettled
    // A user asked for a new index with the same embedder, because the model had changed.
    const isBegun = all.some(({ state, embeddingModel }) => state === 'building' && embeddingModel === record?.embeddingModel)
    if (record !== null && (isBegun || this.#active.isOutdated))
      return (await this.#begin(record.embeddingModel, { isChoice: false })) && isSettled
    return isSettled
  }

  /** Repeats `#choose` with growing pauses, until there is nothing left to try or the daemon stops. Never rejects. */
  async #chooseUntilSettled(): Promise<void> {
    const { log } = this.#options
    const { signal } = this.#closing
    const attempt = async () => {
      const isSettled = await this.#exclusive(() => this.#choose())
      this.#changed()
      return isSettled
    }
    try {
      await sleep(RETRY_MS, undefined, { ref: false, signal })
      await pRetry(
        async () => {
          const isSettled = await attempt().catch((error: unknown) => log.error({ err: error }, 'no embedder could be set up'))
          if (!isSettled) throw new Error('the embedder cannot be used yet')
        },
        { retries: Infinity, minTimeout: RETRY_MS, maxTimeout: MAX_RETRY_MS, unref: true, signal },
      )
    } catch {
      // The daemon stops: every other failure is tried again.
    }
  }

  async #chosen(): Promise<string | null> {
    return this.#pinned ?? (await this.#options.records.indexes.chosen())
  }

  /** Begins to build an index with a chosen embedder, or of this version. Returns false when the embedder can't be used now. */
  async #begin(embedder: string, { isChoice }: { isChoice: boolean }): Promise<boolean> {
    const { log } = this.#options
    try {
      const state = await this.#building.begin(embedder, { isChoice })
      const what = isChoice
        ? 'building an index for another embedder'
        : 'building an index with the same embedder while searches use the current one'
      if (state === 'building') log.info({ embedder }, what)
      return true
    } catch (error) {
      if (!isDocsearchError(error, 'model_unusable')) throw error
      log.warn({ embedder, err: error }, 'the embedder cannot be used now; trying again later')
      return false
    }
  }

  #changed(): void {
    this.#changes.announce()
    void this.#drift.check()
  }

  active(): OpenIndex | null {
    return this.#open.active
  }

  building(): OpenIndex | null {
    return this.#open.building
  }

  inactive(): readonly Pick<OpenIndex, 'record' | 'index'>[] {
    return this.#open.inactive()
  }

  indexes(projects?: ProjectIds): Promise<IndexState[]> {
    return this.#open.states(projects)
  }

  choice(): Choice {
    return this.#active.choice
  }

  async status(projects?: ProjectIds): ReturnType<Lifecycle['status']> {
    const { active, building } = this.#open
    const { choice, rebuiltBecause } = this.#active
    // Health also answers while the database does not; its own check says so.
    const [state, own] = await Promise.all([
      building && this.#open.state(building.record, projects).catch(() => null),
      active === null || projects === undefined ? null : this.#open.countOwnPassages(active.record, projects).catch(() => null),
    ])
    const ownPassages = projects === undefined ? undefined : own
    return describeStatus({
      active,
      chosen: choice.embedder,
      reason: choice.reason,
      rebuiltBecause,
      building: state,
      ownPassages,
      withoutEmbedder: 'Searches use keywords only, and new documents wait.',
    })
  }

  onChange(listener: () => void): () => void {
    return this.#changes.onChange(listener)
  }

  waitFor<T>(find: () => T | null, signal: AbortSignal): Promise<T> {
    return this.#changes.waitFor(find, signal)
  }

  async use(name: string): ReturnType<Lifecycle['use']> {
    const embedder = withoutLatest(name)
    const begin = () =>
      this.#exclusive(() => (this.#open.active === null ? this.#active.createFirst(embedder) : this.#building.begin(embedder)))
    const hadIndex = this.#open.active !== null
    let state = await begin()
    if (state === 'in_use' && hadIndex && (await this.#hasDrifted())) state = await begin()
    this.#changed()
    return { embedder, state, notice: pinnedNotice(this.#pinned, embedder) }
  }

  /** Checks the vectors of the active index. Returns true if docsearch can't use its model now. */
  async #hasDrifted(): Promise<boolean> {
    await this.#drift.checkBriefly()
    return this.#open.active?.embedder.canEmbed === false
  }

  test(name: string, signal: AbortSignal): Promise<ModelTest> {
    return testNamed(this.#options.chooseEmbedder, name, signal)
  }

  async remove(name: string): Promise<void> {
    await this.#exclusive(() => this.#building.remove(withoutLatest(name)))
    this.#changed()
  }

  buildSpeed() {
    return this.#open.buildSpeed()
  }

  async switchOver(options: { waitForReplaced: boolean }): Promise<boolean> {
    const outcome = await this.#exclusive(() => this.#building.switchOver(options))
    if (outcome === 'switched') {
      const embedder = this.#open.active!.embedder.name
      const isSame = this.#active.isOutdated && this.#active.choice.embedder === embedder
      if (!isSame) this.#active.choice = { embedder, reason: 'It was chosen with `docsearch models use`.' }
      this.#active.isOutdated = false
      this.#options.log.info({ embedder }, 'switched to the new index')
      this.#changed()
    }
    return outcome !== 'incomplete'
  }

  rebuildActive(reason: string): Promise<void> {
    const damaged = this.#open.active
    return this.#exclusive(async () => {
      // Two callers that meet the same damage cause one rebuild.
      if (damaged === null || this.#open.active !== damaged) return
      await this.#active.rebuild(reason)
      this.#changed()
    })
  }

  checkVectors(): Promise<void> {
    return this.#drift.checkBriefly()
  }

  async restartBuilding(id: string, reason: string): Promise<void> {
    this.#options.log.error({ reason }, 'the index that is being built cannot be used; building it from the beginning')
    await this.#exclusive(() => this.#building.restart(id))
    this.#changed()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    clearInterval(this.#looking)
    this.#drift.stop()
    // A model that is being set up may take long: don't wait for it.
    await Promise.race([this.#exclusive(async () => {}), sleep(CLOSE_MS, undefined, { ref: false })])
    await this.#open.close()
  }
}

/**
 * At start: opens the retired indexes and drops every index that can't be used any more, row and files. An index that was being built for the
 * chosen embedder stays, also while that embedder is out of reach.
 */
async function dropLeftovers(
  { records, openIndexes, log }: { records: Pick<Records, 'indexes'>; openIndexes: OpenIndexes; log: Logger },
  chosen: string | null,
): Promise<void> {
  const { active, building } = openIndexes
  const { layout } = fingerprintOf({ fingerprint: '' })
  const wanted = chosen ?? active?.record.embeddingModel
  for (const record of await records.indexes.all()) {
    const { id, state, embeddingModel, fingerprint } = record
    if (state === 'active' || building?.record.id === id) continue
    const isCurrent = parseFingerprint(fingerprint).layout === layout
    const index = isCurrent && state === 'retired' ? await openIndexes.open(record) : null
    if (index !== null) openIndexes.retire({ record, index, ownEmbedder: null })
    else if (!isCurrent || state === 'retired' || embeddingModel !== wanted) {
      log.info(
        { embedder: embeddingModel },
        'dropping an index that is damaged, of another version of docsearch, or no longer wanted',
      )
      await records.indexes.drop(id)
    }
  }
  await openIndexes.dropFilesWithoutRow()
}
