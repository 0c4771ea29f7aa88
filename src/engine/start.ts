import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../core/clock.ts'
import { DocsearchError, isDocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import { oneAtATime } from '../core/one-at-a-time.ts'
import type { Embedder } from '../embed/embedder.ts'
import type { ChunkIndexStore } from '../index/chunk-index.ts'
import type { Generation, Records } from '../records/records.ts'
import { createBuilding } from './building.ts'
import { startDriftWatch } from './drift.ts'
import type { Engine } from './engine.ts'
import { fingerprintOf, formatFingerprint, parseFingerprint } from './fingerprint.ts'
import { createShelf } from './shelf.ts'
import { missing } from './stand-in.ts'
import { engineStatus, remedy } from './status.ts'

const RETRY_FIRST_MS = 1_000
const RETRY_MOST_MS = 60_000
const DAY_MS = 86_400_000
const CLOSE_MS = 2_000

/** What the index there is was made with, so that `auto` stays with it. */
export interface ExistingIndex {
  embeddingModel: string
  fingerprint: string
}

export interface EngineOptions {
  records: Pick<Records, 'generations' | 'queue'>
  indexStore: ChunkIndexStore
  /** `named` is what was chosen while it ran, or the embedder of an index; undefined leaves it to the configuration. */
  chooseEmbedder: (
    existing: ExistingIndex | null,
    named?: string,
  ) => Promise<{
    embedder: Embedder | null
    reason: string
  }>
  /** The embedder that the configuration names; it beats what was chosen while it ran. Null for `auto`. */
  pinned?: string | null
  /** How often the vectors of the canary texts are compared, beside every start. */
  checkEveryMs?: number
  clock: Clock
  log: Logger
}

/**
 * Chooses the embedder and opens the index that belongs to it. Another layout of ours, or damage: an empty index takes the place of the old one and
 * every document is queued again. Another embedder: its index is built beside the old one, which serves until that is whole. The same model with
 * other weights or other vectors is not taken silently: the index serves keywords until somebody says `docsearch models use`.
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { records, indexStore, chooseEmbedder, log } = options
  const pinned = options.pinned == null ? null : withoutLatest(options.pinned)
  const closing = new AbortController()
  const exclusive = oneAtATime()
  const shelf = createShelf({ records, indexStore, log })
  const building = createBuilding({ records, chooseEmbedder, shelf, log })
  let choice = { embedder: 'none', reason: '' }
  let rebuilt: string | null = null
  let retry: NodeJS.Timeout | undefined

  /** True when there is nothing to try again. */
  async function choose(): Promise<boolean> {
    const generation = await records.generations.active()
    const named = pinned ?? (await records.generations.chosen())
    const other = generation !== null && named !== null && named !== generation.embeddingModel ? named : null
    const own = other === null ? named : generation!.embeddingModel
    const settled = await serveOwn(generation, own ?? undefined)
    if (other === null || closing.signal.aborted) return settled
    return (await begin(other)) && settled
  }

  /** The index that is in use, with its embedder, or with what stands in for it. */
  async function serveOwn(generation: Generation | null, named: string | undefined): Promise<boolean> {
    const made = generation && parseFingerprint(generation.fingerprint)
    const existing = generation && made ? { embeddingModel: generation.embeddingModel, fingerprint: made.embedder } : null
    const { active } = shelf
    // It serves already; only the building one is tried again.
    if (active?.real && active.generation.id === generation?.id) return true
    const { embedder, reason } = await chooseEmbedder(existing, named)
    if (closing.signal.aborted) {
      await embedder?.close()
      return true
    }
    if (embedder === null) {
      choice = { embedder: generation?.embeddingModel ?? 'none', reason }
      if (generation && active === null) await serve(generation, missing(generation, 'embedder_unavailable', reason))
      return false
    }
    choice = { embedder: embedder.name, reason }
    const wanted = fingerprintOf(embedder)
    if (generation && made && made.embedder !== wanted.embedder && isSameModel(generation, embedder)) {
      await embedder.close()
      const message = `${embedder.name} is no longer the model this index was made with. ${remedy(embedder.name)}`
      log.error({ embedder: embedder.name, made_with: made.embedder, now: wanted.embedder }, message)
      choice = { embedder: embedder.name, reason: message }
      await serve(generation, missing(generation, 'embedding_model_changed', message))
      return true
    }
    if (generation && generation.fingerprint === formatFingerprint(wanted)) await serve(generation, embedder)
    else await replace(generation, embedder, generation ? 'the embedder or the layout of the index is another one' : null)
    return true
  }

  /** Opens the index of this generation; a damaged one is replaced. */
  async function serve(generation: Generation, embedder: Embedder): Promise<void> {
    try {
      await shelf.take(generation, embedder)
    } catch (error) {
      if (!isDocsearchError(error, 'index_corrupt')) throw error
      log.error({ err: error, generation: generation.id }, 'the index is damaged and is built anew')
      await replace(generation, embedder, 'the index was damaged')
    }
  }

  /** The order is safe against a crash at any point: recovery queues what a new generation lacks, and drops tables without a row. */
  async function replace(old: Generation | null, embedder: Embedder, reason: string | null): Promise<void> {
    const fingerprint = embedder.maxTokens > 0 ? formatFingerprint(fingerprintOf(embedder)) : old!.fingerprint
    const generation = await records.generations.activate({
      fingerprint,
      embeddingModel: embedder.name,
      dimensions: embedder.dimensions,
    })
    const queued = await records.queue.requeueAll()
    await shelf.take(generation, embedder)
    if (old) await indexStore.drop(old.id)
    if (reason === null) return
    rebuilt = reason
    log.warn({ reason, documents: queued }, 'the index is built anew')
  }

  /** Begins or goes on with the index of another embedder; false when that cannot be used now. */
  async function begin(other: string): Promise<boolean> {
    try {
      const state = await building.begin(other)
      if (state === 'building') log.info({ embedder: other }, 'an index is built beside the one in use')
      return true
    } catch (error) {
      if (!isDocsearchError(error, 'model_unusable')) throw error
      log.warn({ embedder: other, err: error }, 'another embedder was chosen and cannot be used now; it is tried again')
      return false
    }
  }

  const listeners = new Set<() => void>()
  function changed(): void {
    for (const listener of listeners) listener()
    drift.soon()
  }

  function tryAgain(delay: number): void {
    retry = setTimeout(() => {
      exclusive(choose)
        .then((settled) => {
          changed()
          if (!settled) tryAgain(Math.min(delay * 2, RETRY_MOST_MS))
        })
        .catch((error: unknown) => {
          log.error({ err: error }, 'no embedder could be set up')
          tryAgain(RETRY_MOST_MS)
        })
    }, delay)
    retry.unref()
  }

  const drift = startDriftWatch({
    records,
    shelf,
    exclusive,
    changed: () => changed(),
    checkEveryMs: options.checkEveryMs ?? DAY_MS,
    signal: closing.signal,
    log,
  })
  const settledAtOnce = await exclusive(choose)
  await building.tidy(pinned ?? (await records.generations.chosen()))
  if (!settledAtOnce) tryAgain(RETRY_FIRST_MS)
  drift.soon()

  return {
    current: () => shelf.active,
    building: () => shelf.building,
    others: () => shelf.others(),
    indexes: () => shelf.states(),
    choice: () => choice,
    async status() {
      // Health answers also while the database does not; its own check says what is wrong with it.
      const beside = shelf.building === null ? null : await shelf.state(shelf.building.generation).catch(() => null)
      return engineStatus(shelf.active, choice.reason, rebuilt, beside)
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async use(name) {
      const embedder = withoutLatest(name)
      const state = await exclusive(async () => {
        if (shelf.active !== null) return building.begin(embedder)
        return firstIndex(embedder)
      })
      changed()
      const notice =
        pinned === null || pinned === embedder
          ? null
          : `This instance is started with the embedder ${pinned} by name, which decides again at its next start: start it without, or with ${embedder}.`
      return { embedder, state, notice }
    },
    async remove(name) {
      await exclusive(() => building.remove(withoutLatest(name)))
      changed()
    },
    async switchOver(how) {
      const done = await exclusive(() => building.switchOver(how))
      if (done === 'switched') {
        choice = { embedder: shelf.active!.embedder.name, reason: 'It was chosen with `docsearch models use`.' }
        log.info({ embedder: choice.embedder }, 'searches are answered from the new index now')
        changed()
      }
      return done !== 'incomplete'
    },
    rebuild(reason) {
      const damaged = shelf.active
      return exclusive(async () => {
        // Two who meet the same damage cause one rebuild.
        if (damaged === null || shelf.active !== damaged) return
        log.error({ reason, generation: damaged.generation.id }, 'the index is damaged and is built anew')
        await replace(damaged.generation, damaged.embedder, reason)
        changed()
      })
    },
    async rebuildBuilding(reason) {
      log.error({ reason }, 'the index that is being built is damaged and is begun anew')
      await exclusive(() => building.again())
      changed()
    },
    async close() {
      closing.abort()
      clearTimeout(retry)
      drift.stop()
      // A model that is just being asked may take its time.
      await Promise.race([exclusive(async () => {}), sleep(CLOSE_MS, undefined, { ref: false })])
      await shelf.close()
    },
  }

  /** There was never an embedder: nothing has to be kept beside. */
  async function firstIndex(name: string): Promise<'in_use'> {
    const { embedder, reason } = await chooseEmbedder(null, name)
    if (embedder === null) throw new DocsearchError('model_unusable', reason)
    await records.generations.choose(name)
    choice = { embedder: embedder.name, reason }
    await replace(null, embedder, null)
    return 'in_use'
  }
}

/** `ollama:embeddinggemma:latest` and `ollama:embeddinggemma` are one. */
function withoutLatest(name: string): string {
  return name.replace(/:latest$/, '')
}

/** Ours changes only with a new version of docsearch, which builds anew by itself; a model's weights change behind our back. */
function isSameModel(generation: Generation, embedder: Embedder): boolean {
  return generation.embeddingModel === embedder.name && embedder.name !== 'builtin'
}
