import pLimit from 'p-limit'
import { DocsearchError } from '../core/errors.ts'
import type { AvailableEmbedder, EmbedderModels } from '../embed/models.ts'
import type { IndexReading, IndexState, ModelUseState } from '../lifecycle/lifecycle.ts'
import type { ModelTest } from '../lifecycle/model-test.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { Records } from '../records/records.ts'
import { seesWholeInstance, requireAdministrator, type Access, type Actor } from './access.ts'

/** A change that takes less than this is answered with its result: that of an empty instance, or back to a model whose index was retired. */
const SOON_MS = 1_000
/** Loading a large model from a slow disk takes minutes. */
const TEST_MS = 4 * 60_000

/** An embedding model, with the indexes that were made with it. */
export interface ModelState {
  name: string
  /** Null when Ollama does not have the model any more, or can't be asked. */
  embedder: AvailableEmbedder | null
  isInUse: boolean
  indexes: IndexState[]
}

export interface ModelsState {
  /** The model in use first, then those with an index. */
  models: ModelState[]
  ollama: { ok: boolean; message: string }
  /** Why the building of an index stands still; null while it goes on. */
  waitingFor: string | null
}

export interface ModelChange {
  model: string
  state: ModelUseState
  documentsDone: number
  documentsTotal: number
  /** What the actor should know, as a sentence. */
  notice: string | null
}

export interface ModelTestResult extends ModelTest {
  /** How long the model would take for all passages of the instance. */
  secondsForAll: number
}

export type PullProgress = ReturnType<EmbedderModels['pull']>

/** The embedding models of the instance. Every function throws `insufficient_scope`; all but `list` throw `owner_only`. */
export interface Models {
  /** Counts the actor's documents in each index. Only the owner of the instance gets numbers about the whole instance. */
  list(actor: Actor, signal: AbortSignal): Promise<ModelsState>
  /** Downloads a model through Ollama. The generator throws `model_not_found` and `pull_failed`. */
  pull(actor: Actor, model: string, signal: AbortSignal): PullProgress
  /**
   * Changes to another model (`builtin`, `ollama:MODEL` or `MODEL`). Searches use the old index until the new one is complete.
   * Throws `model_unusable`.
   */
  use(actor: Actor, model: string, signal: AbortSignal): Promise<ModelChange>
  /**
   * Embeds samples with a model, checks the vectors and measures the speed. Changes nothing. One test runs at a time. Throws `model_unusable`
   * and `embedder_unavailable`.
   */
  test(actor: Actor, model: string, signal: AbortSignal): Promise<ModelTestResult>
  /** Drops the index of a model that is not in use. Throws `index_not_found`, `model_in_use`. */
  removeIndex(actor: Actor, model: string): Promise<void>
}

export function createModels(options: {
  records: Pick<Records, 'audit'>
  access: Access
  embedders: EmbedderModels
  lifecycle: Pick<IndexReading, 'use' | 'test' | 'remove' | 'indexes' | 'building' | 'waitFor'>
  ingest: Pick<Ingest, 'waitReasons'>
}): Models {
  const { access, embedders, lifecycle, ingest } = options
  const { audit } = options.records
  const testing = pLimit(1)
  return {
    async list(actor, signal) {
      const { ids } = await access.toRead(actor)
      const [available, indexes, waitReasons] = await Promise.all([
        embedders.available(signal),
        lifecycle.indexes(seesWholeInstance(actor) ? undefined : ids),
        ingest.waitReasons(),
      ])
      return {
        models: joinModels(available.embedders, indexes),
        ollama: available.ollama,
        waitingFor: waitReasons.build,
      }
    },

    pull(actor, model, signal) {
      requireAdministrator(actor)
      return recordedPull(audit, model, embedders.pull(model.replace(/^ollama:/, ''), signal))
    },

    async use(actor, model, signal) {
      requireAdministrator(actor)
      const { embedder, state, notice, isRepeated } = await lifecycle.use(embedderName(model))
      // Without a worker, `docsearch models use --wait` repeats the request every few seconds.
      if (isRepeated !== true) await audit.record({ action: 'model.use', details: { model: embedder } })
      if (state === 'requested') return { model: embedder, state, documentsDone: 0, documentsTotal: 0, notice }
      if (state === 'building') await waitUntilBuilt(lifecycle, signal)
      return { model: embedder, ...(await progressOf(lifecycle, embedder)), notice }
    },

    async test(actor, model, signal) {
      requireAdministrator(actor)
      return testing(async () => {
        signal.throwIfAborted()
        const tested = await testWithin(lifecycle, embedderName(model), signal)
        const active = (await lifecycle.indexes()).find(({ record }) => record.state === 'active')
        return { ...tested, secondsForAll: Math.ceil((active?.passages ?? 0) * tested.secondsPerPassage) }
      })
    },

    async removeIndex(actor, model) {
      requireAdministrator(actor)
      const embedder = embedderName(model)
      await lifecycle.remove(embedder)
      await audit.record({ action: 'model.remove', details: { model: embedder } })
    },
  }
}

/** Throws `model_unusable` when the model takes too long. */
async function testWithin(lifecycle: Pick<IndexReading, 'test'>, model: string, signal: AbortSignal): Promise<ModelTest> {
  const limit = AbortSignal.timeout(TEST_MS)
  try {
    return await lifecycle.test(model, AbortSignal.any([signal, limit]))
  } catch (error) {
    if (!limit.aborted) throw error
    throw new DocsearchError('model_unusable', `The test of ${model} took more than ${TEST_MS / 60_000} minutes and was stopped.`)
  }
}

/** Records the download once it is complete. */
async function* recordedPull(audit: Records['audit'], model: string, progress: PullProgress): PullProgress {
  yield* progress
  await audit.record({ action: 'model.pull', details: { model } })
}

function embedderName(model: string): string {
  return model === 'builtin' || model.startsWith('ollama:') ? model : `ollama:${model}`
}

function joinModels(embedders: readonly AvailableEmbedder[], indexes: readonly IndexState[]): ModelState[] {
  const byName = new Map<string, AvailableEmbedder | null>(embedders.map((embedder) => [embedder.name, embedder]))
  for (const { record } of indexes) if (!byName.has(record.embeddingModel)) byName.set(record.embeddingModel, null)
  const models = [...byName].map(([name, embedder]): ModelState => {
    const own = indexes.filter(({ record }) => record.embeddingModel === name)
    return { name, embedder, isInUse: own.some(({ record }) => record.state === 'active'), indexes: own }
  })
  const rank = ({ isInUse, indexes: own }: ModelState) => (isInUse ? 0 : own.length > 0 ? 1 : 2)
  return models.toSorted((a, b) => rank(a) - rank(b))
}

async function progressOf(
  lifecycle: Pick<IndexReading, 'indexes'>,
  embedder: string,
): Promise<Pick<ModelChange, 'state' | 'documentsDone' | 'documentsTotal'>> {
  const isOwn = ({ record }: IndexState) => record.state === 'building' && record.embeddingModel === embedder
  const building = (await lifecycle.indexes()).find(isOwn)
  if (building === undefined) return { state: 'in_use', documentsDone: 0, documentsTotal: 0 }
  const { done = 0, total = 0 } = building.progress ?? {}
  return { state: 'building', documentsDone: done, documentsTotal: total }
}

/** Resolves when no index is being built, or after SOON_MS, or when the signal aborts. */
async function waitUntilBuilt(lifecycle: Pick<IndexReading, 'building' | 'waitFor'>, signal: AbortSignal): Promise<void> {
  const soon = AbortSignal.any([signal, AbortSignal.timeout(SOON_MS)])
  await lifecycle
    .waitFor(() => (lifecycle.building() === null ? true : null), soon)
    .catch((error: unknown) => {
      // Building takes longer, or the caller has gone.
      if (!soon.aborted) throw error
    })
}
