import { setTimeout as sleep } from 'node:timers/promises'
import type { Embedder } from '../embed/embedder.ts'
import type { Logger } from '../core/logger.ts'
import type { Records } from '../records/records.ts'
import { calibrate } from './calibrate.ts'
import { embedCanaries, leastSimilarity, MIN_SIMILARITY } from './canaries.ts'
import type { LoadedIndex, OpenIndexes } from './open-indexes.ts'
import { placeholderEmbedder } from './placeholder-embedder.ts'
import { driftMessage } from './status.ts'

/** The usual pause between checks. */
export const DAY_MS = 86_400_000
/** The pause after a check that could not reach the model. */
const RETRY_MS = 60_000
/** The pause while the process that writes the index has not measured the model yet. */
const UNMEASURED_MS = 2_000
/** How long a user who asks for a model waits for a check. */
const BRIEFLY_MS = 15_000
/** The longest delay that setTimeout takes. */
const MAX_DELAY_MS = 2 ** 31 - 1

export type WatchedIndexes = Pick<OpenIndexes, 'active' | 'building' | 'setActiveEmbedder' | 'setChance'>

export interface DriftWatchOptions {
  records: Pick<Records, 'indexes'>
  openIndexes: WatchedIndexes
  /** False if another process, which writes the index, measures the model. */
  canMeasure: boolean
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
  #state: 'running' | 'stopped' = 'running'
  #timer: NodeJS.Timeout | undefined
  /** The checks in progress, or null. */
  #checking: Promise<void> | null = null
  /** True if a caller has asked for checks since the checks in progress began. */
  #isAsked = false
  /** Indexes checked in this round. A change of index checks only the new one; the timer begins a new round. */
  #checked = new Set<string>()
  readonly #options: DriftWatchOptions

  constructor(options: DriftWatchOptions) {
    this.#options = options
  }

  /** Checks the indexes that this round has not checked yet. Returns at once. */
  checkSoon(): void {
    void this.#check()
  }

  /** Checks all indexes. Resolves when the checks are done, and never rejects. */
  checkNow(): Promise<void> {
    this.#checked = new Set()
    return this.#check()
  }

  /** Like `checkNow`, but resolves after 15 s even if the model has not answered. A user who has just updated Ollama need not wait for the timer. */
  async checkBriefly(): Promise<void> {
    await Promise.race([this.checkNow(), sleep(BRIEFLY_MS, undefined, { ref: false })])
  }

  stop(): void {
    this.#state = 'stopped'
    clearTimeout(this.#timer)
  }

  #check(): Promise<void> {
    if (this.#state === 'stopped') return Promise.resolve()
    this.#isAsked = true
    return (this.#checking ??= this.#checkUntilDone())
  }

  async #checkUntilDone(): Promise<void> {
    let delay = 0
    while (this.#isAsked) {
      this.#isAsked = false
      delay = await this.#checkAll(this.#checked)
    }
    this.#checking = null
    if (this.#state === 'stopped') return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.checkNow(), delay).unref()
  }

  /** Returns the pause before the next round. */
  async #checkAll(checked: Set<string>): Promise<number> {
    const { openIndexes, checkEveryMs, log } = this.#options
    let delay = Math.min(checkEveryMs, MAX_DELAY_MS)
    try {
      for (const loaded of [openIndexes.active, openIndexes.building])
        if (loaded && !checked.has(loaded.record.id)) delay = Math.min(delay, await this.#checkOne(loaded, checked))
    } catch (error) {
      // The model does not answer, or has another digest: health reports both.
      log.debug({ err: error }, 'the canary texts could not be embedded')
      delay = Math.min(delay, RETRY_MS)
    }
    return delay
  }

  /** Returns the longest pause before the next round. */
  async #checkOne({ record, ownEmbedder }: LoadedIndex, checked: Set<string>): Promise<number> {
    // The built-in embedder changes only with docsearch itself, and then its fingerprint changes.
    if (ownEmbedder === null || !ownEmbedder.isExternal) return MAX_DELAY_MS
    const { records, openIndexes, canMeasure, exclusive, signal } = this.#options
    const before = await records.indexes.measurements(record.id)
    if (before === null && !canMeasure) return UNMEASURED_MS
    const now = await embedCanaries(ownEmbedder, signal)
    if (now === null) return MAX_DELAY_MS
    const canaries = before?.canaries ?? now
    const similarity = leastSimilarity(canaries, now)
    const chance = before?.chance ?? null
    if (!canMeasure && chance !== null) await exclusive(async () => openIndexes.setChance(record.id, chance))
    // Vectors of a changed model say nothing about those in the index.
    if (canMeasure && chance === null && similarity >= MIN_SIMILARITY) await this.#measure(record.id, ownEmbedder, canaries)
    checked.add(record.id)
    if (before !== null) await exclusive(async () => this.#apply(record.id, ownEmbedder, similarity))
    return MAX_DELAY_MS
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
