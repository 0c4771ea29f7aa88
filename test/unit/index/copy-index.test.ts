import { expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../../../src/core/logger.ts'
import type { IndexedPassage } from '../../../src/core/passage.ts'
import type { PassageIndex } from '../../../src/index/passage-index.ts'
import { copyIndex } from '../../../src/index/copy-index.ts'
import { createIndexStore } from '../../../src/index/index-store.ts'
import { withTerms } from '../../../src/text/passage-terms.ts'
import { DIMENSIONS, direction, passage } from '../../conformance/passage-index.ts'
import { createMemoryTables } from '../../support/memory-passage-table.ts'
import { keywordSearch, vectorSearch } from '../../support/search-index.ts'
import { tempFolder } from '../../support/temp-folder.ts'

async function emptyIndex(): Promise<PassageIndex> {
  const store = createIndexStore({ dataDir: await tempFolder(), tables: createMemoryTables(), log: silentLogger })
  const index = await store.open({ id: 'gen_a', dimensions: DIMENSIONS })
  onTestFinished(() => index.close())
  return index
}

/** Documents of different lengths in two projects, with the terms of their texts. */
const DOCUMENTS = Array.from({ length: 30 }, (_, i) => {
  const documentId = `doc_${String(i).padStart(2, '0')}`
  const projectId = i % 3 === 0 ? 'prj_b' : 'prj_a'
  const passages = Array.from({ length: 1 + (i % 5) }, (_, n) => {
    const change = {
      projectId,
      text: `Invoice ${i} of ${n} ships tea`,
      vector: i === 7 ? null : direction(i + n),
      version: 1 + (i % 2),
    }
    return withTerms(passage(documentId, n, change))
  })
  return { documentId, passages, isNew: true }
})

async function filledIndex(documents = DOCUMENTS): Promise<PassageIndex> {
  const index = await emptyIndex()
  for (const document of documents) await index.put([document])
  return index
}

const copy = async (from: PassageIndex, to: PassageIndex, signal = new AbortController().signal) => {
  const seen: number[] = []
  const copied = await copyIndex({ from, to, signal, onPassages: (passages) => seen.push(passages) })
  return { copied, seen }
}

const found = async (index: PassageIndex) => ({
  keywords: (await keywordSearch(index, ['tea'], {}, 100)).map(({ id, score }) => [id, score]),
  vectors: (await vectorSearch(index, direction(3), {}, 100)).map(({ id, score }) => [id, score]),
})

const COUNT = DOCUMENTS.reduce((sum, { passages }) => sum + passages.length, 0)

test('the copy of an index finds the same passages with the same scores', async () => {
  const [from, to] = [await filledIndex(), await emptyIndex()]
  expect(await copy(from, to)).toEqual({ copied: COUNT, seen: [COUNT] })
  expect(await found(to)).toEqual(await found(from))
  expect(await to.inventory()).toEqual(await from.inventory())
  expect((await found(to)).keywords).toHaveLength(COUNT)
})

test('an interrupted copy continues where it stopped, and removes what the index does not have', async () => {
  const from = await filledIndex()
  const other: IndexedPassage = withTerms(passage('doc_gone', 0))
  const old = { ...DOCUMENTS[3]!, passages: DOCUMENTS[3]!.passages.slice(1) }
  const to = await filledIndex([DOCUMENTS[0]!, DOCUMENTS[1]!, old, { documentId: 'doc_gone', passages: [other], isNew: true }])
  expect((await copy(from, to)).copied).toBe(COUNT)
  expect(await found(to)).toEqual(await found(from))
  expect((await copy(from, to)).seen).toEqual([])
})

test('a copy that loses a document fails', async () => {
  const [from, to] = [await filledIndex(), await emptyIndex()]
  const lossy = { ...proxyOf(to), put: async (documents: Parameters<PassageIndex['put']>[0]) => to.put(documents.slice(1)) }
  const copying = copyIndex({ from, to: lossy, signal: new AbortController().signal, onPassages: () => {} })
  await expect(copying).rejects.toThrow('the copy of the index lacks 1 of 30 documents')
})

test('a copy stops when its signal aborts', async () => {
  const reason = new Error('cancelled')
  await expect(copy(await filledIndex(), await emptyIndex(), AbortSignal.abort(reason))).rejects.toBe(reason)
})

function proxyOf(index: PassageIndex): Pick<PassageIndex, 'deleteDocuments' | 'inventory'> {
  return { deleteDocuments: (ids) => index.deleteDocuments(ids), inventory: () => index.inventory() }
}
