import type { Embedder } from '../embed/embedder.ts'
import type { Logger } from '../core/logger.ts'
import type { Records } from '../records/records.ts'
import { calibrate } from './calibrate.ts'
import { embedCanaries, leastSimilarity, MIN_SIMILARITY } from './canaries.ts'
import type { LoadedIndex, OpenIndexes } from './open-indexes.ts'
import { placeholderEmbedder } from './placeholder-embedder.ts'
import { driftMessage } from './status.ts'

/** The pause after a check that could not reach the model. */
const RETRY_MS = 60_000
/** The longest delay that setTimeout takes. */
const MAX_DELAY_MS = 2 ** 31 - 1

export interface DriftWatchOptions {
  records: Pick<Records, 'indexes'>
  openIndexes: OpenIndexes
  /** Runs `work` while nothing else changes the open indexes. */
  exclusive: <T>(work: () => Promise<T>) => Promise<T>
  onChange: () => void
  checkEveryMs: number
  signal: AbortSignal
  log: Logger
}

/**
 * Compares the vectors that a model returns for the canary texts with those it returned when the index was begun. When they differ, the model
 * embeds neither documents nor questions until the user rebuilds the index, or until the former vectors are back.
 */
export class DriftWatch {
  #state: 'waiting' | 'checking' | 'stopped' = 'waiting'
  #timer: NodeJS.Timeout | undefined
  /** Indexes checked in this round. A change of index checks only the new one; the timer begins a new round. */
  #checked = new Set<string>()
  readonly #options: DriftWatchOptions

  constructor(options: DriftWatchOptions) {
    this.#options = options
  }

  /** Checks the indexes that this round has not checked yet. Returns at once. */
  checkSoon(): void {
    void this.#checkAll()
  }

  stop(): void {
    this.#state = 'stopped'
    clearTimeout(this.#timer)
  }

  async #checkAll(): Promise<void> {
    if (this.#state !== 'waiting') return
    this.#state = 'checking'
    const { openIndexes, checkEveryMs, log } = this.#options
    let delay = Math.min(checkEveryMs, MAX_DELAY_MS)
    try {
      for (const loaded of [openIndexes.active, openIndexes.building])
        if (loaded && !this.#checked.has(loaded.record.id)) await this.#check(loaded)
    } catch (error) {
      // The model does not answer, or has another digest: health reports both.
      log.debug({ err: error }, 'the canary texts could not be embedded')
      delay = Math.min(delay, RETRY_MS)
    }
    this.#schedule(delay)
  }

  #schedule(delay: number): void {
    if (this.#state === 'stopped') return
    this.#state = 'waiting'
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#checked = new Set()
      void this.#checkAll()
    }, delay)
    this.#timer.unref()
  }

  async #check({ record, ownEmbedder }: LoadedIndex): Promise<void> {
    // The built-in embedder changes only with docsearch itself, and then its fingerprint changes.
    if (ownEmbedder === null || !ownEmbedder.isExternal) return
    const now = await embedCanaries(ownEmbedder, this.#options.signal)
    if (now === null) return
    const { indexes } = this.#options.records
    const before = await indexes.measurements(record.id)
    const canaries = before?.canaries ?? now
    const similarity = leastSimilarity(canaries, now)
    // Vectors of a changed model say nothing about those in the index.
    if (!before?.chance && similarity >= MIN_SIMILARITY) await this.#measure(record.id, ownEmbedder, canaries)
    this.#checked.add(record.id)
    if (before === null) return
    await this.#options.exclusive(async () => this.#apply(record.id, ownEmbedder, similarity))
  }

  /** Once for each index, so that the same question finds the same passages for as long as the index lives. */
  async #measure(id: string, embedder: Embedder, canaries: readonly Float32Array[]): Promise<void> {
    const { records, openIndexes, exclusive, signal } = this.#options
    const chance = await calibrate(embedder, signal)
    await records.indexes.setMeasurements(id, { canaries, chance })
    if (chance !== null) await exclusive(async () => openIndexes.setChance(id, chance))
  }

  #apply(id: string, ownEmbedder: NonNullable<LoadedIndex['ownEmbedder']>, similarity: number): void {
    const { openIndexes, onChange, log } = this.#options
    const { active } = openIndexes
    if (active?.record.id !== id || active.ownEmbedder !== ownEmbedder) return
    const hasDrifted = similarity < MIN_SIMILARITY
    if (hasDrifted === !active.embedder.canEmbed) return
    const message = driftMessage(ownEmbedder, similarity)
    if (hasDrifted) log.error({ embedder: ownEmbedder.name, similarity }, message)
    else
      log.info(
        { embedder: ownEmbedder.name, similarity },
        'the embedding model again returns the same vectors as when the index was built',
      )
    openIndexes.setActiveEmbedder(
      hasDrifted ? placeholderEmbedder(active.record, 'embedding_model_changed', message) : ownEmbedder,
    )
    onChange()
  }
}
