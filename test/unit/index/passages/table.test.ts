import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type Table } from '@lancedb/lancedb'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { silentLogger } from '../../../../src/core/logger.ts'
import type { PassageTable, RowOfPassage } from '../../../../src/index/passage-table.ts'
import { openPassageTable, type OpenOptions } from '../../../../src/index/passages/open.ts'
import { createPassageTableStore } from '../../../../src/index/passages/store.ts'
import { DIMENSIONS, FILTER_CASES, FILTERED_PASSAGES } from '../../../conformance/passage-index.ts'
import { hashText } from '../../../../src/text/passage-terms.ts'
import { errorCode } from '../../../support/codes.ts'
import { scanned, stored } from '../../../support/passage-table.ts'
import { until } from '../../../support/until.ts'

const LAYOUT = { dimensions: DIMENSIONS, denseDimensions: DIMENSIONS }
let folder: string
let time: number
let table: PassageTable
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docsearch-passages-'))
  time = Date.now()
  table = await openTable()
})
afterEach(async () => {
  await table.close()
  await rm(folder, { recursive: true, force: true })
})

const openTable = (change: Partial<OpenOptions> = {}) =>
  openPassageTable({
    folder,
    id: 'idx_1',
    layout: LAYOUT,
    clock: { now: () => new Date(time) },
    log: silentLogger,
    cacheBytes: 1_000_000,
    metadataBytes: 4_000_000,
    ...change,
  })

async function reopen(change: Partial<OpenOptions> = {}): Promise<void> {
  await table.close()
  table = await openTable(change)
}

async function allRows(): Promise<RowOfPassage[]> {
  const rows: RowOfPassage[] = []
  for await (const batch of table.rows()) rows.push(...batch)
  expect(await table.rowIds()).toEqual(Float64Array.from(rows, ({ row }) => Number(row)).sort())
  return rows
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

describe('stores and returns passages', () => {
  test('an empty table has no rows and is healthy', async () => {
    expect(await table.add([])).toEqual([])
    await table.remove([])
    expect(await table.read([0n, 1n, 2n ** 40n])).toEqual(new Map())
    expect(await allRows()).toEqual([])
    expect(await scanned(table)).toEqual(new Map())
    expect(await table.rowsWithPhrases([7n], { phrases: ['passage'] })).toEqual([])
    await table.optimize()
    await table.verify()
    expect(await table.check()).toEqual({ ok: true, message: '0 passages', passages: 0 })
  })

  test('a table with columns that nothing reads any more is read as it is, and loses them with the next passages', async () => {
    const [first, second] = [stored('doc_1', 0), stored('doc_2', 0)]
    await table.add([first])
    await table.close()
    const connection = await connect(folder)
    const open = async () => connection.openTable('passages_idx_1.0')
    await (await open()).addColumns([{ name: 'owner_id', valueSql: "'usr_a'" }])
    table = await openTable()
    expect([...(await scanned(table)).values()]).toEqual([asHalves(first)])
    await table.add([second])
    expect([...(await scanned(table)).values()]).toEqual([first, second].map(asHalves))
    expect((await (await open()).schema()).fields.map(({ name }) => name)).not.toContain('owner_id')
    await reopen()
    expect([...(await scanned(table)).values()]).toEqual([first, second].map(asHalves))
    connection.close()
  })

  test('every field and every character survives', async () => {
    const odd = `it's "quoted" \\ back%slash_ \u0000 \t\n\f naïve 検索 👩‍👩‍👧 ‏עברית {}[]$; -- DROP`
    const texts = { text: odd, gap: odd, context: odd, heading: odd, title: odd, path: odd, name: odd, textHash: hashText(odd) }
    const passages = [
      stored('doc_1', 0, { ...texts, tags: [odd, ''], version: 7, documentCreatedAt: new Date('1969-02-01T00:00:00Z') }),
      stored('doc_1', 1, { vector: null, text: '', projectId: 'prj_b' }),
    ]
    const rows = await table.add(passages)
    for (const step of ['fresh', 'opened again']) {
      expect([...(await scanned(table))], step).toEqual(rows.map((row, i) => [row, asHalves(passages[i]!)]))
      const { id, documentId, version, index, pageStart, pageEnd, charStart, charEnd, heading, title, text, gap, context } =
        passages[0]!
      const expected = {
        id,
        documentId,
        version,
        index,
        pageStart,
        pageEnd,
        charStart,
        charEnd,
        heading,
        title,
        text,
        gap,
        context,
      }
      expect((await table.read(rows)).get(rows[0]!), step).toEqual(expected)
      await reopen()
    }
  })

  test('row IDs are in the order of the passages, over many commits, also after opening again', async () => {
    const expected: [bigint, string][] = []
    const add = async (documentId: string, count: number) => {
      const passages = numbers(0, count).map((n) => stored(documentId, n))
      const rows = await table.add(passages)
      expected.push(...rows.map((row, i) => [row, passages[i]!.id] as [bigint, string]))
    }
    await add('doc_1', 3)
    // More than one commit of LanceDB.
    await add('doc_2', 10_000)
    await reopen()
    await add('doc_3', 1)
    // The last rows are deleted, so opening can't know which row ID comes next.
    await table.remove(expected.splice(-1).map(([row]) => row))
    await reopen()
    await add('doc_4', 2)
    await Promise.all([add('doc_5', 50), add('doc_6', 50), add('doc_7', 50)])
    expect(new Set(expected.map(([row]) => row)).size).toBe(expected.length)
    expect(new Map((await allRows()).map(({ row, id }) => [row, id]))).toEqual(new Map(expected))
    expect(await table.count()).toBe(expected.length)
  })

  test('a passage that is added twice gets two rows', async () => {
    const [first] = await table.add([stored('doc_1', 0)])
    const [second] = await table.add([stored('doc_1', 0)])
    await table.remove([first!])
    expect([...(await table.read([first!, second!])).keys()]).toEqual([second])
  })

  test('removed rows are gone, and unknown rows are ignored', async () => {
    const rows = await table.add(numbers(0, 20).map((n) => stored('doc_1', n)))
    await table.read(rows)
    await table.remove([...rows.slice(0, 5), 10n ** 6n, 2n ** 50n])
    await table.remove(rows.slice(0, 5))
    for (const step of ['fresh', 'opened again']) {
      expect([...(await table.read(rows)).keys()], step).toEqual(rows.slice(5))
      expect(
        (await allRows()).map(({ row }) => row),
        step,
      ).toEqual(rows.slice(5))
      expect(await table.rowsWithPhrases(rows, { phrases: ['passage'] }), step).toEqual(rows.slice(5))
      expect(await table.count(), step).toBe(15)
      await reopen()
    }
  })

  test('a scan yields the passages of some projects in small batches', async () => {
    const add = (projectId: string) => table.add(numbers(0, 1_500).map((n) => stored(`doc_${projectId}`, n, { projectId })))
    const [, rows] = [await add('prj_a'), await add("prj_'b"), await add('prj_c')]
    const sizes: number[] = []
    for await (const batch of table.scan({ projectIds: ["prj_'b"] })) sizes.push(batch.length)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_024)
    expect([...(await scanned(table, ["prj_'b"])).keys()]).toEqual(rows)
    expect((await scanned(table, ['prj_a', "prj_'b"])).size).toBe(3_000)
    expect((await scanned(table, [])).size).toBe(0)
  })

  test('a vector of the wrong length refuses the whole commit', async () => {
    const wrong = stored('doc_1', 1, { vector: new Float32Array(3) })
    await expect(table.add([stored('doc_1', 0), wrong])).rejects.toMatchObject({ code: errorCode('index_failed') })
    expect(await table.count()).toBe(0)
    expect(await table.add([stored('doc_1', 0)])).toHaveLength(1)
  })
})

/** Vectors are stored as 16-bit floats. */
function asHalves<T extends { vector: Float32Array | null }>(passage: T): T {
  return { ...passage, vector: passage.vector && Float32Array.from(Float16Array.from(passage.vector)) }
}

describe('rows with phrases', () => {
  test('are found among the given rows, in every part', async () => {
    await reopen({ partRows: 2 })
    const rows = []
    for (const passage of FILTERED_PASSAGES) rows.push(...(await table.add([passage])))
    const documents = new Map(rows.map((row, i) => [row, FILTERED_PASSAGES[i]!.documentId]))
    const cases = FILTER_CASES.filter(([, { phrases, withoutPhrases }]) => phrases !== undefined || withoutPhrases !== undefined)
    expect(cases.length).toBeGreaterThan(4)
    for (const [name, filter, expected] of cases) {
      const found = await table.rowsWithPhrases(rows.slice(0, 4).toReversed(), filter)
      expect(
        found.map((row) => documents.get(row)!).toSorted((a, b) => (a < b ? -1 : 1)),
        name,
      ).toEqual(expected)
    }
    expect(await table.rowsWithPhrases(rows, { phrases: ["passage' OR '1' = '1"] })).toEqual([])
  })
})

describe('sparse dimensions', () => {
  const layout = { dimensions: 24, denseDimensions: 5 }

  test('survive exactly like dense ones', async () => {
    const vectors = [[], [0], [5], [4, 23], [5, 12, 13, 23], numbers(0, 24)].map((places) => {
      const vector = new Float32Array(24)
      for (const place of places) vector[place] = place % 2 === 0 ? 0.25 + place : -0.5
      return vector
    })
    const sparse = await openTable({ id: 'idx_sparse', layout })
    const rows = await sparse.add([...vectors, null].map((vector, n) => stored('doc_1', n, { vector })))
    const found = await scanned(sparse)
    expect(rows.map((row) => found.get(row)!.vector)).toEqual([...vectors, null])
    await sparse.close()
  })

  test.each([
    ['another number of dimensions', { dimensions: 32, denseDimensions: 5 }],
    ['other dense dimensions', { dimensions: 24, denseDimensions: 24 }],
  ])('a table with %s is reported as corrupt', async (_, other) => {
    await (await openTable({ id: 'idx_sparse', layout })).close()
    await expect(openTable({ id: 'idx_sparse', layout: other })).rejects.toMatchObject({ code: errorCode('index_corrupt') })
  })
})

describe('several parts', () => {
  beforeEach(() => reopen({ partRows: 10 }))
  const parts = async () => (await readdir(folder)).filter((name) => name.startsWith('passages_idx_1.')).length

  test('keep rows apart, and fill the room that removed rows have left', async () => {
    const rows = []
    for (const d of numbers(0, 5)) rows.push(...(await table.add(numbers(0, 10).map((n) => stored(`doc_${d}`, n)))))
    expect(await parts()).toBe(5)
    for (const step of ['fresh', 'opened again']) {
      const found = await table.read([...rows].reverse())
      expect(
        rows.map((row) => found.get(row)!.id),
        step,
      ).toEqual(numbers(0, 50).map((i) => `doc_${Math.floor(i / 10)}:1:${i % 10}`))
      const checked = await table.rowsWithPhrases(rows, { phrases: ['doc_1'] })
      expect(checked, step).toEqual(rows.slice(10, 20))
      expect((await scanned(table)).size, step).toBe(50)
      await reopen({ partRows: 10 })
    }
    await table.remove(rows.slice(5, 15))
    expect(await table.count()).toBe(40)
    await table.add(numbers(0, 5).map((n) => stored('doc_9', n)))
    await table.add(numbers(5, 10).map((n) => stored('doc_9', n)))
    expect(await parts()).toBe(5)
    expect((await scanned(table)).size).toBe(50)
  })

  test('a part whose creation was interrupted is created again', async () => {
    const rows = await table.add(numbers(0, 10).map((n) => stored('doc_1', n)))
    await table.close()
    await mkdir(join(folder, 'passages_idx_1.1.lance', '_versions'), { recursive: true })
    table = await openTable({ partRows: 10 })
    const more = await table.add(numbers(0, 10).map((n) => stored('doc_2', n)))
    await reopen()
    expect([...(await scanned(table)).keys()]).toEqual([...rows, ...more])
  })
})

describe('compaction', () => {
  const files = async () => (await readdir(join(folder, 'passages_idx_1.0.lance/data'))).length
  /** Returns the rows of one commit each. */
  async function commits(count: number, documentId: string): Promise<bigint[]> {
    const rows = []
    for (const n of numbers(0, count)) rows.push(...(await table.add([stored(documentId, n)])))
    return rows
  }

  test('happens when there are many files, deletes the old files at once, and keeps every row', async () => {
    const rows = await commits(63, 'doc_1')
    await table.optimize()
    expect(await files()).toBe(63)
    rows.push(...(await commits(1, 'doc_2')))
    await table.optimize()
    expect(await files()).toBe(1)
    const [late] = await commits(1, 'doc_3')
    await table.optimize()
    expect(await files()).toBe(2)
    expect([...(await scanned(table)).keys()]).toEqual([...rows, late])
    expect((await table.read([rows[3]!, late!])).size).toBe(2)
  })

  test('deletes the old files that an earlier run has left', async () => {
    await commits(64, 'doc_1')
    await table.optimize()
    await reopen()
    time += 10 * 60_000
    await table.optimize()
    expect(await files()).toBe(1)
    expect((await scanned(table)).size).toBe(64)
  })

  test('frees the space of removed passages', async () => {
    const rows = await table.add(numbers(0, 400).map((n) => stored('doc_1', n)))
    await table.remove(rows.slice(0, 300))
    await table.optimize()
    time += 10 * 60_000
    await table.optimize()
    expect(await files()).toBe(1)
    expect((await scanned(table)).size).toBe(100)
  })

  test('lets the other methods work meanwhile', async () => {
    const rows = await commits(70, 'doc_1')
    const compacted = table.optimize()
    const twice = table.optimize()
    const [added] = await Promise.all([
      table.add([stored('doc_2', 0)]),
      table.remove(rows.slice(0, 10)),
      table.read(rows),
      table.rowsWithPhrases(rows, { phrases: ['passage'] }),
    ])
    // At once, whether the compaction has ended or not.
    expect((await table.read(rows)).size).toBe(60)
    expect(await table.count()).toBe(61)
    const expected = [...rows.slice(10), ...added]
    await Promise.all([compacted, twice])
    expect([...(await scanned(table)).keys()]).toEqual(expected)
    await reopen()
    expect([...(await scanned(table)).keys()]).toEqual(expected)
  })

  test('a scan reads on, whatever is compacted', async () => {
    await commits(70, 'doc_1')
    const scan = table.scan()[Symbol.asyncIterator]()
    const first = await scan.next()
    time += 60 * 60_000
    await table.optimize()
    let count = first.value?.length ?? 0
    for (let next = await scan.next(); next.done !== true; next = await scan.next()) count += next.value.length
    expect(count).toBe(70)
  })

  test('that a scan keeps from starting happens later by itself', async () => {
    await reopen({ keepVersionsMs: 100 })
    await commits(70, 'doc_1')
    const scan = table.scan()[Symbol.asyncIterator]()
    await scan.next()
    await table.optimize()
    expect(await files()).toBe(70)
    await scan.return?.()
    // The old files are still there at first.
    await until('the part is compacted', async () => (await files()) === 71)
  })

  test('deletes rows whose removal has failed before', async () => {
    const rows = await commits(3, 'doc_1')
    const connection = await connect(folder)
    const prototype = Object.getPrototypeOf(await connection.openTable('passages_idx_1.0')) as Table
    const broken = vi.spyOn(prototype, 'delete').mockRejectedValueOnce(new Error('disk error'))
    await expect(table.remove(rows.slice(1))).rejects.toMatchObject({ code: 'index_failed' })
    broken.mockRestore()
    await table.optimize()
    await reopen()
    expect([...(await scanned(table)).keys()]).toEqual(rows.slice(0, 1))
  })

  test('ends before the table is closed, and so do reads', async () => {
    const rows = await commits(70, 'doc_1')
    const ended: string[] = []
    const calls = {
      compaction: table.optimize(),
      read: table.read(rows),
      phrases: table.rowsWithPhrases(rows, { phrases: ['passage'] }),
      check: table.check(),
      removal: table.remove(rows.slice(0, 10)),
    }
    for (const [name, call] of Object.entries(calls)) void call.then(() => ended.push(name))
    await table.close()
    await expect(Promise.all(Object.values(calls))).resolves.toHaveLength(5)
    expect(ended.sort()).toEqual(Object.keys(calls).sort())
    table = await openTable()
    expect([...(await scanned(table)).keys()]).toEqual(rows.slice(10))
  })
})

describe('the store', () => {
  const storeOf = () => createPassageTableStore({ folder, log: silentLogger })

  test('lists, measures and drops tables, and refuses IDs that a folder cannot have', async () => {
    const store = storeOf()
    const other = await store.open({ id: 'idx_2', layout: { dimensions: 4, denseDimensions: 4 } })
    await other.close()
    expect((await store.list()).toSorted()).toEqual(['idx_1', 'idx_2'])
    expect(await store.size('idx_1')).toBeGreaterThan(0)
    expect(await store.size('idx_unknown')).toBe(0)
    await store.drop('idx_2')
    await store.drop('idx_unknown')
    expect(await store.list()).toEqual(['idx_1'])
    await expect(store.open({ id: '../x', layout: LAYOUT })).rejects.toMatchObject({ code: errorCode('index_failed') })
  })

  test('has no table in a folder that does not exist', async () => {
    expect(await createPassageTableStore({ folder: join(folder, 'none'), log: silentLogger }).list()).toEqual([])
  })
})
