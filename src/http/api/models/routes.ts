import {
  modelList,
  modelPull,
  modelPullLine,
  modelTest,
  modelTestRequest,
  modelUse,
  modelUsed,
} from '../../../contract/models.ts'
import type { Dependencies } from '../../dependencies.ts'
import { route, type Route } from '../../routing/route.ts'
import { presentModelChange, presentModels, presentModelTest } from './present.ts'
import { streamPull } from './pull.ts'

const tag = 'Models'
const access = 'manage:keys'
const role = 'owner'

export const modelRoutes = ({ models, log }: Pick<Dependencies, 'models' | 'log'>): Route[] => [
  route({
    operationId: 'listModels',
    method: 'GET',
    path: '/api/v1/models',
    tag,
    summary: 'List the embedding models and their indexes',
    description:
      "The built-in model and the models of the instance's Ollama, and which index is in use, being built or kept from an earlier model.",
    access: 'read:documents',
    answers: { 200: { description: 'All models, the one in use first', schema: modelList } },
    async handle({ ctx, actor, gone }) {
      ctx.body = presentModels(await models.list(actor, gone))
    },
  }),
  route({
    operationId: 'pullModel',
    method: 'POST',
    path: '/api/v1/models/pull',
    tag,
    summary: 'Download a model through Ollama',
    description:
      'The answer has one JSON object per line while the model downloads, with the bytes of the whole model. The last line has the status `success`, or `error` with the reason. Closing the connection stops the download; another request resumes it.',
    access,
    role,
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
  route({
    operationId: 'useModel',
    method: 'POST',
    path: '/api/v1/models/use',
    tag,
    summary: 'Switch to another embedding model',
    description:
      'Builds a new index with the model. Searches use the old index until the new one is complete; then the two switch in one step, and the old index is kept. Changing back to a kept index embeds only what has changed since. If another index was being built, it is deleted. The choice survives a restart, unless the instance is started with an embedder by name.',
    access,
    role,
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
  route({
    operationId: 'removeModelIndex',
    method: 'DELETE',
    path: '/api/v1/models/{id}',
    tag,
    summary: 'Delete the index of a model that is not in use',
    description: 'Deletes an index kept from an earlier model, or stops building a new one. The model itself stays in Ollama.',
    access,
    role,
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
  route({
    operationId: 'testModel',
    method: 'POST',
    path: '/api/v1/models/test',
    tag,
    summary: 'Try out a model on samples',
    description:
      'Embeds a few sample texts, checks the vectors against what search needs, and measures the speed. Changes nothing. The answer can take some minutes while Ollama loads the model. One test runs at a time; others wait.',
    access,
    role,
    body: modelTestRequest,
    answers: { 200: { description: 'What the test found', schema: modelTest } },
    problems: ['model_unusable', 'embedder_unavailable'],
    async handle({ ctx, actor, body, ending }) {
      ctx.body = presentModelTest(await models.test(actor, body.model, ending))
    },
  })
