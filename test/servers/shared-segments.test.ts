import { randomBytes } from 'node:crypto'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { silentLogger } from '../../src/core/logger.ts'
import { nameTerms, passageTerms } from '../../src/text/passage-terms.ts'
import type { PassageIndex } from '../../src/index/passage-index.ts'
import { SegmentedIndex } from '../../src/index/segmented-index.ts'
import { SegmentStore } from '../../src/index/segments/store/segment-store.ts'
import { SharedIndex } from '../../src/index/shared-index.ts'
import type { WriterLeases } from '../../src/index/shared-index-store.ts'
import { DIMENSIONS, direction, passage } from '../conformance/passage-index.ts'
import { errorCode } from '../support/codes.ts'
import { createMemoryTable } from '../support/memory-passage-table.ts'
import { BUCKET, startS3rver, startVersitygw, type TestStore, VERSITYGW } from '../support/object-stores.ts'
import { openStore } from '../support/open-store.ts'
import { keywordSearch, vectorSearch } from '../support/search-index.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { createWriterLeases } from '../support/writer-leases.ts'

const layout = { dimensions: DIMENSIONS, denseDimensions: DIMENSIONS }

let server: TestStore
let address: string
let table: ReturnType<typeof createMemoryTable>
let leases: ReturnType<typeof createWriterLeases>
beforeAll(async () => {
  server = VERSITYGW === null ? await startS3rver({ addsConditions: true }) : await startVersitygw()
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(() => {
  for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value)
  address = `s3://${BUCKET}/${randomBytes(6).toString('hex')}`
  table = createMemoryTable(DIMENSIONS)
  leases = createWriterLeases()
})
afterEach(() => {
  vi.unstubAllEnvs()
  server.proxy.fault = () => 'pass'
})

async function openLocal(): Promise<SegmentedIndex> {
  const own = createMemoryTable(DIMENSIONS)
  const index = await SegmentedIndex.open({ table: own, folder: join(await tempFolder(), 'idx'), layout, log: silentLogger })
  onTestFinished(() => index.close())
  return index
}

/** Opens the index as another process that writes. */
async function openWriter(options: { graceMs?: number; folder?: string } = {}): Promise<SharedIndex> {
  const index = await openShared(leases.next(), options)
  // Takes the lease.
  await index.put([])
  return index
}

async function openShared(
  own: WriterLeases | null,
  { graceMs, folder }: { graceMs?: number; folder?: string } = {},
): Promise<SharedIndex> {
  const index = await SharedIndex.open({
    id: 'idx',
    table,
    folder: folder ?? join(await tempFolder(), 'idx'),
    shared: { address, ...(graceMs !== undefined && { graceMs }) },
    cache: null,
    layout,
    leases: own,
    newestVersion: null,
    onCommit: async () => {},
    log: silentLogger,
  })
  onTestFinished(() => index.close())
  return index
}

/** Opens the segments as a process that only searches. */
async function openReader(folder?: string): Promise<SegmentStore> {
  const reader = await SegmentStore.open({
    folder: folder ?? join(await tempFolder(), 'idx'),
    layout,
    log: silentLogger,
    shared: { address },
  })
  onTestFinished(() => reader.close())
  return reader
}

function document(documentId: string, { projectId = 'prj_a', passages = 3, version = 1 } = {}) {
  const texts = (n: number) => ({
    title: `Title of ${documentId}`,
    heading: 'Part',
    context: '',
    text: `word${n % 7} common v${version}`,
  })
  const all = Array.from({ length: passages }, (_, n) => {
    const { tokens: _tokens, ...terms } = passageTerms(texts(n))
    return passage(documentId, n, {
      version,
      projectId,
      ...texts(n),
      ...terms,
      nameTerms: nameTerms({ name: documentId, title: '' }),
    })
  })
  return { documentId, isNew: version === 1, passages: all }
}

/** What searches find, with scores. */
async function found(from: PassageIndex | SegmentStore) {
  const index = from instanceof SegmentStore ? { segments: () => from.projects(), rowsWithPhrases: async () => [] } : from
  const shown = ({ id, score }: { id: string; score: number }) => ({ id, score })
  return {
    words: (await keywordSearch(index, ['common', 'word1', 'v2'], {}, 1000)).map(shown),
    near: (await vectorSearch(index, direction(1), {}, 1000)).map(shown),
  }
}

/** Adds, replaces and deletes documents in three projects, until segments are merged. */
async function change(index: SegmentedIndex | SharedIndex): Promise<void> {
  for (let i = 0; i < 12; i++)
    await index.put([document(`doc_${i}`, { passages: 3 + (i % 4) }), document(`other_${i}`, { projectId: `prj_${i % 2}` })])
  await index.put([document('doc_3', { version: 2 }), document('doc_4', { version: 2, passages: 1 })])
  await index.deleteDocuments(['doc_5', ...[0, 2, 4, 6, 8, 10].map((i) => `other_${i}`)])
  await index.idle()
}

test('another process finds the same passages with the same scores as on one machine', async () => {
  const [alone, writer, reader] = [await openLocal(), await openWriter(), await openReader()]
  await change(alone)
  await change(writer)
  await reader.follow()
  const expected = await found(alone)
  expect(expected.words.length).toBeGreaterThan(40)
  expect(await found(writer)).toEqual(expected)
  expect(await found(reader)).toEqual(expected)
  // A process that starts now, without any copies, as well.
  expect(await found(await openReader())).toEqual(expected)
  expect(reader.project('prj_0')).toBeUndefined()
})

test('every process that follows finds what a writer has confirmed, even with many simultaneous searches', async () => {
  const [writer, ...readers] = [await openWriter(), await openReader(), await openReader()] as const
  for (let i = 0; i < 10; i++) {
    await writer.put([document(`doc_${i}`)])
    for (const reader of readers) {
      await Promise.all([reader.follow(), reader.follow(), reader.follow()])
      expect((await found(reader)).words.map(({ id }) => id)).toContain(`doc_${i}:1:0`)
    }
  }
})

test('a process that only searches cannot write', async () => {
  const writer = await openWriter()
  await writer.put([document('doc_1')])
  const reader = await openShared(null)
  await expect(reader.deleteDocuments(['doc_1'])).rejects.toMatchObject({ code: errorCode('index_failed') })
  expect((await found(await openReader())).words).toEqual((await found(writer)).words)
})

test('a writer whose lease has passed on cannot write, and the next one has everything that it has confirmed', async () => {
  const first = await openWriter()
  await first.put([document('doc_1')])
  const second = await openWriter()
  await expect(first.put([document('doc_2')])).rejects.toMatchObject({ code: errorCode('writer_replaced') })
  await second.put([document('doc_3')])
  const documents = async (index: SharedIndex) => new Set((await found(index)).words.map(({ id }) => id.split(':')[0]))
  expect(await documents(second)).toEqual(new Set(['doc_1', 'doc_3']))
  // With a new lease, the first process continues where the second one stopped.
  await first.put([document('doc_4')])
  await expect(second.deleteDocuments(['doc_1'])).rejects.toMatchObject({ code: errorCode('writer_replaced') })
  expect(await documents(first)).toEqual(new Set(['doc_1', 'doc_3', 'doc_4']))
})

test('a commit that the store refused changes nothing, and the next commit succeeds', async () => {
  const [writer, reader] = [await openWriter(), await openReader()]
  await writer.put([document('doc_1')])
  server.proxy.fault = () => 'fail'
  await expect(writer.put([document('doc_2')])).rejects.toMatchObject({ code: errorCode('store_unavailable') })
  await expect(reader.follow()).rejects.toMatchObject({ code: errorCode('store_unavailable') })
  server.proxy.fault = () => 'pass'
  await writer.put([document('doc_3')])
  await reader.follow()
  for (const index of [writer, reader]) {
    const ids = new Set((await found(index)).words.map(({ id }) => id.split(':')[0]))
    expect(ids).toEqual(new Set(['doc_1', 'doc_3']))
  }
})

test('a change that other processes see does not fail when the writer cannot write to its disk', async () => {
  const folder = join(await tempFolder(), 'idx')
  const writer = await openWriter({ folder })
  await writer.put([document('doc_1'), document('doc_2')])
  // A manifest cannot be written there.
  await mkdir(join(folder, 'prj_a', 'manifest.json.new'))
  await writer.put([document('doc_1', { version: 2 })])
  expect(await found(await openReader())).toEqual(await found(writer))
})

test('the next start fetches damaged copies again', async () => {
  const writer = await openWriter()
  await writer.put([document('doc_1'), document('doc_2', { projectId: 'prj_b' })])
  const folder = join(await tempFolder(), 'idx')
  await (await openReader(folder)).close()
  const files = (await readdir(join(folder, 'prj_a'))).filter((file) => file.endsWith('.seg'))
  const path = join(folder, 'prj_a', files[0]!)
  const { size } = await stat(path)
  await writeFile(path, Buffer.alloc(size))
  const reader = await openReader(folder)
  expect(reader.projects().map(({ isIncomplete }) => isIncomplete)).toEqual([false, false])
  expect(await found(reader)).toEqual(await found(writer))
})

async function filesInStore(): Promise<string[]> {
  const store = await openStore(server, {}, address)
  const all: string[] = []
  for await (const { key } of store.list('segments/idx/files/')) all.push(key)
  return all
}

test('a sweep deletes files that no commit names, but no files of an unfinished commit', async () => {
  const writer = await openWriter()
  await change(writer)
  const before = await filesInStore()
  await writer.optimize()
  expect(await filesInStore()).toEqual(before)
  await writer.close()
  const next = await openWriter({ graceMs: -1 })
  await next.optimize()
  expect((await filesInStore()).length).toBeLessThan(before.length)
  expect(await found(await openReader())).toEqual(await found(next))
})

test('a sweep keeps the files of documents whose deletion took effect although it failed', async () => {
  const writer = await openWriter({ graceMs: -1 })
  await writer.put([document('doc_1'), document('other_1', { projectId: 'prj_b' })])
  // The first run after a takeover also looks for unused rows.
  await writer.optimize()
  server.proxy.fault = ({ method }) => (method === 'PUT' ? 'lose' : 'refuse')
  await expect(writer.deleteDocuments(['doc_1'])).rejects.toMatchObject({ code: errorCode('store_unavailable') })
  server.proxy.fault = () => 'pass'
  expect((await openReader()).project('prj_a')).toBeUndefined()
  await writer.optimize()
  await writer.put([document('other_2', { projectId: 'prj_b' })])
  const reader = await openReader()
  expect(reader.projects().map(({ isIncomplete }) => isIncomplete)).toEqual([false, false])
  const ids = new Set((await found(reader)).words.map(({ id }) => id.split(':')[0]))
  expect(ids).toEqual(new Set(['doc_1', 'other_1', 'other_2']))
})

test('a writer that was replaced finds what the next writer has committed', async () => {
  const first = await openWriter()
  await first.put([document('doc_1')])
  const second = await openWriter()
  await second.put([document('doc_2')])
  await expect(first.put([document('other_1', { projectId: 'prj_b' })])).rejects.toMatchObject({
    code: errorCode('writer_replaced'),
  })
  await first.catchUp()
  expect(await found(first)).toEqual(await found(second))
})
