import { mkdtemp, open as openFile, readdir, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { globSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLogger } from '../../src/core/logger.ts'
import { nameTerms, passageTerms } from '../../src/text/passage-terms.ts'
import { SegmentedIndex } from '../../src/index/segmented-index.ts'
import { isPaged, memoryOf, PAGE_BYTES } from '../../src/index/segments/paged-file.ts'
import { divideMemory, MemoryUse, type SegmentMemory, smallestOnDisk } from '../../src/index/segments/store/memory.ts'
import { memoryOfSegment, type SharedSegment } from '../../src/index/segments/store/project-segments.ts'
import { SearchThreads } from '../../src/search/threads/search-threads.ts'
import { DIMENSIONS, direction, passage } from '../conformance/passage-index.ts'
import { findRequest, foundIn } from '../support/find-request.ts'
import { createMemoryTable } from '../support/memory-passage-table.ts'
import { keywordSearch, vectorSearch } from '../support/search-index.ts'
import { until } from '../support/until.ts'

const OWNER = {}
const NO_MEMORY = { sharedBytes: 0, cacheBytes: 262_144 }
/** Every file that may stay on disk is read only after the start. */
const READ_LATER = { sharedBytes: 1e9, cacheBytes: 262_144, laterBytes: 0 }
let folder: string
let table: ReturnType<typeof createMemoryTable>
let index: SegmentedIndex
let threads: SearchThreads

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docsearch-on-disk-'))
  table = createMemoryTable(DIMENSIONS)
  threads = new SearchThreads({ threads: 2, log: silentLogger })
})
afterEach(async () => {
  await threads.close()
  await index.close()
  expect(await openSegmentFiles()).toEqual([])
  await rm(folder, { recursive: true, force: true })
})

function open(memory?: SegmentMemory): Promise<SegmentedIndex> {
  const layout = { dimensions: DIMENSIONS, denseDimensions: DIMENSIONS }
  return SegmentedIndex.open({ table, folder, layout, log: silentLogger, memory })
}

/** Large enough that its files may stay on disk. */
const PASSAGES = 2_500

function document(documentId: string, version = 1, passages = PASSAGES) {
  return {
    documentId,
    isNew: version === 1,
    passages: Array.from({ length: passages }, (_, n) => {
      const texts = {
        title: 'Title',
        heading: 'Part',
        context: '',
        text: `word${n % 40} word${n % 7} common ${'often '.repeat(n % 5)}`,
      }
      const { tokens: _tokens, ...terms } = passageTerms(texts)
      return passage(documentId, n, {
        version,
        projectId: 'prj_a',
        ...texts,
        ...terms,
        nameTerms: nameTerms({ name: `${documentId}.txt`, title: texts.title }),
      })
    }),
  }
}

async function everything() {
  const words = await Promise.all(
    [['common', 'word1'], ['word3', 'often'], ['word39']].map((terms) => keywordSearch(index, terms, OWNER, 200)),
  )
  const near = await Promise.all([1, 5, 9].map((n) => vectorSearch(index, direction(n), OWNER, 200)))
  return { words, near }
}

const FIND = findRequest({ terms: ['common'], vector: direction(1), groupBy: 'document', wanted: 10 })
const find = async (request = FIND) => foundIn(await threads.find(index, request))

const segmentsNow = () => index.segments().flatMap(({ segments }) => segments)
const isOnDisk = () => segmentsNow().some(({ words, vectors }) => isPaged(words) && isPaged(vectors))

/** Returns the files of segments that this process has open. */
async function openSegmentFiles(): Promise<string[]> {
  const handles = await readdir('/proc/self/fd').catch(() => [])
  const paths = await Promise.all(handles.map((handle) => readlink(`/proc/self/fd/${handle}`).catch(() => '')))
  return paths.filter((path) => path.startsWith(folder) && /\.(seg|vec)( |$)/.test(path))
}

test('files that do not fit into memory stay on disk, and searches find the same passages with the same scores', async () => {
  index = await open()
  await index.put([document('doc_1')])
  await index.put([document('doc_2', 1, 30)])
  await index.deleteDocuments(['doc_2'])
  const before = await everything()
  expect(before.near.flat()).toHaveLength(600)
  await index.close()
  index = await open(NO_MEMORY)
  expect(isOnDisk()).toBe(true)
  expect(await everything()).toEqual(before)
  await index.idle()
  expect((await index.check()).isIncomplete).toBe(false)
})

test('a start leaves large files on disk, answers from there, and reads them into memory afterwards', async () => {
  index = await open()
  await index.put([document('doc_1')])
  await index.put([document('doc_2', 1, 30)])
  await index.deleteDocuments(['doc_2'])
  const before = await everything()
  await index.close()
  index = await open(READ_LATER)
  const [atStart] = segmentsNow()
  expect([atStart!.words, atStart!.vectors].map(isPaged)).toEqual([true, true])
  expect(await everything()).toEqual(before)
  expect((await find()).groups).toHaveLength(1)
  await index.idle()
  expect(
    segmentsNow()
      .flatMap(({ words, vectors }) => [words, vectors])
      .filter(isPaged),
  ).toEqual([])
  await until('no file is open any more', async () => (await openSegmentFiles()).length === 0)
  expect(await everything()).toEqual(before)
  await index.deleteDocuments(['doc_1'])
  expect((await everything()).words.flat()).toEqual([])
})

test('after the start, the smallest files come into memory as long as they fit', async () => {
  index = await open()
  await index.put([document('doc_1')])
  await index.close()
  index = await open(READ_LATER)
  await index.idle()
  const [{ words, vectors }] = segmentsNow() as [SharedSegment]
  const [smaller, larger] = [memoryOf(words), memoryOf(vectors)].toSorted((a, b) => a - b) as [number, number]
  await index.close()
  index = await open({ ...READ_LATER, sharedBytes: smaller + larger - 1 })
  await index.idle()
  const now = segmentsNow().flatMap((segment) => [segment.words, segment.vectors])
  expect(now.filter((file) => !isPaged(file)).map(memoryOf)).toEqual([smaller])
})

test('the small sections of files on disk count as memory', async () => {
  index = await open(NO_MEMORY)
  await index.put([document('doc_1', 1, 3 * PASSAGES)])
  const least = memoryOfSegment(segmentsNow()[0]!)
  await index.deleteDocuments(['doc_1'])
  await index.close()
  index = await open({ ...NO_MEMORY, sharedBytes: least })
  // Its larger file alone would leave enough memory, if it left none of its sections there.
  await index.put([document('doc_1', 1, 3 * PASSAGES)])
  expect(memoryOfSegment(segmentsNow()[0]!)).toBe(least)
})

test('new and merged segments leave memory when it is full', async () => {
  index = await open(NO_MEMORY)
  await index.put([document('doc_1')])
  expect(isOnDisk()).toBe(true)
  for (let n = 2; n < 10; n++) await index.put([document(`doc_${n}`, 1, 500)])
  await index.idle()
  expect(segmentsNow().length).toBeLessThan(9)
  expect(isOnDisk()).toBe(true)
  const onDisk = await everything()
  await index.close()
  index = await open()
  expect(isOnDisk()).toBe(false)
  expect(await everything()).toEqual(onDisk)
})

test('threads read files that a merge or a change has deleted, and the files are closed then', async () => {
  index = await open(NO_MEMORY)
  await index.put([document('doc_1')])
  const all = findRequest({ terms: ['common'], wanted: PASSAGES })
  const count = async () => (await find(all)).groups.length
  expect(await count()).toBe(PASSAGES)
  const work: Promise<unknown>[] = []
  for (let version = 2; version < 8; version++) {
    const change = index.put([document('doc_1', version)])
    work.push(change, ...Array.from({ length: 6 }, async () => expect(await count()).toBe(PASSAGES)))
    await change
  }
  await Promise.all(work)
  await index.idle()
  await until('only the newest files are open', async () =>
    (await openSegmentFiles()).every((path) => !path.endsWith('(deleted)')),
  )
  if (process.platform === 'linux') expect((await openSegmentFiles()).length).toBe(2)
})

/** Damages a page of the first large file with this suffix. Returns its name. */
async function damage(suffix: '.seg' | '.vec'): Promise<string> {
  const files = globSync(join(folder, `prj_a/*${suffix}`)).filter((path) => statSync(path).size > PAGE_BYTES)
  const name = basename(files[0]!)
  const handle = await openFile(join(folder, 'prj_a', name), 'r+')
  const { size } = await handle.stat()
  // The postings are the sixth section of words, the high bytes are the eighth of vectors.
  const entry = Buffer.alloc(24)
  await handle.read(entry, 0, 24, 16 + 24 * (suffix === '.seg' ? 5 : 7))
  await handle.write(Buffer.alloc(1_000, 0x5a), 0, 1_000, Number(entry.readBigUInt64LE(8)) + 3)
  expect((await handle.stat()).size).toBe(size)
  await handle.close()
  return name
}

test.each([
  ['.vec', NO_MEMORY],
  ['.seg', NO_MEMORY],
  ['.vec', READ_LATER],
  ['.seg', READ_LATER],
] as const)('a damaged page of a %s file is found after the start, and the segment is built again', async (suffix, memory) => {
  index = await open()
  await index.put([document('doc_1')])
  const before = await everything()
  await index.close()
  const file = await damage(suffix)
  index = await open(memory)
  await index.idle()
  await until('the segment is there again', async () => !(await index.check()).isIncomplete)
  expect(await everything()).toEqual(before)
  expect(await readdir(join(folder, 'prj_a'))).not.toContain(file)
})

test.each(['.vec', '.seg'] as const)(
  'a search that meets a damaged page of a %s file answers without the segment, which is built again',
  async (suffix) => {
    index = await open(NO_MEMORY)
    await index.put([document('doc_1')])
    await index.put([document('doc_2', 1, 3)])
    await index.idle()
    const file = await damage(suffix)
    // The threads have read no page yet.
    expect(await find()).toMatchObject({ isIncomplete: true, groups: [{ best: { documentId: 'doc_2' } }] })
    await until('the segment is there again', async () => !(await index.check()).isIncomplete)
    const { groups, isIncomplete } = await find()
    expect(isIncomplete).toBe(false)
    expect(new Set(groups.map(({ best }) => best.documentId))).toEqual(new Set(['doc_1', 'doc_2']))
    expect(await readdir(join(folder, 'prj_a'))).not.toContain(file)
    expect([...(await index.inventory())]).toEqual([
      ['doc_2', { version: 1, chunks: 3 }],
      ['doc_1', { version: 1, chunks: PASSAGES }],
    ])
  },
)

test('a merge that meets damage leaves the damaged segment out, and it is built again', async () => {
  index = await open(NO_MEMORY)
  await index.put([document('doc_1')])
  await index.idle()
  const file = await damage('.seg')
  for (let n = 2; n < 10; n++) await index.put([document(`doc_${n}`)])
  await index.idle()
  await until('the segment is there again', async () => !(await index.check()).isIncomplete)
  expect((await index.inventory()).size).toBe(9)
  expect(await index.countPassages()).toBe(9 * PASSAGES)
  expect(await readdir(join(folder, 'prj_a'))).not.toContain(file)
  expect(table.stored.size).toBe(9 * PASSAGES)
})

test('the smallest files are loaded into memory first', () => {
  const file = (size: number) => new SharedArrayBuffer(size)
  const segment = (words: number, vectors: number) => ({
    name: `${words}`,
    words: file(words),
    vectors: file(vectors),
    deletions: null,
    generation: 0,
    passages: 1,
    deleted: 0,
  })
  const segments = [segment(900_000, 3_000_000), segment(100_000, 400_000), segment(10, 10)]
  expect(segments.reduce((sum, one) => sum + memoryOfSegment(one), 0)).toBe(4_400_020)
  const limits = (sharedBytes: number) => ({ sharedBytes, cacheBytes: 0, maxPagedFiles: 10, laterBytes: Infinity })
  const left = (sharedBytes: number, maxPagedFiles = 10) => {
    const use = new MemoryUse({ ...limits(sharedBytes), maxPagedFiles })
    for (const one of segments) use.note(one.name, [one, one])
    for (const one of segments) use.note(one.name, [one])
    return [...use.filesToLeaveOnDisk().values()].flatMap((files) => [...files].map(memoryOf)).toSorted((a, b) => b - a)
  }
  expect(left(4_400_020)).toEqual([])
  expect(left(4_400_019)).toEqual([3_000_000])
  expect(left(1_000_000)).toEqual([3_000_000, 900_000])
  // Files smaller than a page stay in memory.
  expect(left(0)).toEqual([3_000_000, 900_000, 400_000, 100_000])
  // Each open file takes a handle of the process.
  expect(left(0, 2)).toEqual([3_000_000, 900_000])
  expect(left(0, 0)).toEqual([])
  const sizes = segments.flatMap(({ words, vectors }) => [words.byteLength, vectors.byteLength])
  expect(smallestOnDisk(sizes, limits(4_400_020))).toBe(Infinity)
  expect(smallestOnDisk(sizes, limits(1_000_000))).toBe(900_000)
  expect(smallestOnDisk(sizes, { ...limits(1_000_000), maxPagedFiles: 1 })).toBe(3_000_000)
  expect(smallestOnDisk(sizes, { ...limits(1_000_000), maxPagedFiles: 0 })).toBe(Infinity)
  // A start reads larger files later, even if they fit.
  expect(smallestOnDisk(sizes, { ...limits(1e9), laterBytes: 500_000 })).toBe(500_000)
  expect(smallestOnDisk(sizes, { ...limits(1e9), laterBytes: 500_000, maxPagedFiles: 1 })).toBe(3_000_000)
})

test('memory is divided between shared files and the pages of each thread', () => {
  for (const threads of [1, 3, 64]) {
    const { sharedBytes, cacheBytes } = divideMemory(2 ** 31, threads)
    expect(sharedBytes + threads * cacheBytes).toBeLessThanOrEqual(2 ** 31)
    expect(sharedBytes).toBeGreaterThan(2 ** 30)
  }
  expect(divideMemory(2 ** 20, 3)).toEqual({ sharedBytes: 2 ** 18, cacheBytes: 2 ** 18 })
})
