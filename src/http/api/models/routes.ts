import { Readable } from 'node:stream'
import {
  type Model,
  type ModelIndex,
  modelList,
  type ModelList,
  modelPull,
  modelPullLine,
  type ModelPullLine,
  modelTest,
  type ModelTest,
  modelTestRequest,
  modelUse,
  modelUsed,
  type ModelUsed,
} from '../../../contract/models.ts'
import { isDocsearchError } from '../../../core/errors.ts'
import type { Logger } from '../../../core/logger.ts'
import type { ModelChange, ModelsState, ModelState, ModelTestResult, PullProgress } from '../../../services/models.ts'
import type { Dependencies } from '../../dependencies.ts'
import { route, routesWith, type Route } from '../../routing/route.ts'

const ownerRoute = routesWith({ tag: 'Models', access: 'manage:keys', role: 'owner' })

export const modelRoutes = ({ models, log }: Pick<Dependencies, 'models' | 'log'>): Route[] => [
  route({
    operationId: 'listModels',
    method: 'GET',
    path: '/api/v1/models',
    tag: 'Models',
    summary: 'List the embedding models and their indexes',
    description:
      "The built-in model and the models of the instance's Ollama, and which index is in use, being built or kept from an earlier model.",
    access: 'read:documents',
    answers: { 200: { description: 'All models, the one in use first', schema: modelList } },
    async handle({ ctx, actor, gone }) {
      ctx.body = presentModels(await models.list(actor, gone))
    },
  }),
  ownerRoute({
    operationId: 'pullModel',
    method: 'POST',
    path: '/api/v1/models/pull',
    cost: 'streaming',
    summary: 'Download a model through Ollama',
    description:
      'The answer has one JSON object per line while the model downloads, with the bytes of the whole model. The last line has the status `success`, or `error` with the reason. Closing the connection stops the download; another request resumes it.',
    body: modelPull,
    answers: { 200: { description: 'Progress, line by line', type: 'application/x-ndjson', schema: modelPullLine } },
    problems: ['model_not_found', 'pull_failed'],
    async handle({ ctx, actor, body, ending }) {
      ctx.body = await streamPull(models.pull(actor, body.model, ending), ending, log)
      ctx.set('Content-Type', 'application/x-ndjson; charset=utf-8')
      // Tells a reverse proxy not to buffer the lines.
      ctx.set('X-Accel-Buffering', 'no')
    },
  }),
  ownerRoute({
    operationId: 'useModel',
    method: 'POST',
    path: '/api/v1/models/use',
    summary: 'Switch to another embedding model',
    description:
      'Builds a new index with the model. Searches use the old index until the new one is complete; then the two switch in one step, and the old index is kept. Changing back to a kept index embeds only what has changed since. If another index was being built, it is deleted. The choice survives a restart, unless the instance is started with an embedder by name.',
    body: modelUse,
    answers: {
      200: { description: 'The model is in use', schema: modelUsed },
      202: { description: 'Its index is being built, or will be', schema: modelUsed },
    },
    problems: ['model_unusable'],
    async handle({ ctx, actor, body, ending }) {
      const change = await models.use(actor, body.model, ending)
      ctx.status = change.state === 'in_use' ? 200 : 202
      ctx.body = presentModelChange(change)
    },
  }),
  testRoute({ models }),
  ownerRoute({
    operationId: 'removeModelIndex',
    method: 'DELETE',
    path: '/api/v1/models/{id}',
    summary: 'Delete the index of a model that is not in use',
    description: 'Deletes an index kept from an earlier model, or stops building a new one. The model itself stays in Ollama.',
    idDescription: 'Name of the model: `builtin`, `ollama:embeddinggemma`, `embeddinggemma`',
    answers: { 204: { description: 'The index is deleted' } },
    problems: ['index_not_found', 'model_in_use'],
    async handle({ ctx, actor, id }) {
      await models.removeIndex(actor, id)
      ctx.status = 204
    },
  }),
]

const testRoute = ({ models }: Pick<Dependencies, 'models'>): Route =>
  ownerRoute({
    operationId: 'testModel',
    method: 'POST',
    path: '/api/v1/models/test',
    summary: 'Try out a model on samples',
    description:
      'Embeds a few sample texts, checks the vectors against what search needs, and measures the speed. Changes nothing. The answer can take some minutes while Ollama loads the model. One test runs at a time; others wait.',
    body: modelTestRequest,
    answers: { 200: { description: 'What the test found', schema: modelTest } },
    problems: ['model_unusable', 'embedder_unavailable'],
    async handle({ ctx, actor, body, ending }) {
      ctx.body = presentModelTest(await models.test(actor, body.model, ending))
    },
  })

const STATES = { active: 'in_use', building: 'building', retired: 'kept' } as const

function presentModels({ models, ollama, waitingFor }: ModelsState): ModelList {
  return { models: models.map((model) => presentModel(model, waitingFor)), ollama }
}

function presentModelChange({ model, state, documentsDone, documentsTotal, notice }: ModelChange): ModelUsed {
  return { model, state, documents_done: documentsDone, documents_total: documentsTotal, notice }
}

function presentModelTest(tested: ModelTestResult): ModelTest {
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

/**
 * Answers with the progress of a download as lines of JSON. Waits for the first line, so that a download that fails at once is refused like any
 * other request. A later failure becomes the last line.
 */
async function streamPull(progress: PullProgress, signal: AbortSignal, log: Logger): Promise<Readable> {
  const first = await progress.next()
  return Readable.from(lines(first, progress, signal, log), { objectMode: false })
}

async function* lines(
  first: Awaited<ReturnType<PullProgress['next']>>,
  progress: PullProgress,
  signal: AbortSignal,
  log: Logger,
): AsyncGenerator<string> {
  let last = ''
  try {
    for (let next = first; next.done !== true; next = await progress.next()) {
      const { status, completedBytes, totalBytes } = next.value
      const line = write({ status, completed_bytes: completedBytes, total_bytes: totalBytes })
      // Ollama repeats itself many times a second.
      if (line !== last) yield line
      last = line
    }
  } catch (error) {
    if (signal.aborted) return
    if (!isDocsearchError(error)) log.error({ err: error }, 'model download failed')
    const shown = isDocsearchError(error)
      ? { code: error.code, message: error.message }
      : { code: 'internal_error', message: 'Internal error. See the server log.' }
    yield write({ status: 'error', completed_bytes: null, total_bytes: null, error: shown })
  } finally {
    // The client may have gone: then the download ends too.
    await progress.return(undefined)
  }
}

const write = (line: ModelPullLine): string => `${JSON.stringify(line)}\n`
