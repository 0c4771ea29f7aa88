import type { Model, ModelIndex, ModelList, ModelTest, ModelUsed } from '../../../contract/models.ts'
import type { ModelChange, ModelsState, ModelState, ModelTestResult } from '../../../services/models.ts'

const STATES = { active: 'in_use', building: 'building', retired: 'kept' } as const

export function presentModels({ models, ollama, waitingFor }: ModelsState): ModelList {
  return { models: models.map((model) => presentModel(model, waitingFor)), ollama }
}

export function presentModelChange({ model, state, documentsDone, documentsTotal, notice }: ModelChange): ModelUsed {
  return { model, state, documents_done: documentsDone, documents_total: documentsTotal, notice }
}

export function presentModelTest(tested: ModelTestResult): ModelTest {
  return {
    model: tested.model,
    known: tested.isKnown,
    dimensions: tested.dimensions,
    passage_tokens: tested.passageTokens,
    tokens_per_second: tested.tokensPerSecond,
    seconds_for_all: tested.secondsForAll,
    checks: tested.checks,
  }
}

function presentModel({ name, embedder, isInUse, indexes }: ModelState, waitingFor: string | null): Model {
  return {
    name,
    available: embedder !== null,
    in_use: isInUse,
    known: embedder?.known ?? false,
    dimensions: embedder?.dimensions ?? indexes[0]?.record.dimensions ?? null,
    size_bytes: embedder?.sizeBytes ?? null,
    indexes: indexes.map((state) => presentIndex(state, waitingFor)),
  }
}

function presentIndex(
  { record, passages, sizeBytes, progress }: ModelState['indexes'][number],
  waitingFor: string | null,
): ModelIndex {
  return {
    state: STATES[record.state],
    chunks: passages,
    size_bytes: sizeBytes,
    created_at: record.createdAt.toISOString(),
    documents_done: progress?.done ?? null,
    documents_total: progress?.total ?? null,
    passages_done: progress?.passagesDone ?? null,
    passages_total: progress?.passagesTotal ?? null,
    tokens_per_second: progress?.tokensPerSecond ?? null,
    seconds_left: progress?.secondsLeft ?? null,
    waiting_for: record.state === 'building' ? waitingFor : null,
  }
}
