import { cp, mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isDocsearchError } from '../../../src/core/errors.ts'
import { silentLogger } from '../../../src/core/logger.ts'
import type { PassageIndex, PassageIndexStore } from '../../../src/index/passage-index.ts'
import { createIndexStore } from '../../../src/index/index-store.ts'
import { passage, DIMENSIONS, direction } from '../../conformance/passage-index.ts'
import { errorCode } from '../../support/codes.ts'
import { keywordSearch, vectorSearch } from '../../support/search-index.ts'

const OWNER = {}
let folder: string
let whole: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docsearch-damage-'))
  whole = join(folder, 'whole')
  const index = await open(storeIn(whole))
  for (const d of [1, 2, 3])
    await index.put([
      {
        documentId: `doc_${d}`,
        isNew: true,
        passages: Array.from({ length: 9 }, (_, n) => passage(`doc_${d}`, n, { tags: [`t${n}`] })),
      },
    ])
  await index.deleteDocuments(['doc_2'])
  await index.optimize()
  // After optimizing: adds a separate fragment, and rows that are marked as deleted.
  await index.put([{ documentId: 'doc_4', isNew: true, passages: [passage('doc_4', 0)] }])
  await index.put([{ documentId: 'doc_1', isNew: false, passages: [passage('doc_1', 0, { version: 2 })] }])
  await index.close()
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const storeIn = (path: string): PassageIndexStore => createIndexStore({ dataDir: path, log: silentLogger })
const open = (store: PassageIndexStore): Promise<PassageIndex> => store.open({ id: 'idx_1', dimensions: DIMENSIONS })

async function everything(index: PassageIndex) {
  const keyword = await keywordSearch(index, ['passage'], OWNER, 100)
  const vector = await vectorSearch(index, direction(0), OWNER, 100)
  const tagged = await keywordSearch(index, ['passage'], { ...OWNER, tags: ['t3'], projectIds: ['prj_a'] }, 100)
  return {
    keyword,
    vector,
    tagged,
    passages: await index.passages(keyword.map((hit) => hit.row)),
    inventory: await index.inventory(),
  }
}

/** Returns everything an index says, or the code of the error when it cannot be opened or read. */
async function look(path: string): Promise<Awaited<ReturnType<typeof everything>> | string> {
  let index: PassageIndex | undefined
  try {
    index = await open(storeIn(path))
    await index.inventory()
  } catch (error) {
    await index?.close()
    if (isDocsearchError(error)) return error.code
    throw error
  }
  // Once it is opened and inventoried, nothing may fail.
  try {
    const seen = await everything(index)
    await index.optimize()
    expect((await everything(index)).inventory).toEqual(seen.inventory)
    return seen
  } finally {
    await index.close()
  }
}

test.each([
  // LanceDB never reads the records of finished commits again, so _transactions is not among the folders.
  ['emptied', 8, /_versions|_indices|_deletions|data/, () => 0],
  ['cut in half', 2, /data|_deletions/, (size: number) => Math.floor(size / 2)],
])('a file that is %s is noticed at opening, or does no harm', async (_, atLeast, where, newSize) => {
  const truth = await look(await copy())
  let corrupt = 0
  for (const file of await filesIn(where)) {
    const path = await copy()
    const damaged = join(path, file.slice(whole.length))
    await truncate(damaged, newSize((await stat(damaged)).size))
    const seen = await look(path)
    if (seen === errorCode('index_corrupt')) corrupt++
    else expect(seen, file).toEqual(truth)
    await rm(path, { recursive: true })
  }
  // At least the newest manifest, the data files and the indexes in use.
  expect(corrupt).toBeGreaterThan(atLeast)
})

test('a damaged index can be dropped and created again', async () => {
  const store = storeIn(whole)
  for (const file of await filesIn(/_versions/)) await truncate(file, 0)
  await expect(open(store)).rejects.toMatchObject({ code: errorCode('index_corrupt'), fault: 'internal' })
  expect(await store.list()).toEqual(['idx_1'])
  await store.drop('idx_1')
  const index = await open(store)
  expect(await index.countPassages()).toBe(0)
  await index.put([{ documentId: 'doc_1', isNew: true, passages: [passage('doc_1', 0)] }])
  expect(await keywordSearch(index, ['passage'], OWNER, 10)).toHaveLength(1)
  await index.close()
})

test('a deleted folder is an empty index', async () => {
  await rm(whole, { recursive: true })
  const store = storeIn(whole)
  expect(await store.list()).toEqual([])
  const index = await open(store)
  expect(await index.inventory()).toEqual(new Map())
  await index.close()
})

test('check reports files that disappear while the index is open, and does not throw', async () => {
  const index = await open(storeIn(whole))
  await rm(whole, { recursive: true })
  expect(await index.check()).toMatchObject({ ok: false, passages: null })
  await index.close()
})

/** Returns the files of LanceDB in the folders that match. */
async function filesIn(folders: RegExp): Promise<string[]> {
  const lance = join(whole, 'lance')
  const files = await readdir(lance, { recursive: true, withFileTypes: true })
  return files
    .filter((entry) => entry.isFile() && folders.test(entry.parentPath.slice(lance.length)))
    .map((entry) => join(entry.parentPath, entry.name))
}

async function copy(): Promise<string> {
  const path = await mkdtemp(join(folder, 'copy-'))
  await cp(whole, path, { recursive: true })
  return path
}
