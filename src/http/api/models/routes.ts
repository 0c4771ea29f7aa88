import { modelList, modelPull, modelPullLine, modelUse, modelUsed } from '../../../contract/models.ts'
import { route } from '../../route.ts'
import { presentModels } from './present.ts'
import { pullAnswer } from './pull.ts'
import { settledChange } from './settled.ts'

const tag = 'Models'
// What concerns the whole instance is its owner's, as with users.
const access = 'manage:keys'
const role = 'owner'

export const modelRoutes = [
  route({
    operationId: 'listModels',
    method: 'GET',
    path: '/api/v1/models',
    tag,
    summary: 'List the embedding models and their indexes',
    description:
      'The built-in one and those of the instance’s Ollama: which is in use, which index is being built, which is kept.',
    access: 'read:documents',
    answers: { 200: { description: 'All of them; first the one in use', schema: modelList } },
    async handle({ ctx, services, gone }) {
      const [available, indexes] = await Promise.all([services.models.available(gone), services.lifecycle.indexes()])
      ctx.body = presentModels(available, indexes, services.ingest.change().reason)
    },
  }),
  route({
    operationId: 'pullModel',
    method: 'POST',
    path: '/api/v1/models/pull',
    tag,
    summary: 'Download a model through Ollama',
    description:
      'The answer is one JSON object a line while it downloads, with the bytes of the whole; the last has the status `success`, or `error` with the reason. Closing the connection ends the download; asked for again it goes on.',
    access,
    role,
    body: modelPull,
    answers: { 200: { description: 'Progress, line by line', type: 'application/x-ndjson', schema: modelPullLine } },
    problems: ['pull_failed'],
    async handle({ ctx, services, body, ending }) {
      ctx.body = await pullAnswer(services.models.pull(bareName(body.model), ending), ending, services.log)
      ctx.set('Content-Type', 'application/x-ndjson; charset=utf-8')
      // A proxy that buffers would hold it back.
      ctx.set('X-Accel-Buffering', 'no')
    },
  }),
  route({
    operationId: 'useModel',
    method: 'POST',
    path: '/api/v1/models/use',
    tag,
    summary: 'Embed with another model',
    description:
      'Everything is embedded anew into an index beside the one in use, which answers searches until the new one is whole; then they change places in one moment, and the former one is kept. One that is kept needs only what has changed since. Another one that was being built goes. The choice outlasts a restart, unless the instance is started with an embedder by name.',
    access,
    role,
    body: modelUse,
    answers: {
      200: { description: 'It is in use', schema: modelUsed },
      202: { description: 'Its index is being built', schema: modelUsed },
    },
    problems: ['model_unusable'],
    async handle({ ctx, services, body, ending }) {
      const asked = await services.lifecycle.use(embedderName(body.model))
      const used = await settledChange(services, asked, ending)
      ctx.status = used.state === 'in_use' ? 200 : 202
      ctx.body = used
    },
  }),
  route({
    operationId: 'removeModelIndex',
    method: 'DELETE',
    path: '/api/v1/models/{id}',
    tag,
    summary: 'Drop the index of a model that is not in use',
    description: 'One that is kept, or one that is being built, which ends that. The model itself stays with Ollama.',
    access,
    role,
    idDescription: 'Name of the model: `builtin`, `ollama:embeddinggemma`, `embeddinggemma`',
    answers: { 204: { description: 'It is gone' } },
    problems: ['index_not_found', 'model_in_use'],
    async handle({ ctx, services, id }) {
      await services.lifecycle.remove(embedderName(id))
      ctx.status = 204
    },
  }),
]

function embedderName(name: string): string {
  return name === 'builtin' || name.startsWith('ollama:') ? name : `ollama:${name}`
}

function bareName(name: string): string {
  return name.replace(/^ollama:/, '')
}
