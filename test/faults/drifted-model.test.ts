import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ModelUsed } from '../../src/contract/models.ts'
import { canCluster, type Cluster, type Node, startCluster } from '../support/cluster.ts'
import { errorCode } from '../support/codes.ts'
import { type FakeOllama, startFakeOllama } from '../support/fake-ollama.ts'
import { EMBEDDINGGEMMA } from '../support/fake-ollama-model.ts'
import { withClient } from '../support/postgres-server.ts'
import { until } from '../support/until.ts'

const MODEL = 'embeddinggemma'
const TEXT = 'The lantern is in the shed.'
const UPDATED = 'after an update'
const DAY_MS = 86_400_000

describe.skipIf(!canCluster)('several processes, and a model that returns other vectors under the same name and digest', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster()
  })
  afterAll(() => cluster[Symbol.asyncDispose]())

  const settings = ({ url }: FakeOllama, checkMs: number) => ({
    DOCSEARCH_EMBEDDER: `ollama:${MODEL}`,
    DOCSEARCH_OLLAMA: url,
    DOCSEARCH_EMBEDDER_CHECK_MS: String(checkMs),
  })
  const embedderOf = async (node: Node) => (await node.health()).checks!.embedder
  const isChanged = async (node: Node) => (await embedderOf(node)).code === errorCode('embedding_model_changed')
  const use = (node: Node) => node.call<ModelUsed>('POST', '/api/v1/models/use', { model: MODEL })
  const indexes = async (): Promise<{ id: string; state: string; isMeasured: boolean }[]> => {
    const query = 'select id, state, canaries is not null as "isMeasured" from generations'
    return (await withClient(cluster.env['DOCSEARCH_DATABASE']!, (client) => client.query(query))).rows
  }
  const measured = () =>
    until('the vectors are measured', async () =>
      (await indexes()).some(({ state, isMeasured }) => state === 'active' && isMeasured),
    )
  /** Asks for the same model. With so few documents, the new index may be in use before the answer, but never the former one. */
  const rebuild = async (node: Node) => {
    const former = (await indexes()).map(({ id }) => id)
    const answer = (await use(node)).body
    const now = await indexes()
    expect(now.filter(({ id, state }) => !former.includes(id) && ['active', 'building'].includes(state))).toHaveLength(1)
    expect(answer).toMatchObject({ state: expect.stringMatching(/^(building|in_use)$/), notice: null })
  }

  describe('that check their vectors often', () => {
    let ofApi: FakeOllama
    let ofWorker: FakeOllama
    let api: Node
    let worker: Node
    beforeAll(async () => {
      ;[ofApi, ofWorker] = [await startFakeOllama(), await startFakeOllama()]
      worker = await cluster.start('worker', settings(ofWorker, 200))
      api = await cluster.start('api', settings(ofApi, 200))
    })
    afterAll(async () => {
      await api?.daemon.kill()
      // A worker that stops lets the next one write at once.
      await worker?.daemon.stop()
      for (const ollama of [ofApi, ofWorker]) await ollama?.close()
    })

    test('a process for the API reports this, searches by keywords only, and uses vectors again after the index was rebuilt', async () => {
      await api.upload([{ name: 'lantern.txt', content: TEXT }])
      await api.settled()
      await until('searches use vectors', async () => (await api.search('lantern')).mode === 'hybrid')
      // Until then, this process can't compare vectors.
      await measured()

      for (const ollama of [ofApi, ofWorker]) ollama.drift(MODEL, UPDATED)
      await until('health reports it', () => isChanged(api))
      expect((await api.health()).status).toBe('degraded')
      await until('health quotes the writer', async () => (await embedderOf(api)).message.endsWith('reports the same.'))
      const { message } = await embedderOf(api)
      expect(message).toContain(`docsearch models use ollama:${MODEL}`)
      expect(message).toContain('Searches in this process use keywords only.')
      expect(await api.search('lantern')).toMatchObject({ mode: 'keyword', embedding_model: null })
      await rebuild(api)
      await until('health is ok again', async () => (await embedderOf(api)).status === 'ok')
      await until('searches use the new vectors', async () => (await api.search('lantern')).mode === 'hybrid')
      await measured()
    })

    test('each process checks its own Ollama', async () => {
      ofApi.drift(MODEL, 'a later version')
      await until('health reports the Ollama of this process', () => isChanged(api))
      expect((await embedderOf(api)).message).toContain('run the same version of Ollama')
      expect((await api.search('lantern')).mode).toBe('keyword')
      const isOnlyHere = { state: 'in_use', notice: expect.stringContaining('same version of Ollama') }
      expect((await use(api)).body).toMatchObject(isOnlyHere)
      ofApi.drift(MODEL, UPDATED)
      await until('health is ok again', async () => (await embedderOf(api)).status === 'ok')

      ofApi.setDigest(MODEL, 'f'.repeat(64))
      expect((await use(api)).body).toMatchObject(isOnlyHere)
      ofApi.setDigest(MODEL, EMBEDDINGGEMMA.digest)
      await until('health is ok again', async () => (await embedderOf(api)).status === 'ok')

      ofWorker.drift(MODEL, 'a later version')
      await until('health reports the Ollama of the writer', () => isChanged(api))
      const { message } = await embedderOf(api)
      expect(message).toMatch(
        /^Searches in this process use vectors\. New documents wait\. The process that writes the index reports: /,
      )
      expect(message).not.toContain('keywords only')
      expect((await api.search('lantern')).mode).toBe('hybrid')
    })
  })

  describe('that check their vectors once a day', () => {
    let ollama: FakeOllama
    let api: Node
    let worker: Node
    beforeAll(async () => {
      ollama = await startFakeOllama()
      // The index has these vectors.
      ollama.drift(MODEL, UPDATED)
      worker = await cluster.start('worker', settings(ollama, DAY_MS))
      await cluster.writer([worker])
      api = await cluster.start('api', settings(ollama, DAY_MS))
    })
    afterAll(() => ollama?.close())

    test('a user who asks for the same model right after its update gets a new index at once', async () => {
      await until('searches use vectors', async () => (await api.search('lantern')).mode === 'hybrid')
      expect((await use(api)).body).toMatchObject({ state: 'in_use' })
      ollama.drift(MODEL, 'a later version')
      await rebuild(api)
      await until('searches use the new vectors', async () => (await api.search('lantern')).mode === 'hybrid')
      await measured()
    })

    test('a worker that starts carries out a request that a user made while none was running', async () => {
      await worker.daemon.stop()
      ollama.drift(MODEL, 'the latest version')
      const before = (await indexes()).map(({ id }) => id)
      expect((await use(api)).body).toMatchObject({ state: 'requested', notice: expect.stringContaining('--role worker') })
      await cluster.start('worker', settings(ollama, DAY_MS))
      await until('a new index', async () =>
        (await indexes()).some(({ id, state }) => state === 'active' && !before.includes(id)),
      )
      await until('searches use the new vectors', async () => (await api.search('lantern')).mode === 'hybrid')
    })
  })
})
