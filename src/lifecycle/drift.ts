import { setTimeout as sleep } from 'node:timers/promises'
import type { UnrelatedSimilarity } from '../core/noise.ts'
import type { Embedder } from '../embed/embedder.ts'
import type { Logger } from '../core/logger.ts'
import type { Records } from '../records/records.ts'
import { embedCanaries, leastSimilarity, MIN_SIMILARITY, cosine, SAMPLE_PASSAGES, SAMPLE_QUESTIONS } from './reference-texts.ts'
import type { LoadedIndex, OpenIndexes } from './open-indexes.ts'
import { placeholderEmbedder } from './placeholder-embedder.ts'
import { driftMessage } from './status.ts'

/** The usual pause between checks. */
export const DAY_MS = 86_400_000
/** The pause after a check that could not reach the model, and before a build begins again a second time. */
const RETRY_MS = 60_000
/** The pause while the process that writes the index has not measured the model yet. */
const UNMEASURED_MS = 2_000
/** How long a user who asks for a model waits for a check. */
const BRIEFLY_MS = 15_000
/** The longest delay that setTimeout takes. */
const MAX_DELAY_MS = 2 ** 31 - 1

export type WatchedIndexes = Pick<OpenIndexes, 'active' | 'building' | 'setActiveEmbedder'>

export interface DriftWatchOptions {
  records: Pick<Records, 'indexes'>
  openIndexes: WatchedIndexes
  /** What only the process that writes the index does. Null for other processes. */
  writer: {
    /** Remembers what was measured for an open index. Called within `exclusive`. */
    setUnrelatedSimilarity: (id: string, unrelatedSimilarity: UnrelatedSimilarity) => void
    /** Starts the index with this ID again from nothing if it is still being built, because its vectors are of no use. */
    restartBuilding: (id: string) => Promise<void>
  } | null
  /** Runs `work` while nothing else changes the open indexes. */
  exclusive: <T>(work: () => Promise<T>) => Promise<T>
  onChange: () => void
  checkEveryMs: number
  signal: AbortSignal
  log: Logger
}

/**
 * Compares the vectors that a model returns for the canary texts with those it returned when the index was begun. When they differ, the model of
 * the active index embeds neither documents nor questions until the user rebuilds the index, or until the former vectors are back. The building
 * index starts again from nothing.
 */
export class DriftWatch {
  #state: 'running' | 'stopped' = 'running'
  #timer: NodeJS.Timeout | undefined
  /** The checks in progress, or null. */
  #checking: Promise<void> | null = null
  /** True if a caller has asked for checks since the checks in progress began. */
  #isAsked = false
  /** Before this time, a build does not begin again. */
  #nextRestart = Number.NEGATIVE_INFINITY
  readonly #options: DriftWatchOptions

  constructor(options: DriftWatchOptions) {
    this.#options = options
  }

  /** Like `check`, but resolves after 15 s even if the model has not answered. */
  async checkBriefly(): Promise<void> {
    await Promise.race([this.check(), sleep(BRIEFLY_MS, undefined, { ref: false })])
  }

  stop(): void {
    this.#state = 'stopped'
    clearTimeout(this.#timer)
  }

  /** Checks the active index and the building one. Resolves when the checks are done, and never rejects. */
  check(): Promise<void> {
    if (this.#state === 'stopped') return Promise.resolve()
    this.#isAsked = true
    return (this.#checking ??= this.#checkUntilDone())
  }

  async #checkUntilDone(): Promise<void> {
    let delay = 0
    while (this.#isAsked) {
      this.#isAsked = false
      delay = await this.#checkAll()
    }
    this.#checking = null
    if (this.#state === 'stopped') return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.check(), delay).unref()
  }

  /** Returns the pause before the next check. */
  async #checkAll(): Promise<number> {
    const { openIndexes, checkEveryMs, log } = this.#options
    let delay = Math.min(checkEveryMs, MAX_DELAY_MS)
    for (const loaded of [openIndexes.active, openIndexes.building]) {
      if (loaded === null) continue
      const longest = await this.#checkOne(loaded).catch((error: unknown) => {
        // The model does not answer, or has another digest: health reports both.
        log.debug({ err: error }, 'the canary texts could not be embedded')
        return RETRY_MS
      })
      delay = Math.min(delay, longest)
    }
    return delay
  }

  /** Returns the longest pause before the next check. */
  async #checkOne({ record, ownEmbedder }: LoadedIndex): Promise<number> {
    // The built-in embedder changes only with docsearch itself, and then its fingerprint changes.
    if (ownEmbedder === null || !ownEmbedder.isExternal) return MAX_DELAY_MS
    const { records, openIndexes, writer, exclusive, signal } = this.#options
    const before = await records.indexes.measurements(record.id)
    if (before === null && writer === null) return UNMEASURED_MS
    const now = await embedCanaries(ownEmbedder, signal)
    if (now === null) return MAX_DELAY_MS
    const canaries = before?.canaries ?? now
    const similarity = leastSimilarity(canaries, now)
    const hasDrifted = similarity < MIN_SIMILARITY
    // Measures once for each index, so that the same question finds the same passages for as long as the index lives. Vectors of a changed model say
    // nothing about those in the index.
    if (writer !== null && !hasDrifted && (before?.unrelatedSimilarity ?? null) === null) {
      const unrelatedSimilarity = await calibrate(ownEmbedder, signal)
      await records.indexes.setMeasurements(record.id, { canaries, unrelatedSimilarity })
      if (unrelatedSimilarity !== null) await exclusive(async () => writer.setUnrelatedSimilarity(record.id, unrelatedSimilarity))
    }
    if (before === null) return MAX_DELAY_MS
    await exclusive(async () => this.#apply(record.id, ownEmbedder, similarity))
    if (!hasDrifted || writer === null || openIndexes.building?.record.id !== record.id) return MAX_DELAY_MS
    // Servers of different versions behind one address return other vectors each time.
    if (performance.now() < this.#nextRestart) return RETRY_MS
    this.#nextRestart = performance.now() + RETRY_MS
    await writer.restartBuilding(record.id)
    return MAX_DELAY_MS
  }

  #apply(id: string, ownEmbedder: Embedder, similarity: number): void {
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

/**
 * Measures how near a model puts questions to passages that have nothing to do with them. Some models put all texts near each other. Returns
 * null when the model can't embed one of the passages. Throws as `embedDocuments` and `embedQuery` do.
 */
export async function calibrate(embedder: Embedder, signal: AbortSignal): Promise<UnrelatedSimilarity | null> {
  const passages = await embedder.embedDocuments(
    SAMPLE_PASSAGES.map((text) => ({ text, title: null })),
    signal,
  )
  if (!passages.every((vector) => vector !== null)) return null
  const similarities: number[] = []
  for (const text of SAMPLE_QUESTIONS) {
    const question = await embedder.embedQuery(text, signal)
    similarities.push(...passages.map((passage) => cosine(question, passage)))
  }
  const mean = meanOf(similarities)
  return { mean, deviation: Math.sqrt(meanOf(similarities.map((similarity) => (similarity - mean) ** 2))) }
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length
}
