import { appendFile, cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isDocsearchError } from '../../../../src/core/errors.ts'
import { silentLogger } from '../../../../src/core/logger.ts'
import type { DamagedFile, PassageTable } from '../../../../src/index/passage-table.ts'
import { createPassageTableStore } from '../../../../src/index/passages/store.ts'
import { DIMENSIONS } from '../../../conformance/passage-index.ts'
import { scanned, stored } from '../../../support/passage-table.ts'

const TABLE = 'passages_idx_1.0.lance'
const LIST = 'passages_idx_1.0.checksums'

let folder: string
let whole: string
/** The rows of each document. */
let rows: Record<string, bigint[]>

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docsearch-checksums-'))
  whole = join(folder, 'whole')
  const table = await opened(whole)
  rows = {}
  for (const document of ['doc_1', 'doc_2', 'doc_3'])
    rows[document] = await table.add([stored(document, 0), stored(document, 1), stored(document, 2)])
  await table.remove([rows['doc_2']![1]!])
  await table.close()
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function opened(path: string): Promise<PassageTable> {
  const store = createPassageTableStore({ folder: path, log: silentLogger })
  const table = await store.open({ id: 'idx_1', layout: { dimensions: DIMENSIONS, denseDimensions: 4 } })
  await table.recordChecksums()
  return table
}

/** Returns the damaged files that a new process finds, or `opening` if it can't open the table. */
async function look(path: string): Promise<DamagedFile[] | 'opening'> {
  const store = createPassageTableStore({ folder: path, log: silentLogger })
  try {
    const table = await store.open({ id: 'idx_1', layout: { dimensions: DIMENSIONS, denseDimensions: 4 } })
    try {
      return await table.damagedFiles()
    } finally {
      await table.close()
    }
  } catch (error) {
    if (!isDocsearchError(error, 'index_corrupt')) throw error
    return 'opening'
  }
}

async function copy(): Promise<string> {
  const path = await mkdtemp(join(folder, 'copy-'))
  await cp(whole, path, { recursive: true })
  return path
}

async function flip(file: string, at: number): Promise<void> {
  const bytes = await readFile(file)
  bytes[at]! ^= 0x10
  await writeFile(file, bytes)
}

/** The files that the newest version of the table uses. */
async function files(): Promise<string[]> {
  const list = await readFile(join(whole, LIST), 'utf8')
  const listed = list.split('\n').flatMap((line) => line.split(' ')[1] ?? [])
  const [manifest] = (await readdir(join(whole, TABLE, '_versions'))).filter((name) => name.endsWith('.manifest')).toSorted()
  return listed.filter((file) => !file.startsWith('_versions') || file.endsWith(manifest!))
}

test('a flipped bit is found wherever it is, with the rows of its file', async () => {
  expect(await look(whole)).toEqual([])
  const found = await files()
  expect(found.map((file) => file.split('/')[0]!).toSorted((a, b) => a.localeCompare(b))).toEqual([
    '_deletions',
    '_versions',
    'data',
    'data',
    'data',
  ])
  const path = await copy()
  let named = 0
  for (const file of found) {
    const target = join(path, TABLE, file)
    const original = await readFile(target)
    const step = Math.ceil(original.length / 25)
    for (let at = 0; at < original.length; at += step) {
      await flip(target, at)
      const seen = await look(path)
      if (seen !== 'opening') {
        named++
        expect(seen, `${file} at ${at}`).toMatchObject([{ file: join(TABLE, file) }])
        const expected = Object.values(rows).find((own) => own.every((row) => seen[0]!.rows!.includes(row)))
        // Damage to a list of deletions can bring back a deleted row, or hide others.
        if (file.startsWith('data') && !seen[0]!.rows!.includes(rows['doc_2']![0]!))
          expect(seen[0]!.rows, `${file} at ${at}`).toEqual(expected)
      }
      await writeFile(target, original)
    }
  }
  expect(named).toBeGreaterThan(50)
  expect(await look(path)).toEqual([])
})

test('names the rows of the fragment only', async () => {
  const vector = Buffer.from(Float16Array.from(stored('doc_3', 1).vector!).buffer)
  const path = await copy()
  let changed = 0
  for (const name of await readdir(join(path, TABLE, 'data'))) {
    const file = join(path, TABLE, 'data', name)
    if (!(await readFile(file)).includes('doc_3')) continue
    await flip(file, (await readFile(file)).indexOf(vector.subarray(0, 8)))
    changed++
  }
  expect(changed).toBe(1)
  expect(await look(path)).toMatchObject([{ rows: rows['doc_3'] }])
})

test('stays right while rows come, go and are compacted, and after a restart', async () => {
  let table = await opened(whole)
  for (let n = 0; n < 70; n++) await table.add([stored(`doc_more_${n}`, 0)])
  await table.optimize()
  expect(await table.damagedFiles()).toEqual([])
  await table.close()
  table = await opened(whole)
  await table.remove(rows['doc_1']!)
  await table.add([stored('doc_new', 0)])
  await table.close()
  expect(await look(whole)).toEqual([])
  expect((await scanned(await opened(whole))).size).toBe(76)
  const path = await copy()
  for (const name of await readdir(join(path, TABLE, 'data'))) await flip(join(path, TABLE, 'data', name), 5)
  expect(await look(path)).not.toEqual([])
})

test('a file name that LanceDB uses again after a power cut does not count as damage', async () => {
  const versions = join(whole, TABLE, '_versions')
  const [newest] = (await readdir(versions)).filter((name) => name.endsWith('.manifest')).toSorted()
  await rm(join(versions, newest!))
  const table = await opened(whole)
  await table.add([stored('doc_new', 0)])
  await table.close()
  expect((await readdir(versions)).toSorted()).toContain(newest)
  expect(await look(whole)).toEqual([])
})

test.each([
  ['torn', async () => truncate(join(whole, LIST), (await readFile(join(whole, LIST))).length - 20)],
  ['damaged', () => flip(join(whole, LIST), 30)],
  ['missing', () => rm(join(whole, LIST))],
  ['followed by something else', () => appendFile(join(whole, LIST), '\0\0\0\n')],
])('a list that is %s is no damage to the table, and is completed', async (_, damage) => {
  const before = (await files()).length
  await damage()
  expect(await look(whole)).toEqual([])
  await (await opened(whole)).close()
  expect((await files()).length).toBe(before)
  expect(await look(whole)).toEqual([])
})
