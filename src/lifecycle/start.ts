import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../core/clock.ts'
import { DocsearchError, isDocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import { oneAtATime } from '../core/one-at-a-time.ts'
import type { Embedder } from '../embed/embedder.ts'
import type { ChunkIndexStore } from '../index/chunk-index.ts'
import type { IndexRecord, Records } from '../records/records.ts'
import { createBuilding } from './building.ts'
import { startDriftWatch } from './drift.ts'
import type { Lifecycle } from './lifecycle.ts'
import { fingerprintOf, formatFingerprint, parseFingerprint } from './fingerprint.ts'
import { createOpenIndexes } from './open-indexes.ts'
import { missing } from './missing-embedder.ts'
import { describeStatus, remedy } from './status.ts'

const RETRY_FIRST_MS = 1_000
const RETRY_MOST_MS = 60_000
const DAY_MS = 86_400_000
const CLOSE_MS = 2_000

/** What the index there is was made with, so that `auto` stays with it. */
export interface ExistingIndex {
  embeddingModel: string
  fingerprint: string
}

export interface LifecycleOptions {
  records: Pick<Records, 'indexes' | 'queue'>
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
export async function startLifecycle(options: LifecycleOptions): Promise<Lifecycle> {
  const { records, indexStore, chooseEmbedder, log } = options
  const pinned = options.pinned == null ? null : withoutLatest(options.pinned)
  const closing = new AbortController()
  const exclusive = oneAtATime()
  const openIndexes = createOpenIndexes({ records, indexStore, log })
  const building = createBuilding({ records, chooseEmbedder, openIndexes, log })
  let choice = { embedder: 'none', reason: '' }
  let rebuilt: string | null = null
  let retry: NodeJS.Timeout | undefined

  /** True when there is nothing to try again. */
  async function choose(): Promise<boolean> {
    const record = await records.indexes.active()
    const named = pinned ?? (await records.indexes.chosen())
    const other = record !== null && named !== null && named !== record.embeddingModel ? named : null
    const own = other === null ? named : record!.embeddingModel
    const settled = await serveOwn(record, own ?? undefined)
    if (other === null || closing.signal.aborted) return settled
    return (await begin(other)) && settled
  }

  /** The index that is in use, with its embedder, or with what stands in for it. */
  async function serveOwn(record: IndexRecord | null, named: string | undefined): Promise<boolean> {
    const made = record && parseFingerprint(record.fingerprint)
    const existing = record && made ? { embeddingModel: record.embeddingModel, fingerprint: made.embedder } : null
    const { active } = openIndexes
    // It serves already; only the building one is tried again.
    if (active?.real && active.record.id === record?.id) return true
    const { embedder, reason } = await chooseEmbedder(existing, named)
    if (closing.signal.aborted) {
      await embedder?.close()
      return true
    }
    if (embedder === null) {
      choice = { embedder: record?.embeddingModel ?? 'none', reason }
      if (record && active === null) await serve(record, missing(record, 'embedder_unavailable', reason))
      return false
    }
    choice = { embedder: embedder.name, reason }
    const wanted = fingerprintOf(embedder)
    if (record && made && made.embedder !== wanted.embedder && isSameModel(record, embedder)) {
      await embedder.close()
      const message = `${embedder.name} is no longer the model this index was made with. ${remedy(embedder.name)}`
      log.error({ embedder: embedder.name, made_with: made.embedder, now: wanted.embedder }, message)
      choice = { embedder: embedder.name, reason: message }
      await serve(record, missing(record, 'embedding_model_changed', message))
      return true
    }
    if (record && record.fingerprint === formatFingerprint(wanted)) await serve(record, embedder)
    else await replace(record, embedder, record ? 'the embedder or the layout of the index is another one' : null)
    return true
  }

  /** Opens the index of this record; a damaged one is replaced. */
  async function serve(record: IndexRecord, embedder: Embedder): Promise<void> {
    try {
      await openIndexes.take(record, embedder)
    } catch (error) {
      if (!isDocsearchError(error, 'index_corrupt')) throw error
      log.error({ err: error, index: record.id }, 'the index is damaged and is built anew')
      await replace(record, embedder, 'the index was damaged')
    }
  }

  /** The order is safe against a crash at any point: recovery queues what a new record lacks, and drops tables without a row. */
  async function replace(old: IndexRecord | null, embedder: Embedder, reason: string | null): Promise<void> {
    const fingerprint = embedder.maxTokens > 0 ? formatFingerprint(fingerprintOf(embedder)) : old!.fingerprint
    const record = await records.indexes.activate({
      fingerprint,
      embeddingModel: embedder.name,
      dimensions: embedder.dimensions,
    })
    const queued = await records.queue.requeueAll()
    await openIndexes.take(record, embedder)
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
    openIndexes,
    exclusive,
    changed: () => changed(),
    checkEveryMs: options.checkEveryMs ?? DAY_MS,
    signal: closing.signal,
    log,
  })
  const settledAtOnce = await exclusive(choose)
  await building.tidy(pinned ?? (await records.indexes.chosen()))
  if (!settledAtOnce) tryAgain(RETRY_FIRST_MS)
  drift.soon()

  return {
    active: () => openIndexes.active,
    building: () => openIndexes.building,
    inactive: () => openIndexes.inactive(),
    indexes: () => openIndexes.states(),
    choice: () => choice,
    async status() {
      // Health answers also while the database does not; its own check says what is wrong with it.
      const beside = openIndexes.building === null ? null : await openIndexes.state(openIndexes.building.record).catch(() => null)
      return describeStatus(openIndexes.active, choice.reason, rebuilt, beside)
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async use(name) {
      const embedder = withoutLatest(name)
      const state = await exclusive(async () => {
        if (openIndexes.active !== null) return building.begin(embedder)
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
        choice = { embedder: openIndexes.active!.embedder.name, reason: 'It was chosen with `docsearch models use`.' }
        log.info({ embedder: choice.embedder }, 'searches are answered from the new index now')
        changed()
      }
      return done !== 'incomplete'
    },
    rebuild(reason) {
      const damaged = openIndexes.active
      return exclusive(async () => {
        // Two who meet the same damage cause one rebuild.
        if (damaged === null || openIndexes.active !== damaged) return
        log.error({ reason, index: damaged.record.id }, 'the index is damaged and is built anew')
        await replace(damaged.record, damaged.embedder, reason)
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
      await openIndexes.close()
    },
  }

  /** There was never an embedder: nothing has to be kept beside. */
  async function firstIndex(name: string): Promise<'in_use'> {
    const { embedder, reason } = await chooseEmbedder(null, name)
    if (embedder === null) throw new DocsearchError('model_unusable', reason)
    await records.indexes.choose(name)
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
function isSameModel(record: IndexRecord, embedder: Embedder): boolean {
  return record.embeddingModel === embedder.name && embedder.name !== 'builtin'
}
