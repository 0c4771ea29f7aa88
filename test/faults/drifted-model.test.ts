import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { ModelUsed } from '../../src/contract/models.ts'
import { canCluster, type Cluster, type Node, startCluster } from '../support/cluster.ts'
import { errorCode } from '../support/codes.ts'
import { type FakeOllama, startFakeOllama } from '../support/fake-ollama.ts'
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

  const newOllama = async () => {
    const ollama = await startFakeOllama()
    onTestFinished(() => ollama.close())
    return ollama
  }
  const settings = ({ url }: FakeOllama, checkMs: number) => ({
    DOCSEARCH_EMBEDDER: `ollama:${MODEL}`,
    DOCSEARCH_OLLAMA: url,
    DOCSEARCH_EMBEDDER_CHECK_MS: String(checkMs),
  })
  const start = async (role: 'api' | 'worker', ollama: FakeOllama, checkMs = 200) => {
    const node = await cluster.start(role, settings(ollama, checkMs))
    onTestFinished(() => node.daemon.kill())
    return node
  }
  const embedderOf = async (node: Node) => (await node.health()).checks!.embedder
  const changed = { status: 'degraded', code: errorCode('embedding_model_changed') }
  const isChanged = async (node: Node) => (await embedderOf(node)).code === changed.code
  const use = (node: Node) => node.call<ModelUsed>('POST', '/api/v1/models/use', { model: MODEL })
  const indexes = async (): Promise<{ id: string; state: string; isMeasured: boolean }[]> => {
    const query = 'select id, state, canaries is not null as "isMeasured" from generations'
    return (await withClient(cluster.env['DOCSEARCH_DATABASE']!, (client) => client.query(query))).rows
  }
  const measured = () => until('the vectors are measured', async () => (await indexes()).some(({ isMeasured }) => isMeasured))
  /** Asks for the same model. With so few documents, the new index may be in use before the answer, but never the former one. */
  const rebuild = async (node: Node) => {
    const former = (await indexes()).map(({ id }) => id)
    const answer = (await use(node)).body
    const now = await indexes()
    expect(now.filter(({ id, state }) => !former.includes(id) && ['active', 'building'].includes(state))).toHaveLength(1)
    expect(answer).toMatchObject({ state: expect.stringMatching(/^(building|in_use)$/), notice: null })
  }

  test('a process for the API reports this, searches by keywords only, and uses vectors again after the index was rebuilt', async () => {
    const ollama = await newOllama()
    await start('worker', ollama)
    const api = await start('api', ollama)
    await api.upload([{ name: 'lantern.txt', content: TEXT }])
    await api.settled()
    await until('searches use vectors', async () => (await api.search('lantern')).mode === 'hybrid')
    // Until then, this process can't compare vectors.
    await measured()

    ollama.drift(MODEL, UPDATED)
    await until('health reports it', () => isChanged(api))
    expect((await api.health()).status).toBe('degraded')
    expect((await embedderOf(api)).message).toContain(`docsearch models use ollama:${MODEL}`)
    expect(await api.search('lantern')).toMatchObject({ mode: 'keyword', embedding_model: null })
    await rebuild(api)
    await until('health is ok again', async () => (await embedderOf(api)).status === 'ok')
    await until('searches use the new vectors', async () => (await api.search('lantern')).mode === 'hybrid')
  })

  test('each process checks its own Ollama', async () => {
    const [ofApi, ofWorker] = [await newOllama(), await newOllama()]
    // The index from the previous test has these vectors.
    for (const ollama of [ofApi, ofWorker]) ollama.drift(MODEL, UPDATED)
    await start('worker', ofWorker)
    const api = await start('api', ofApi)
    await until('searches use vectors', async () => (await api.search('lantern')).mode === 'hybrid')

    ofApi.drift(MODEL, 'a later version')
    await until('health reports the Ollama of this process', () => isChanged(api))
    expect((await embedderOf(api)).message).toContain('run the same version of Ollama')
    expect((await api.search('lantern')).mode).toBe('keyword')
    const answer = (await use(api)).body
    expect(answer).toMatchObject({ state: 'in_use', notice: expect.stringContaining('same version of Ollama') })
    ofApi.drift(MODEL, UPDATED)
    await until('health is ok again', async () => (await embedderOf(api)).status === 'ok')

    ofWorker.drift(MODEL, 'a later version')
    await until('health reports the Ollama of the writer', () => isChanged(api))
    expect(await embedderOf(api)).toMatchObject({ message: expect.stringContaining('The process that writes the index') })
    expect((await api.search('lantern')).mode).toBe('hybrid')
  })

  test('a user who asks for the same model right after its update gets a new index, without waiting for the next check', async () => {
    const ollama = await newOllama()
    ollama.drift(MODEL, UPDATED)
    await cluster.writer([await start('worker', ollama, DAY_MS)])
    const api = await start('api', ollama, DAY_MS)
    await until('searches use vectors', async () => (await api.search('lantern')).mode === 'hybrid')
    expect((await use(api)).body).toMatchObject({ state: 'in_use' })
    await measured()
    ollama.drift(MODEL, 'a later version')
    await rebuild(api)
    await until('searches use the new vectors', async () => (await api.search('lantern')).mode === 'hybrid')
  })
})
