import type { Clock } from '../core/clock.ts'
import { isDocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { Embedder } from '../embed/embedder.ts'
import type { ChunkIndex, ChunkIndexStore } from '../index/chunk-index.ts'
import type { Generation, Records } from '../records/records.ts'
import type { ActiveEngine, Engine } from './engine.ts'
import { fingerprintOf, formatFingerprint, parseFingerprint } from './fingerprint.ts'
import { standInEmbedder } from './stand-in.ts'
import type { MissingEmbedder } from './stand-in.ts'
import { engineStatus } from './status.ts'

const RETRY_FIRST_MS = 1_000
const RETRY_MOST_MS = 60_000

/** What the index there is was made with, so that `auto` stays with it. */
export interface ExistingIndex {
  embeddingModel: string
  fingerprint: string
}

export interface EngineOptions {
  records: Pick<Records, 'generations' | 'queue'>
  indexStore: ChunkIndexStore
  chooseEmbedder: (existing: ExistingIndex | null) => Promise<{ embedder: Embedder | null; reason: string }>
  clock: Clock
  log: Logger
}

/**
 * Chooses the embedder and opens the index that belongs to it. Another embedder asked for by name, another layout of ours, or damage: an empty
 * index takes the place of the old one and every document is queued again. The same model with other weights is not taken silently: the
 * index serves keywords until `docsearch reindex` is run.
 */
export async function startEngine({ records, indexStore, chooseEmbedder, log }: EngineOptions): Promise<Engine> {
  const listeners = new Set<() => void>()
  const closing = new AbortController()
  let active: (ActiveEngine & { generation: Generation }) | null = null
  let choice = { embedder: 'none', reason: '' }
  let rebuilt: string | null = null
  let retry: NodeJS.Timeout | undefined
  let lastRebuild: Promise<void> = Promise.resolve()

  async function choose(): Promise<boolean> {
    const generation = await records.generations.active()
    const made = generation && parseFingerprint(generation.fingerprint)
    const existing = generation && made ? { embeddingModel: generation.embeddingModel, fingerprint: made.embedder } : null
    const { embedder, reason } = await chooseEmbedder(existing)
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
      const message = `${embedder.name} is no longer the model this index was made with. Stop docsearch, run \`docsearch reindex\`, and start it again.`
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
      await take(generation, embedder)
    } catch (error) {
      if (!isDocsearchError(error, 'index_corrupt')) throw error
      log.error({ err: error, generation: generation.id }, 'the index is damaged and is built anew')
      await replace(generation, embedder, 'the index was damaged')
    }
  }

  async function take(generation: Generation, embedder: Embedder): Promise<void> {
    // The index that is open already serves on: only its embedder has come.
    const reused = active?.generation.id === generation.id ? active.index : null
    const index: ChunkIndex = reused ?? (await indexStore.open({ id: generation.id, dimensions: generation.dimensions }))
    const before = active
    active = { generation, embedder, index, canEmbed: embedder.maxTokens > 0 }
    // On a rebuild the embedder stays.
    if (before && before.embedder !== embedder) await before.embedder.close()
    if (before && before.index !== index) await before.index.close()
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
    await take(generation, embedder)
    if (old) await indexStore.drop(old.id)
    if (reason === null) return
    rebuilt = reason
    log.warn({ reason, documents: queued }, 'the index is built anew')
  }

  async function dropStrays(): Promise<void> {
    const known = (await records.generations.active())?.id
    for (const id of await indexStore.list()) if (id !== known) await indexStore.drop(id)
  }

  function changed(): void {
    for (const listener of listeners) listener()
  }

  function tryAgain(delay: number): void {
    retry = setTimeout(() => {
      choose()
        .then((settled) => (settled ? changed() : tryAgain(Math.min(delay * 2, RETRY_MOST_MS))))
        .catch((error: unknown) => {
          log.error({ err: error }, 'no embedder could be set up')
          tryAgain(RETRY_MOST_MS)
        })
    }, delay)
    retry.unref()
  }

  if (!(await choose())) tryAgain(RETRY_FIRST_MS)
  await dropStrays()

  return {
    current: () => active,
    choice: () => choice,
    status: () => engineStatus(active, choice.reason, rebuilt),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    rebuild(reason) {
      const damaged = active
      lastRebuild = lastRebuild
        // Whoever asked before has been told of its failure.
        .catch(() => {})
        .then(async () => {
          // Two who meet the same damage cause one rebuild.
          if (damaged === null || active !== damaged) return
          log.error({ reason, generation: damaged.generation.id }, 'the index is damaged and is built anew')
          await replace(damaged.generation, damaged.embedder, reason)
          changed()
        })
      return lastRebuild
    },
    async close() {
      closing.abort()
      clearTimeout(retry)
      await active?.embedder.close()
      await active?.index.close()
    },
  }
}

/** Ours changes only with a new version of docsearch, which builds anew by itself; a model's weights change behind our back. */
function isSameModel(generation: Generation, embedder: Embedder): boolean {
  return generation.embeddingModel === embedder.name && embedder.name !== 'builtin'
}

function missing(generation: Generation, code: MissingEmbedder['code'], message: string): Embedder {
  const { embeddingModel, dimensions, fingerprint } = generation
  return standInEmbedder({ name: embeddingModel, dimensions, fingerprint: parseFingerprint(fingerprint).embedder, code, message })
}
