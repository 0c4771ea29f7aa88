import { beforeEach, expect, onTestFinished, test } from 'vitest'
import type { DocumentRecord } from '../../src/core/model.ts'
import { type FakeOllama, startFakeOllama } from '../support/fake-ollama.ts'
import { makeModel } from '../support/fake-ollama-model.ts'
import { until } from '../support/until.ts'
import { type Bench, openBench } from '../unit/ingest/harness.ts'
import { errorCode, warningCode } from '../support/codes.ts'
import { vectorSearch } from '../support/search-index.ts'

const SMALL = makeModel('small', { dimensions: 64 })
const OTHER = makeModel('other', { dimensions: 96 })

let ollama: FakeOllama
let bench: Bench
beforeEach(async () => {
  ollama = await startFakeOllama([SMALL, OTHER])
  onTestFinished(() => ollama.close())
  bench = await openBench({ embedder: 'builtin', ollamaUrl: ollama.url })
  await bench.ingest.start()
})

/** Holds the next call that embeds documents. Calls that set up a model or embed canary texts are let through. */
const holdDocuments = () => ollama.hold('/api/embed', ({ input }) => /passage/.test(JSON.stringify(input)))

const inUse = () => bench.lifecycle.active()!.embedder.name
const switched = (name: string) => until(`${name} in use`, () => inUse() === name && bench.lifecycle.building() === null)
const states = async () =>
  Object.fromEntries((await bench.lifecycle.indexes()).map(({ record: { embeddingModel, state } }) => [embeddingModel, state]))

/** Expects the active index to have each of these documents once, with vectors of its embedder, and nothing else. The records have to agree. */
async function expectWhole(...documents: DocumentRecord[]): Promise<void> {
  const { index, embedder } = bench.lifecycle.active()!
  const rows = await Promise.all(documents.map(({ id }) => bench.row(id)))
  const wanted = new Map(rows.map(({ id, version, chunkCount }) => [id, { version, chunks: chunkCount }]))
  expect(await index.inventory()).toEqual(wanted)
  for (const row of rows) {
    expect(row).toMatchObject({ status: 'ready', embeddingModel: embedder.name })
    const vector = await embedder.embedQuery(row.name)
    const hits = await vectorSearch(index, vector, { documentIds: [row.id] }, 50)
    expect(hits.length).toBe(row.chunkCount)
  }
}

test('switches when the new index is complete, and switches back without embedding again', async () => {
  const a = await bench.ingested('apples', 'Apples grow on trees, a passage.')
  const b = await bench.ingested('bears', 'Bears eat honey, a passage.')
  const held = holdDocuments()
  expect(await bench.lifecycle.use('ollama:small')).toEqual({ embedder: 'ollama:small', state: 'building', notice: null })
  await held.arrived
  expect([inUse(), await bench.found('honey')]).toEqual(['builtin', ['bears']])
  expect(await states()).toEqual({ builtin: 'active', 'ollama:small': 'building' })
  held.release()
  await switched('ollama:small')
  await expectWhole(a, b)
  expect(await states()).toEqual({ builtin: 'retired', 'ollama:small': 'active' })

  expect(await bench.lifecycle.use('ollama:small')).toMatchObject({ state: 'in_use' })
  await bench.lifecycle.use('builtin')
  await switched('builtin')
  await expectWhole(a, b)
  const calls = ollama.embedCalls().length
  await bench.lifecycle.use('ollama:small')
  await switched('ollama:small')
  await expectWhole(a, b)
  // Canary texts and this test's queries are embedded, but no document a second time.
  expect(
    ollama
      .embedCalls()
      .slice(calls)
      .flat()
      .filter((text) => text.includes('honey')),
  ).toEqual([])
})

test('every index gets the uploads, replacements and deletions made during and after a switch', async () => {
  const [a, b, c] = [
    await bench.ingested('a', 'Alpha one, a passage.'),
    await bench.ingested('b', 'Beta two, a passage.'),
    await bench.ingested('c', 'Gamma three, a passage.'),
  ]
  const held = holdDocuments()
  await bench.lifecycle.use('ollama:small')
  await held.arrived
  const d = await bench.ingested('d', 'Delta four, a passage.')
  await bench.ingested('a', 'Alpha in other words, a passage.')
  await bench.ingest.deleteDocument(bench.visible, b.id)
  held.release()
  await switched('ollama:small')
  await expectWhole(a, c, d)
  const e = await bench.ingested('e', 'Epsilon five, a passage.')
  await bench.ingest.deleteDocument(bench.visible, c.id)
  const kept = bench.lifecycle.inactive()[0]!
  await until('the retired index forgets it', async () => !(await kept.index.inventory()).has(c.id))
  await bench.lifecycle.use('builtin')
  await switched('builtin')
  await expectWhole(a, d, e)
  expect(await bench.found('words')).toEqual(['a'])
  expect(await bench.found('one')).toEqual([])
})

test('choosing another embedder, or the active one, cancels the index being built; remove drops a retired one', async () => {
  const a = await bench.ingested('a', 'Alpha one, a passage.')
  const held = holdDocuments()
  await bench.lifecycle.use('ollama:small')
  await held.arrived
  await bench.lifecycle.use('ollama:other')
  held.release()
  await switched('ollama:other')
  await expectWhole(a)
  expect(await states()).toEqual({ builtin: 'retired', 'ollama:other': 'active' })
  await expect(bench.lifecycle.remove('ollama:other')).rejects.toMatchObject({ code: errorCode('model_in_use') })
  await expect(bench.lifecycle.remove('ollama:small')).rejects.toMatchObject({ code: errorCode('index_not_found') })
  await bench.lifecycle.remove('builtin')
  expect(await states()).toEqual({ 'ollama:other': 'active' })

  const again = holdDocuments()
  await bench.lifecycle.use('ollama:small')
  await again.arrived
  expect(await bench.lifecycle.use('ollama:other')).toMatchObject({ state: 'in_use' })
  again.release()
  expect([await states(), bench.lifecycle.building()]).toEqual([{ 'ollama:other': 'active' }, null])
})

test('refuses a model that is missing or cannot embed, says why, and changes nothing', async () => {
  ollama.setModels([SMALL, makeModel('talker', { capabilities: ['completion'] })])
  await expect(bench.lifecycle.use('ollama:absent')).rejects.toMatchObject({
    code: errorCode('model_unusable'),
    message: /pull absent/,
  })
  await expect(bench.lifecycle.use('ollama:talker')).rejects.toMatchObject({
    code: errorCode('model_unusable'),
    message: /completion/,
  })
  await ollama.stop()
  await expect(bench.lifecycle.use('ollama:small')).rejects.toMatchObject({
    code: errorCode('model_unusable'),
    message: /nothing listens/,
  })
  expect([await states(), await bench.records.indexes.chosen()]).toEqual([{ builtin: 'active' }, null])
})

test('an empty instance switches at once', async () => {
  await bench.lifecycle.use('ollama:small')
  await switched('ollama:small')
  const a = await bench.ingested('a', 'Alpha one, a passage.')
  await expectWhole(a)
})

test('an Ollama that goes away holds up the new index, says so, and holds up no upload', async () => {
  const documents = [await bench.ingested('a', 'Alpha one, a passage.'), await bench.ingested('b', 'Beta two, a passage.')]
  const held = holdDocuments()
  await bench.lifecycle.use('ollama:small')
  await held.arrived
  await ollama.stop()
  held.release()
  await until('the reason', async () => (await bench.ingest.waitReasons()).build?.includes('Ollama'))
  documents.push(await bench.ingested('c', 'Gamma three, a passage.'))
  expect(await bench.ingest.status()).toMatchObject({ status: 'ok' })
  await ollama.restart()
  await switched('ollama:small')
  await expectWhole(...documents)
  expect((await bench.ingest.waitReasons()).build).toBeNull()
})

test('warns about a passage that the new model cannot embed, until another model is active', async () => {
  const a = await bench.ingested('a', 'Alpha poison one, a passage.')
  ollama.poison('poison')
  await bench.lifecycle.use('ollama:small')
  await switched('ollama:small')
  expect(await bench.row(a.id)).toMatchObject({
    health: { chunksSkipped: 1 },
    warnings: [{ code: warningCode('chunk_not_embedded') }],
  })
  expect(await bench.found('alpha')).toEqual(['a'])
  await bench.lifecycle.use('builtin')
  await switched('builtin')
  expect(await bench.row(a.id)).toMatchObject({ health: { chunksSkipped: 0 }, warnings: [] })
  await expectWhole(a)
})

test('after a restart the choice stands, and building continues where it was', async () => {
  const documents = []
  for (let i = 0; i < 40; i++) documents.push(await bench.ingested(`d${i}`, `Word${i} stands here.`))
  // The second call that embeds documents comes after the first commit.
  await bench.lifecycle.use('ollama:small')
  await until('a first commit', async () => (await bench.lifecycle.indexes()).some(({ progress }) => (progress?.done ?? 0) > 0))
  await bench.close()
  const texts = () =>
    ollama
      .embedCalls()
      .flat()
      .filter((text) => /Word\d+ stands/.test(text))
  const before = texts().length
  bench = await openBench({ folder: bench.folder, embedder: 'auto', ollamaUrl: ollama.url })
  await bench.ingest.start()
  await switched('ollama:small')
  await expectWhole(...documents)
  expect(texts().length - before).toBeLessThan(40)
})

test('when the same model returns other vectors, searches use keywords only, and health says what to do', async () => {
  await bench.lifecycle.use('ollama:small')
  await switched('ollama:small')
  const a = await bench.ingested('a', 'Alpha one, a passage.')
  const { id } = bench.lifecycle.active()!.record
  await until('canaries', async () => (await bench.records.indexes.measurements(id)) !== null)
  await bench.close()

  ollama.drift('small', 'after an update')
  bench = await openBench({ folder: bench.folder, embedder: 'auto', ollamaUrl: ollama.url, checkEveryMs: 50 })
  await bench.ingest.start()
  await until('the drift to be noticed', () => bench.lifecycle.active()?.embedder.canEmbed === false)
  const { embedder } = await bench.lifecycle.status()
  expect(embedder).toMatchObject({ status: 'degraded', code: errorCode('embedding_model_changed') })
  expect(embedder.message).toContain('docsearch models use ollama:small')
  expect(await bench.found('alpha')).toEqual(['a'])
  await expect(bench.lifecycle.active()!.embedder.embedQuery('x')).rejects.toMatchObject({
    code: errorCode('embedding_model_changed'),
  })

  // The former vectors are back: the user has to do nothing.
  ollama.drift('small')
  await until('the former vectors to be noticed', () => bench.lifecycle.active()?.embedder.canEmbed === true)
  await expectWhole(a)

  ollama.drift('small', 'for good')
  await until('the drift to be noticed again', () => bench.lifecycle.active()?.embedder.canEmbed === false)
  expect(await bench.lifecycle.use('ollama:small')).toMatchObject({ state: 'building' })
  await until(
    'the new vectors',
    () => bench.lifecycle.active()?.embedder.canEmbed === true && bench.lifecycle.building() === null,
  )
  expect(await states()).toEqual({ builtin: 'retired', 'ollama:small': 'active' })
  await expectWhole(a)
})

test('a user who has updated Ollama can rebuild the index before docsearch notices other vectors', async () => {
  await bench.lifecycle.use('ollama:small')
  await switched('ollama:small')
  const { id } = bench.lifecycle.active()!.record
  await until('canaries', async () => (await bench.records.indexes.measurements(id)) !== null)
  expect(await bench.lifecycle.use('ollama:small')).toMatchObject({ state: 'in_use' })
  ollama.drift('small', 'after an update')
  expect(await bench.lifecycle.use('ollama:small')).toMatchObject({ state: 'building' })
})

async function restart(): Promise<void> {
  await bench.close()
  bench = await openBench({ folder: bench.folder, embedder: 'auto', ollamaUrl: ollama.url })
  await bench.ingest.start()
}

const measured = async (id: string) => until('canaries', async () => (await bench.records.indexes.measurements(id)) !== null)

/** Builds the index of `small` with one document, and waits until the vectors of the canary texts are stored. */
async function useSmall(): Promise<DocumentRecord> {
  const a = await bench.ingested('a', 'Alpha one, a passage.')
  await bench.lifecycle.use('ollama:small')
  await switched('ollama:small')
  await measured(bench.lifecycle.active()!.record.id)
  return a
}

test('an index that was partly built before its model changed is built from the beginning', async () => {
  for (let i = 0; i < 40; i++) await bench.ingested(`d${i}`, `Word${i} stands here.`)
  const held = ollama.hold('/api/embed', ({ input }) => JSON.stringify(input).includes('Word39 '))
  await bench.lifecycle.use('ollama:small')
  await held.arrived
  expect((await bench.lifecycle.indexes()).some(({ progress }) => progress?.done === 32)).toBe(true)
  await bench.close()
  held.release()
  const before = ollama.embedCalls().length
  ollama.drift('small', 'after an update')
  await restart()
  await switched('ollama:small')
  const texts = ollama.embedCalls().slice(before).flat()
  expect(texts.filter((text) => text.includes('Word0 '))).toHaveLength(1)
  expect(bench.lifecycle.active()!.embedder.canEmbed).toBe(true)
})

test('a retired index whose model has changed is not used again', async () => {
  const a = await useSmall()
  await bench.lifecycle.use('builtin')
  await switched('builtin')
  const calls = ollama.embedCalls().length
  ollama.drift('small', 'after an update')
  await bench.lifecycle.use('ollama:small')
  await switched('ollama:small')
  await expectWhole(a)
  expect(
    ollama
      .embedCalls()
      .slice(calls)
      .flat()
      .some((text) => text.includes('Alpha one')),
  ).toBe(true)
})

test.each([
  ['other weights', () => ollama.setDigest('small', 'b'.repeat(64))],
  ['other vectors', () => ollama.drift('small', 'after an update')],
])('a restart continues to build the index of a model with %s', async (_, change) => {
  const a = await useSmall()
  const former = bench.lifecycle.active()!.record.id
  change()
  const held = holdDocuments()
  expect(await bench.lifecycle.use('ollama:small')).toMatchObject({ state: 'building' })
  await held.arrived
  const { id } = bench.lifecycle.building()!.record
  await bench.close()
  held.release()
  await restart()
  await until('the new index', () => bench.lifecycle.active()!.record.id !== former)
  expect(bench.lifecycle.active()).toMatchObject({ record: { id }, embedder: { canEmbed: true } })
  await expectWhole(a)
})
