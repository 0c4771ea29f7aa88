import { cp, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isDocsearchError } from '../../src/core/errors.ts'
import { silentLogger } from '../../src/core/logger.ts'
import type { StoredPassage } from '../../src/core/passage.ts'
import type { PassageTable } from '../../src/index/passage-table.ts'
import { createPassageTableStore } from '../../src/index/passages/store.ts'
import { DIMENSIONS } from '../conformance/passage-index.ts'
import { errorCode } from '../support/codes.ts'
import { scanned, stored } from '../support/passage-table.ts'

let folder: string
let whole: string
let time: number
beforeEach(async () => {
  time = Date.now()
  folder = await mkdtemp(join(tmpdir(), 'docsearch-damage-'))
  whole = join(folder, 'whole')
  let table = await open(whole)
  const rows: bigint[] = []
  // A compacted file, others next to it, and deleted rows in both.
  for (let n = 0; n < 70; n++) rows.push(...(await table.add([stored('doc_1', n), stored('doc_2', n)])))
  await table.optimize()
  time += 10 * 60_000
  await table.optimize()
  await table.close()
  table = await open(whole)
  await table.remove(rows.slice(0, 3))
  const [, late] = await table.add([stored('doc_3', 0), stored('doc_3', 1)])
  await table.remove([late!])
  await table.add([stored('doc_4', 0)])
  await table.close()
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const open = (path: string): Promise<PassageTable> =>
  createPassageTableStore({ folder: path, log: silentLogger, clock: { now: () => new Date(time) } }).open({
    id: 'idx_1',
    layout: { dimensions: DIMENSIONS, denseDimensions: 4 },
  })

async function copy(): Promise<string> {
  const path = await mkdtemp(join(folder, 'copy-'))
  await cp(whole, path, { recursive: true })
  return path
}

/** Returns everything in a table, or says when its damage was noticed. */
async function look(path: string): Promise<Map<bigint, StoredPassage> | 'opening' | 'verifying'> {
  let table: PassageTable
  try {
    table = await open(path)
  } catch (error) {
    expectCorrupt(error)
    return 'opening'
  }
  try {
    try {
      await table.verify()
    } catch (error) {
      expectCorrupt(error)
      // Reading says the same, and never returns something else.
      await scanned(table).catch(expectCorrupt)
      return 'verifying'
    }
    // What has been verified can be read, changed and compacted.
    const found = await scanned(table)
    expect((await table.read([...found.keys()])).size).toBe(found.size)
    const [row] = await table.add([stored('doc_new', 0)])
    await table.remove([row!])
    await table.optimize()
    expect(await scanned(table)).toEqual(found)
    return found
  } finally {
    await table.close()
  }
}

function expectCorrupt(error: unknown): void {
  if (!isDocsearchError(error, 'index_corrupt')) throw error
}

test.each([
  // LanceDB never reads the records of finished commits again, so _transactions is not among the folders.
  ['emptied', /_versions|_deletions|data/, () => 0],
  ['cut in half', /data|_deletions/, (size: number) => Math.floor(size / 2)],
  ['cut by a few bytes', /data/, (size: number) => size - 3],
])('a file that is %s is noticed at opening, or was not needed', async (_, where, newSize) => {
  const truth = await look(whole)
  expect((truth as Map<bigint, StoredPassage>).size).toBe(139)
  const files = (await readdir(whole, { recursive: true, withFileTypes: true })).filter(
    (entry) => entry.isFile() && where.test(entry.parentPath.slice(whole.length)),
  )
  let noticed = 0
  for (const file of files) {
    const path = await copy()
    const target = join(path, file.parentPath.slice(whole.length), file.name)
    await truncate(target, newSize((await stat(target)).size))
    const seen = await look(path)
    if (seen === 'opening') noticed++
    else expect(seen, file.name).toEqual(truth)
    await rm(path, { recursive: true })
  }
  expect(noticed).toBeGreaterThan(0)
})

test('a text that does not match its hash is reported with its row when it is read, and by verify', async () => {
  for (const name of await readdir(join(whole, 'passages_idx_1.0.lance/data'))) {
    const file = join(whole, 'passages_idx_1.0.lance/data', name)
    const bytes = await readFile(file)
    const at = bytes.indexOf('Passage 0 of doc_4')
    if (at < 0) continue
    bytes[at]! ^= 1
    await writeFile(file, bytes)
  }
  const table = await open(whole)
  const rows = [...(await scanned(table)).keys()]
  const damaged = rows.at(-1)!
  await expect(table.read([rows[0]!, damaged])).rejects.toMatchObject({ rows: [damaged] })
  await expect(table.verify()).rejects.toMatchObject({ rows: [damaged] })
  expect((await table.read(rows.slice(0, -1))).size).toBe(rows.length - 1)
  await table.close()
})

test('a missing part is noticed at opening', async () => {
  await cp(join(whole, 'passages_idx_1.0.lance'), join(whole, 'passages_idx_1.2.lance'), { recursive: true })
  expect(await look(whole)).toBe('opening')
})

test('a file that disappears while the table is open is reported when its rows are read, and by verify and check', async () => {
  const table = await open(whole)
  for (const file of await readdir(join(whole, 'passages_idx_1.0.lance/data')))
    await rm(join(whole, 'passages_idx_1.0.lance/data', file))
  const corrupt = { code: errorCode('index_corrupt') }
  await expect(table.verify()).rejects.toMatchObject(corrupt)
  await expect(table.read([10n])).rejects.toMatchObject(corrupt)
  await expect(scanned(table)).rejects.toMatchObject(corrupt)
  await expect(table.rowsWithPhrases([10n], { phrases: ['passage'] })).rejects.toMatchObject(corrupt)
  expect(await table.check()).toMatchObject({ ok: false, passages: null })
  await table.close()
  // A closed table does not count as damaged.
  await expect(table.read([10n])).rejects.toMatchObject({ code: errorCode('index_failed') })
})

test('an aborted check ends early', async () => {
  const table = await open(whole)
  const reason = new Error('stopped')
  await expect(table.verify(AbortSignal.abort(reason))).rejects.toBe(reason)
  await table.close()
})
