import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isDocsearchError } from '../../src/core/errors.ts'
import { silentLogger } from '../../src/core/logger.ts'
import { SegmentedIndex } from '../../src/index/segmented-index.ts'
import { DIMENSIONS, passage } from '../conformance/passage-index.ts'
import { errorCode } from '../support/codes.ts'
import { createMemoryTable } from '../support/memory-passage-table.ts'
import { newInstance } from '../support/instance.ts'
import { type Mount, mountTmpfs } from '../support/mount.ts'
import { expectOnlyNamedSegments, expectSearchableOnce } from '../support/promises.ts'
import { keywordSearch } from '../support/search-index.ts'
import { seeded } from '../support/seeded.ts'
import { until } from '../support/until.ts'
import { rareWord, textWith } from '../support/words.ts'

const OPERATIONS = 150
const DOCUMENTS = 12
const PROJECTS = 3

/** Segments on a file system of their own, which a file fills. */
let home: string
let mount: Mount | null = null
let index: SegmentedIndex
const table = createMemoryTable(DIMENSIONS)

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'docsearch-full-'))
  mount = mountTmpfs(home, '4m')
})
afterAll(async () => {
  await index?.close()
  mount?.unmount()
  rmSync(home, { recursive: true, force: true })
})

function open(): Promise<SegmentedIndex> {
  const layout = { dimensions: DIMENSIONS, denseDimensions: DIMENSIONS }
  return SegmentedIndex.open({ table, folder: join(home, 'segments/idx_1'), layout, log: silentLogger })
}

function leaveFree(bytes: number): void {
  const { bavail, bsize } = statfsSync(home)
  const filling = Math.max(0, bavail * bsize - bytes)
  writeFileSync(join(home, 'ballast'), Buffer.alloc(filling))
}

test('a disk that is full at any step loses no change, leaves no file, and holds nothing up once there is room', async ({
  skip,
}) => {
  if (mount === null) skip('this machine does not allow mounting a small file system')
  const random = seeded(7)
  const below = (limit: number) => Math.floor(random() * limit)
  /** By document: its version and its number of passages. */
  const expected = new Map<string, { version: number; chunks: number }>()
  let failures = 0
  index = await open()
  for (let version = 1; version <= OPERATIONS; version++) {
    const n = below(DOCUMENTS)
    const documentId = `doc_${n}`
    const chunks = below(4) === 0 ? 0 : 1 + below(40)
    const passages = Array.from({ length: chunks }, (_, i) =>
      passage(documentId, i, { version, projectId: `prj_${n % PROJECTS}` }),
    )
    const change = () =>
      chunks === 0 ? index.deleteDocuments([documentId]) : index.put([{ documentId, isNew: false, passages }])
    leaveFree(below(8) * 4096)
    try {
      await change()
    } catch (error) {
      expect(isDocsearchError(error, 'disk_full'), String(error)).toBe(true)
      failures++
      // The search finds one version, completely or not at all.
      const hits = (await keywordSearch(index, ['passage'], {}, 1000)).filter((hit) => hit.documentId === documentId)
      expect([expected.get(documentId)?.chunks ?? 0, chunks]).toContain(hits.length)
      rmSync(join(home, 'ballast'))
      await change()
    }
    rmSync(join(home, 'ballast'), { force: true })
    if (chunks === 0) expected.delete(documentId)
    else expected.set(documentId, { version, chunks })
    expect(await index.inventory()).toEqual(expected)
    if (below(20) === 0) {
      await index.close()
      index = await open()
    }
  }
  expect(failures).toBeGreaterThan(OPERATIONS / 10)
  await index.idle()
  await expectOnlyNamedSegments(home)
  expect(table.stored.size).toBe([...expected.values()].reduce((sum, { chunks }) => sum + chunks, 0))
})

test('a start on a full disk finds what was there, and repairs the rest once there is room', async ({ skip }) => {
  if (mount === null) skip('this machine does not allow mounting a small file system')
  const before = await index.inventory()
  await index.close()
  rmSync(join(home, 'segments/idx_1/prj_1'), { recursive: true })
  leaveFree(0)
  index = await open()
  expect(await keywordSearch(index, ['passage'], {}, 1000)).not.toEqual([])
  await expect(index.put([{ documentId: 'doc_99', isNew: true, passages: [passage('doc_99', 0)] }])).rejects.toMatchObject({
    code: errorCode('disk_full'),
  })
  rmSync(join(home, 'ballast'))
  await index.put([{ documentId: 'doc_99', isNew: false, passages: [passage('doc_99', 0)] }])
  expect((await index.inventory()).size).toBe(before.size + 1)
})

test('while the segments cannot be written, documents wait, health says why, and they are searchable afterwards', async ({
  skip,
  onTestFinished,
}) => {
  const instance = await newInstance()
  onTestFinished(() => instance.remove())
  const running = await instance.start()
  const folder = join(instance.dataDir, 'segments')
  await running.daemon.stop()
  const own = mountTmpfs(folder, '8m')
  if (own === null) return skip('this machine does not allow mounting a small file system')
  onTestFinished(() => own.unmount())
  const again = await instance.start()
  const remount = (mode: 'ro' | 'rw') => execFileSync('mount', ['-o', `remount,${mode}`, folder])
  remount('ro')
  const words = { 'one.txt': rareWord(), 'two.txt': rareWord() }
  for (const [name, word] of Object.entries(words)) {
    const { status } = await again.upload([{ name, content: textWith(word) }])
    expect(status).toBe(202)
  }
  await until('health to say why', async () =>
    (await again.health()).checks?.queue?.message.includes('Could not write to the data folder'),
  )
  remount('rw')
  await expectSearchableOnce(again, words)
  await again.daemon.stop()
})
