import { expect, test } from 'vitest'
import { createBuiltinEmbedder } from '../../../src/embed/builtin.ts'
import { ModelRequests } from '../../../src/lifecycle/model-requests.ts'
import type { IndexRecord, Records } from '../../../src/records/records.ts'
import type { ModelRequest } from '../../../src/records/shared.ts'
import { errorCode } from '../../support/codes.ts'

/** A process that does not write the index, while no process writes it. */
function newProcess(models: Record<string, IndexRecord['state']>) {
  let made = 0
  let request: ModelRequest | null = null
  const indexes = new Map(Object.entries(models).map(([embeddingModel, state]) => [embeddingModel, { embeddingModel, state }]))
  const requests = new ModelRequests({
    records: {
      indexes: {
        all: async () => [...indexes.values()].map((index) => ({ id: index.embeddingModel, ...index })),
        drop: async (id: string) => void indexes.delete(id),
      },
    } as unknown as Pick<Records, 'indexes'>,
    versions: { of: async () => 1, grow: async () => {}, newestCommit: async () => 0, noteCommit: async () => {} },
    modelRequests: {
      newest: async () => request,
      make: async (embedder) => {
        if (request?.embedder === embedder && request.answer === null) return false
        request = { id: String(++made), embedder, answer: null }
        return true
      },
      answer: async (_, answer) => void (request = request && { ...request, answer }),
      withdraw: async () => void (request = null),
    },
    chooseEmbedder: async () => ({ embedder: createBuiltinEmbedder(), reason: '' }),
    isWorking: async () => false,
    catchUp: async () => {},
    hasChanged: async () => false,
    signal: new AbortController().signal,
  })
  return { requests, newest: () => request, models: () => [...indexes.keys()] }
}

test('a request that is repeated before the answer stays the same request', async () => {
  const { requests, newest } = newProcess({ builtin: 'active' })
  expect(await requests.use('ollama:m')).toMatchObject({ embedder: 'ollama:m', state: 'requested', isRepeated: false })
  const first = newest()
  expect(await requests.use('ollama:m')).toMatchObject({ state: 'requested', isRepeated: true })
  expect(newest()).toEqual(first)
  await requests.use('ollama:other')
  expect(newest()).toMatchObject({ embedder: 'ollama:other' })
  expect(newest()!.id).not.toBe(first!.id)
})

test('a user who removes the index of a model no longer wants to use the model', async () => {
  const { requests, newest, models } = newProcess({ builtin: 'active', 'ollama:m': 'retired' })
  await requests.use('ollama:m')
  await requests.remove('ollama:m')
  expect([newest(), models()]).toEqual([null, ['builtin']])
})

test('a user can withdraw a request for a model without an index', async () => {
  const { requests, newest } = newProcess({ builtin: 'active' })
  await requests.use('ollama:m')
  await expect(requests.remove('ollama:other')).rejects.toMatchObject({ code: errorCode('index_not_found') })
  expect(newest()).not.toBeNull()
  await requests.remove('ollama:m')
  expect(newest()).toBeNull()
  await expect(requests.remove('ollama:m')).rejects.toMatchObject({ code: errorCode('index_not_found') })
})
