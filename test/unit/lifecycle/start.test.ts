import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/core/clock.ts'
import { silentLogger } from '../../../src/core/logger.ts'
import { createBuiltinEmbedder } from '../../../src/embed/builtin.ts'
import type { Embedder } from '../../../src/embed/embedder.ts'
import type { Lifecycle, LifecycleOptions } from '../../../src/lifecycle/lifecycle.ts'
import { startLifecycle } from '../../../src/lifecycle/start.ts'
import { createIndexStore } from '../../../src/index/index-store.ts'
import type { Records } from '../../../src/records/records.ts'
import { openRecordsIn } from '../../support/temp-records.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { errorCode } from '../../support/codes.ts'
import { keywordSearch } from '../../support/search-index.ts'

let folder: string
let records: Records
beforeEach(async () => {
  folder = await tempFolder()
  records = await openRecordsIn({ file: join(folder, 'docsearch.db'), clock: systemClock, log: silentLogger })
  onTestFinished(() => records.close())
  const { id: ownerId } = await records.users.create({ name: 'A', email: null, role: 'owner' })
  const { id: projectId } = await records.projects.create({ ownerId, name: 'default', description: '' })
  const place = { uploaderId: ownerId, projectId, name: 'a', path: 'a', tags: [] }
  await records.documents.register({ ...place, mediaType: 'text/plain', sizeBytes: 1, sha256: 'a'.repeat(64) }, 'replace')
  await finishQueued()
})

async function finishQueued(): Promise<void> {
  const [job] = await records.queue.claim(1)
  await records.queue.finish([{ job: job!, chunkCount: 1, chunksSkipped: 0, embeddingModel: 'builtin', warnings: [] }])
}

const as = (change: Partial<Embedder>): Embedder => ({ ...createBuiltinEmbedder(), ...change })
const indexStore = () => createIndexStore({ dataDir: folder, log: silentLogger })
const choosing =
  (embedder: Embedder | null, reason = 'the reason') =>
  async () => ({ embedder, reason })

async function start(chooseEmbedder: LifecycleOptions['chooseEmbedder']): Promise<Lifecycle> {
  const lifecycle = await startLifecycle({ records, indexStore: indexStore(), chooseEmbedder, log: silentLogger })
  onTestFinished(() => lifecycle.close())
  return lifecycle
}

test('the first start makes an index, and the next one opens it and queues nothing', async () => {
  await (await start(choosing(as({})))).close()
  const first = await records.indexes.active()
  await records.queue.requeueMany([])
  const queued = (await records.queue.counts()).queued
  const lifecycle = await start(choosing(as({})))
  expect(await records.indexes.active()).toEqual(first)
  expect((await records.queue.counts()).queued).toBe(queued)
  expect(lifecycle.choice()).toEqual({ embedder: 'builtin', reason: 'the reason' })
  expect(await lifecycle.status()).toMatchObject({
    embedder: { status: 'ok', message: 'the reason' },
    index: { status: 'ok', chunks: 0 },
  })
})

test('another embedder replaces the index and queues every document', async () => {
  await (await start(choosing(as({})))).close()
  const first = await records.indexes.active()
  const lifecycle = await start(choosing(as({ name: 'ollama:other', fingerprint: 'other', dimensions: 8 })))
  const second = await records.indexes.active()
  expect(second).toMatchObject({ embeddingModel: 'ollama:other', dimensions: 8 })
  expect(await indexStore().list()).toEqual([second!.id])
  expect(second!.id).not.toBe(first!.id)
  expect((await records.queue.counts()).queued).toBe(1)
  expect(lifecycle.active()).toMatchObject({ embedder: { canEmbed: true } })
})

/** Makes the active index one of an earlier version. */
async function changeFingerprint(part: RegExp, earlier: string): Promise<string> {
  const { fingerprint, embeddingModel, dimensions } = (await records.indexes.active())!
  expect(fingerprint).toMatch(part)
  await records.indexes.activate({ fingerprint: fingerprint.replace(part, earlier), embeddingModel, dimensions })
  return fingerprint
}

test('for a newer built-in embedder, the former index answers by keywords while another one is built', async () => {
  await (await start(choosing(as({ fingerprint: 'of an older version' })))).close()
  await finishQueued()
  const lifecycle = await start(choosing(as({})))
  const { fingerprint } = createBuiltinEmbedder()
  expect(lifecycle.active()).toMatchObject({ record: { fingerprint: expect.stringContaining('of an older version') } })
  expect(lifecycle.active()!.embedder.canEmbed).toBe(false)
  expect(lifecycle.building()?.record.fingerprint).toContain(fingerprint)
  expect((await records.queue.counts()).queued).toBe(0)
  expect(await records.indexes.chosen()).toBeNull()
})

test.each(['chunks', 'terms'])(
  'when docsearch changes its %s, the former index answers while another one is built',
  async (part) => {
    await (await start(choosing(as({})))).close()
    const fingerprint = await changeFingerprint(new RegExp(`\\b${part} \\d+`), `${part} 0`)
    const lifecycle = await start(choosing(as({})))
    expect(lifecycle.active()).toMatchObject({ record: { fingerprint: expect.stringContaining(`${part} 0`) } })
    expect(lifecycle.active()!.embedder.canEmbed).toBe(true)
    expect(lifecycle.building()?.record).toMatchObject({ fingerprint, embeddingModel: 'builtin' })
    expect((await lifecycle.status()).index.message).toContain('building an index with builtin')
  },
)

test('when docsearch reads documents in another way, they are queued and the index stays', async () => {
  await (await start(choosing(as({})))).close()
  await finishQueued()
  const fingerprint = await changeFingerprint(/\bpages \d+/, 'pages 0')
  const before = await records.indexes.active()
  const lifecycle = await start(choosing(as({})))
  expect(await records.indexes.active()).toEqual({ ...before, fingerprint })
  expect(lifecycle.building()).toBeNull()
  expect((await records.queue.counts()).queued).toBe(1)
})

test('rebuilds an index with a layout that this version cannot read', async () => {
  await (await start(choosing(as({})))).close()
  const fingerprint = await changeFingerprint(/\btable \d+/, 'table 0')
  const lifecycle = await start(choosing(as({})))
  expect(await records.indexes.active()).toMatchObject({ fingerprint })
  expect((await lifecycle.status()).index.message).toContain('rebuilt')
})

test('when a model has other weights, searches use keywords only, and health says what to do', async () => {
  await (await start(choosing(as({ name: 'ollama:m', isExternal: true, fingerprint: 'm@one' })))).close()
  const first = await records.indexes.active()
  const lifecycle = await start(choosing(as({ name: 'ollama:m', isExternal: true, fingerprint: 'm@two' })))
  expect(await records.indexes.active()).toEqual(first)
  const { embedder, index } = lifecycle.active()!
  expect(embedder.canEmbed).toBe(false)
  await expect(embedder.embedQuery('x')).rejects.toMatchObject({ code: errorCode('embedding_model_changed') })
  expect(await keywordSearch(index, ['x'], {}, 1)).toEqual([])
  expect((await lifecycle.status()).embedder).toMatchObject({
    status: 'degraded',
    code: errorCode('embedding_model_changed'),
    message: expect.stringContaining('docsearch models use'),
  })
})

test('when docsearch prepares texts for a model in another way, the index stays, and health says so', async () => {
  const asModel = (fingerprint: string) => choosing(as({ name: 'ollama:m', isExternal: true, fingerprint }))
  await (await start(asModel('ollama:m@abc#template1:1024'))).close()
  const first = await records.indexes.active()
  const lifecycle = await start(asModel('ollama:m@abc#template2:1024'))
  expect(await records.indexes.active()).toEqual(first)
  expect(await keywordSearch(lifecycle.active()!.index, ['x'], {}, 1)).toEqual([])
  const { message } = (await lifecycle.status()).embedder
  expect(message).toContain('prepares texts for ollama:m differently')
  expect(message).toContain('docsearch models use')
  expect(message).not.toContain('restore the former model')
})

test('tries an absent embedder again and tells listeners; the existing index answers keyword searches meanwhile', async () => {
  await (await start(choosing(as({})))).close()
  let answers: Embedder | null = null
  const lifecycle = await start(async (existing) => {
    expect(existing).toEqual({ embeddingModel: 'builtin', fingerprint: createBuiltinEmbedder().fingerprint })
    return { embedder: answers, reason: 'It does not answer.' }
  })
  expect(lifecycle.active()).toMatchObject({ embedder: { canEmbed: false } })
  expect((await lifecycle.status()).embedder).toMatchObject({
    status: 'degraded',
    message: 'It does not answer. Searches use keywords only, and new documents wait.',
  })
  const changed = new Promise<void>((resolve) => lifecycle.onChange(resolve))
  answers = as({})
  await changed
  expect(lifecycle.active()).toMatchObject({ embedder: { canEmbed: true } })
})

test('drops an index without a record', async () => {
  await mkdir(join(folder, 'lance', 'passages_gen_stray.0.lance'), { recursive: true })
  await start(choosing(as({})))
  expect(await readdir(join(folder, 'lance'))).not.toContain('passages_gen_stray.0.lance')
})

test('makes one new index for all callers that meet the same damage, and queues every document', async () => {
  const lifecycle = await start(choosing(as({})))
  const before = await records.indexes.active()
  const heard: number[] = []
  lifecycle.onChange(() => heard.push(1))
  await Promise.all([lifecycle.rebuildActive('x'), lifecycle.rebuildActive('x')])
  expect((await records.indexes.active())!.id).not.toBe(before!.id)
  expect(heard).toEqual([1])
  expect((await records.queue.counts()).queued).toBe(1)
  expect(await lifecycle.active()!.index.countPassages()).toBe(0)
})
