import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, Index, type Table } from '@lancedb/lancedb'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../../src/core/clock.ts'
import { silentLogger } from '../../../src/core/logger.ts'
import type { ChunkIndex, IndexedPassage } from '../../../src/index/chunk-index.ts'
import { openLanceTable } from '../../../src/index/lance-table.ts'
import { passage } from '../../conformance/chunk-index.ts'

const DIMENSIONS = 32
const ALL = { ownerId: 'usr_a' }
let folder: string
let index: ChunkIndex
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docsearch-ann-'))
  // The smallest number of rows that trains the quantiser. Outside of tests it is ANN_MIN_ROWS.
  index = await openLanceTable({
    folder,
    name: 'chunks_idx_1',
    dimensions: DIMENSIONS,
    clock: systemClock,
    log: silentLogger,
    annMinRows: 1000,
  })
})
afterEach(async () => {
  await index.close()
  await rm(folder, { recursive: true, force: true })
})

/** Unit vectors from a small seeded generator, so that each run has the same. */
function* vectors(seed: number): Generator<Float32Array> {
  let state = seed
  const next = () => (state = (state * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff - 0.5
  for (;;) {
    const vector = Float32Array.from({ length: DIMENSIONS }, next)
    const length = Math.hypot(...vector)
    yield vector.map((x) => x / length)
  }
}

function makePassages(
  count: number,
  seed: number,
  change: (n: number) => Partial<IndexedPassage> = () => ({}),
): IndexedPassage[] {
  const source = vectors(seed)
  return Array.from({ length: count }, (_, n) => passage(`doc_${seed}`, n, { vector: source.next().value!, ...change(n) }))
}

async function put(passages: IndexedPassage[]): Promise<void> {
  await index.put([{ documentId: passages[0]!.documentId, isNew: true, passages }])
}

/** Returns the share of the true nearest 20 that the index finds, over ten questions. */
async function recall(passages: readonly IndexedPassage[], filter = ALL): Promise<number> {
  const source = vectors(99)
  let found = 0
  for (let i = 0; i < 10; i++) {
    const question = source.next().value!
    const cosine = ({ vector }: IndexedPassage) => vector!.reduce((sum, x, d) => sum + x * question[d]!, 0)
    const nearest = passages
      .filter((c) => c.vector !== null && c.ownerId === filter.ownerId)
      .toSorted((a, b) => cosine(b) - cosine(a))
      .slice(0, 20)
    const hits = new Set((await index.vectorSearch(question, filter, 20)).map((hit) => hit.id))
    found += nearest.filter((c) => hits.has(c.id)).length / nearest.length
  }
  return found / 10
}

test('reads every vector below the limit, and from the limit on uses an ANN index that finds the same', async () => {
  const few = makePassages(900, 1)
  await put(few)
  await index.optimize()
  expect(await index.check()).toMatchObject({ ok: true, isApproximate: false })
  const more = makePassages(400, 2, (n) => (n % 4 === 0 ? { vector: null } : {}))
  await put(more)
  await index.optimize()
  expect(await index.check()).toMatchObject({ ok: true, isApproximate: true, passages: 1300 })
  expect(await recall([...few, ...more])).toBeGreaterThan(0.95)
  const all = await index.vectorSearch(few[0]!.vector!, ALL, 2000)
  expect(all).toHaveLength(1200)
})

test('finds passages added after the build at once and after optimizing, and no deleted ones', async () => {
  await put(makePassages(1100, 1))
  await index.optimize()
  const late = makePassages(50, 3)
  await put(late)
  for (const step of ['fresh', 'folded in']) {
    for (const { id, vector } of late.slice(0, 10)) expect((await index.vectorSearch(vector!, ALL, 1))[0]?.id, step).toBe(id)
    await index.optimize()
  }
  await index.deleteDocuments(['doc_3'])
  const hits = await index.vectorSearch(late[0]!.vector!, ALL, 50)
  expect(hits.filter((hit) => hit.documentId === 'doc_3')).toEqual([])
})

test('a narrow filter still fills its limit: finds every passage of a small owner among many', async () => {
  const crowd = makePassages(3000, 1)
  const small = makePassages(25, 4, () => ({ ownerId: 'usr_small' }))
  await put(crowd)
  await put(small)
  await index.optimize()
  expect(await index.check()).toMatchObject({ isApproximate: true })
  expect(await index.vectorSearch(crowd[0]!.vector!, { ownerId: 'usr_small' }, 100)).toHaveLength(25)
  expect(await recall(small, { ownerId: 'usr_small' })).toBeGreaterThan(0.95)
})

async function withTable<T>(work: (table: Table) => Promise<T>): Promise<T> {
  const connection = await connect(folder)
  const table = await connection.openTable('chunks_idx_1')
  try {
    return await work(table)
  } finally {
    table.close()
    connection.close()
  }
}

const annNames = () =>
  withTable(async (table) => (await table.listIndices()).map((entry) => entry.name).filter((name) => name.startsWith('vector')))

test('replaces the less exact ANN index of an earlier version', async () => {
  await put(makePassages(1000, 1))
  await withTable((table) =>
    table.createIndex('vector', { config: Index.ivfRq({ distanceType: 'cosine' }), name: 'vector_ann_1000' }),
  )
  await index.optimize()
  expect(await annNames()).toEqual(['vector_rq4_1000'])
})

test('rebuilds the ANN index when the table has grown by half, and drops it when few rows are left', async () => {
  await put(makePassages(1000, 1))
  await index.optimize()
  expect(await annNames()).toEqual(['vector_rq4_1000'])
  await put(makePassages(400, 2))
  await index.optimize()
  expect(await annNames()).toEqual(['vector_rq4_1000'])
  await put(makePassages(100, 3))
  await index.optimize()
  expect(await annNames()).toEqual(['vector_rq4_1500'])
  await index.deleteDocuments(['doc_1', 'doc_3'])
  await index.optimize()
  expect(await annNames()).toEqual([])
  expect(await index.vectorSearch(makePassages(1, 2)[0]!.vector!, ALL, 1)).toHaveLength(1)
})
