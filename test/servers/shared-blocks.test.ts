import { randomBytes } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { silentLogger } from '../../src/core/logger.ts'
import type { PassageIndex } from '../../src/index/passage-index.ts'
import type { PassageTableStore } from '../../src/index/passage-table.ts'
import { isPaged } from '../../src/index/segments/paged-file.ts'
import { BLOCK_BYTES } from '../../src/index/segments/remote-file.ts'
import type { SegmentMemory } from '../../src/index/segments/store/memory.ts'
import { SegmentedIndex } from '../../src/index/segmented-index.ts'
import { createSharedIndexStore } from '../../src/index/shared-index-store.ts'
import type { ObjectStore } from '../../src/objects/object-store.ts'
import type { Found } from '../../src/search/find-request.ts'
import { SearchThreads } from '../../src/search/threads/search-threads.ts'
import { DIMENSIONS, direction, passage } from '../conformance/passage-index.ts'
import { errorCode } from '../support/codes.ts'
import { findRequest, foundIn } from '../support/find-request.ts'
import { createMemoryTable, createMemoryTables } from '../support/memory-passage-table.ts'
import { BUCKET, startS3rver, startVersitygw, type TestStore, VERSITYGW } from '../support/object-stores.ts'
import { openStore } from '../support/open-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { until } from '../support/until.ts'
import { createWriterLeases } from '../support/writer-leases.ts'

const ON_DISK: SegmentMemory = { sharedBytes: 0, cacheBytes: 262_144 }
const IN_MEMORY: SegmentMemory = { sharedBytes: 1e9, cacheBytes: 262_144 }
/** The smallest possible cache: 64 blocks. */
const SMALL = 1

let server: TestStore
let address: string
let objects: ObjectStore
let leases: ReturnType<typeof createWriterLeases>
let tables: PassageTableStore
let threads: SearchThreads
beforeAll(async () => {
  server = VERSITYGW === null ? await startS3rver({ addsConditions: true }) : await startVersitygw()
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(async () => {
  address = `s3://${BUCKET}/${randomBytes(6).toString('hex')}`
  objects = await openStore(server, { retries: 0 }, address)
  leases = createWriterLeases()
  tables = createMemoryTables()
  threads = new SearchThreads({ threads: 2, log: silentLogger })
})
afterEach(async () => {
  vi.unstubAllEnvs()
  server.proxy.fault = () => 'pass'
  await threads.close()
})

interface Opened {
  index: PassageIndex
  folder: string
  close: () => Promise<void>
}

async function open(memory: SegmentMemory, { cacheBytes = SMALL, canWrite = false, minRemoteBytes = 1 } = {}): Promise<Opened> {
  const folder = await tempFolder()
  const store = createSharedIndexStore({
    address,
    objects,
    cacheFolder: folder,
    cacheBytes,
    minRemoteBytes,
    memory,
    leases: canWrite ? leases.next() : null,
    newestVersion: null,
    onCommit: async () => {},
    log: silentLogger,
    tables,
  })
  const index = await store.open({ id: 'idx', dimensions: DIMENSIONS })
  let closed: Promise<void> | null = null
  const close = () => (closed ??= index.close().then(() => store.close()))
  onTestFinished(close)
  return { index, folder, close }
}

/** Large enough that the large sections of its files may leave memory. */
function document(documentId: string, passages = 4_000) {
  const all = Array.from({ length: passages }, (_, n) =>
    passage(documentId, n, {
      terms: `common word${n % 97} word${n % 13} ${'often '.repeat(n % 5)}${documentId}x${n}`,
      vector: direction(n / 40),
    }),
  )
  return { documentId, isNew: true, passages: all }
}

/** What several searches find, in order and with scores. */
async function found(index: PassageIndex) {
  const answers: Found[] = []
  for (const [i, terms] of [['common', 'word1'], ['word3', 'often'], ['word96'], ['doc_1x3999']].entries())
    answers.push(foundIn(await threads.find(index, findRequest({ terms, vector: direction(20 * i) }))))
  return answers.map(({ groups }) => groups.map(({ best, score }) => ({ id: best.id, score })))
}

const pagedFiles = (index: PassageIndex) =>
  index
    .segments()
    .flatMap(({ segments }) => segments.flatMap(({ words, vectors }) => [words, vectors]))
    .filter(isPaged)

async function putAll(index: PassageIndex): Promise<void> {
  for (let i = 0; i < 3; i++) await index.put([document(`doc_${i}`)])
  await index.deleteDocuments(['doc_2'])
}

test('finds the same through a small cache as with everything in memory, and stays within its disk limit', async () => {
  const layout = { dimensions: DIMENSIONS, denseDimensions: DIMENSIONS }
  const local = await SegmentedIndex.open({
    table: createMemoryTable(DIMENSIONS),
    folder: join(await tempFolder(), 'idx'),
    layout,
    log: silentLogger,
  })
  onTestFinished(() => local.close())
  await putAll(local)
  const expected = await found(local)
  expect(expected.map((groups) => groups.length)).toEqual([20, 20, 20, 20])
  const writer = await open(ON_DISK, { canWrite: true })
  await putAll(writer.index)
  const reader = await open(ON_DISK)
  for (const { index, folder } of [writer, reader]) {
    expect(pagedFiles(index).map(({ remote }) => remote !== undefined)).not.toContain(false)
    expect(pagedFiles(index).length).toBeGreaterThan(0)
    expect(await found(index)).toEqual(expected)
    const { size } = await stat(join(folder, 'blocks'))
    expect(size).toBeGreaterThan(0)
    expect(size).toBeLessThanOrEqual(64 * BLOCK_BYTES)
    const copies = (await readdir(join(folder, 'idx', 'prj_a'))).filter((file) => /\.(seg|vec)$/.test(file))
    expect(copies).toEqual([])
  }
  // What a process that starts with room in its memory reads once stays there.
  const roomy = await open(IN_MEMORY)
  await until('the files are in memory', () => pagedFiles(roomy.index).length === 0)
  expect(await found(roomy.index)).toEqual(expected)
})

test('merges segments that are in the store, and readers that use the old ones follow', async () => {
  const writer = await open(ON_DISK, { canWrite: true })
  const reader = await open(ON_DISK)
  for (let i = 0; i < 9; i++) {
    await writer.index.put([document(`doc_${i}`, 500)])
    await reader.index.catchUp()
  }
  await until('segments are merged', () => writer.index.segments().flatMap(({ segments }) => segments).length < 9)
  const expected = await found(writer.index)
  await reader.index.catchUp()
  expect(await found(reader.index)).toEqual(expected)
})

test('a search that needs a block while the store is down fails, and works again afterwards', async () => {
  const writer = await open(ON_DISK, { canWrite: true })
  await writer.index.put([document('doc_1')])
  server.proxy.fault = ({ url }) => (url.includes('/files/prj_a/') ? 'fail' : 'pass')
  // Its header and its small sections are needed to open it.
  await expect(open(ON_DISK)).rejects.toMatchObject({ code: errorCode('store_unavailable') })
  server.proxy.fault = () => 'pass'
  const reader = await open(ON_DISK)
  expect(await found(reader.index)).toEqual(await found(writer.index))
})

test('a damaged block in the cache is fetched again', async () => {
  const writer = await open(ON_DISK, { canWrite: true })
  await writer.index.put([document('doc_1')])
  const expected = await found(writer.index)
  const reader = await open(ON_DISK)
  // Every block is damaged once on its way to the cache.
  const spoiled = new Set<string>()
  server.proxy.fault = ({ url, headers }) => {
    const block = `${url} ${String(headers.range)}`
    if (!url.includes('/files/prj_a/') || spoiled.has(block)) return 'pass'
    spoiled.add(block)
    return 'spoil-answer'
  }
  const other = await open(ON_DISK)
  await until('the segment is complete', async () => !(await other.index.check()).isIncomplete)
  expect(await found(other.index)).toEqual(expected)
  server.proxy.fault = () => 'pass'
  expect(spoiled.size).toBeGreaterThan(0)
  expect(await found(reader.index)).toEqual(expected)
})

/** How many bytes the copies of files of segments have on the disk of a process. */
async function copiesIn({ folder }: Opened): Promise<number> {
  const names = (await readdir(join(folder, 'idx'), { recursive: true })).filter((name) => /\.(seg|vec)$/.test(name))
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, 'idx', name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

test('copies of small files stay within the disk limit, and searches read the others through the cache', async () => {
  const small = { minRemoteBytes: 1e9 }
  const writer = await open(IN_MEMORY, { ...small, cacheBytes: 1e9, canWrite: true })
  await putAll(writer.index)
  const expected = await found(writer.index)
  await writer.close()
  const all = await open(IN_MEMORY, { ...small, cacheBytes: 1e9 })
  const bytes = await copiesIn(all)
  expect(bytes).toBeGreaterThan(0)
  // An eighth of it is for copies.
  const limit = bytes - 1
  const some = await open(ON_DISK, { ...small, cacheBytes: 8 * limit })
  expect(await copiesIn(some)).toBeLessThanOrEqual(limit)
  expect(await found(some.index)).toEqual(expected)
  const none = await open(ON_DISK, { ...small, cacheBytes: SMALL })
  expect(await copiesIn(none)).toBe(0)
  expect(await found(none.index)).toEqual(expected)
})

test('a writer without room for copies commits and merges as with room', async () => {
  const writer = await open(ON_DISK, { minRemoteBytes: 1e9, canWrite: true })
  const reader = await open(IN_MEMORY, { minRemoteBytes: 1e9, cacheBytes: 1e9 })
  for (let i = 0; i < 12; i++) await writer.index.put([document(`doc_${i}`, 400)])
  await writer.index.deleteDocuments(['doc_2', 'doc_7'])
  await writer.index.optimize()
  expect(await reader.index.catchUp()).toBe(true)
  expect((await reader.index.inventory()).size).toBe(10)
  expect(await found(writer.index)).toEqual(await found(reader.index))
  const again = await open(ON_DISK, { minRemoteBytes: 1e9 })
  expect(await found(again.index)).toEqual(await found(reader.index))
  await until('the segments are merged', () => writer.index.numbers().segments < 12)
  await writer.close()
  expect(await copiesIn(writer)).toBe(0)
})

test('copies of merged segments count towards the disk limit', async () => {
  const limit = 600_000
  const writer = await open(ON_DISK, { minRemoteBytes: 1e9, cacheBytes: 8 * limit, canWrite: true })
  const reader = await open(IN_MEMORY, { minRemoteBytes: 1e9, cacheBytes: 1e9 })
  for (let i = 0; i < 24; i++) await writer.index.put([document(`doc_${i}`, 400)])
  await until('the segments are merged', () => writer.index.numbers().segments < 12)
  expect(await reader.index.catchUp()).toBe(true)
  expect(await found(writer.index)).toEqual(await found(reader.index))
  await writer.close()
  expect(await copiesIn(reader)).toBeGreaterThan(limit)
  expect(await copiesIn(writer)).toBeGreaterThan(0)
  expect(await copiesIn(writer)).toBeLessThanOrEqual(limit)
})
