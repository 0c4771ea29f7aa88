import type { Model, ModelIndex, ModelList } from '../../../contract/models.ts'
import type { AvailableEmbedder, EmbedderModels } from '../../../embed/models.ts'
import type { IndexState } from '../../../lifecycle/lifecycle.ts'

const STATES = { active: 'in_use', building: 'building', retired: 'kept' } as const

/** What can be used, what is used, and the indexes there are, by model; first what is in use. */
export function presentModels(
  { embedders, ollama }: Awaited<ReturnType<EmbedderModels['available']>>,
  indexes: readonly IndexState[],
  waitingFor: string | null,
): ModelList {
  const byName = new Map<string, AvailableEmbedder | null>(embedders.map((embedder) => [embedder.name, embedder]))
  // One that Ollama has no longer, or that cannot be asked.
  for (const { record } of indexes) if (!byName.has(record.embeddingModel)) byName.set(record.embeddingModel, null)
  const models = [...byName].map(([name, embedder]): Model => {
    const own = indexes.filter(({ record }) => record.embeddingModel === name)
    return {
      name,
      available: embedder !== null,
      in_use: own.some(({ record }) => record.state === 'active'),
      known: embedder?.known ?? false,
      dimensions: embedder?.dimensions ?? own[0]?.record.dimensions ?? null,
      size_bytes: embedder?.sizeBytes ?? null,
      indexes: own.map((state) => presentIndex(state, waitingFor)),
    }
  })
  const rank = ({ in_use, indexes: own }: Model) => (in_use ? 0 : own.length > 0 ? 1 : 2)
  return { models: models.toSorted((a, b) => rank(a) - rank(b)), ollama }
}

function presentIndex({ record, chunks, sizeBytes, progress }: IndexState, waitingFor: string | null): ModelIndex {
  return {
    state: STATES[record.state],
    chunks,
    size_bytes: sizeBytes,
    created_at: record.createdAt.toISOString(),
    documents_done: progress?.done ?? null,
    documents_total: progress?.total ?? null,
    waiting_for: record.state === 'building' ? waitingFor : null,
  }
}
