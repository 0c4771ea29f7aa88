import { expect, test } from 'vitest'
import { toPageList } from '../../../../src/core/page-list.ts'
import { hashOf } from '../../../../src/index/segments/bytes.ts'
import { pageTable } from '../../../../src/index/segments/filter-segment.ts'

/** Returns what a table needs of a segment with these documents. */
function segmentOf(ids: readonly string[]) {
  const hashes = ids.map((id, document) => ({ hash: hashOf(Buffer.from(id)), document })).toSorted((a, b) => a.hash - b.hash)
  const sections = {
    idHashes: Uint32Array.from(hashes, ({ hash }) => hash),
    documentsByHash: Uint32Array.from(hashes, ({ document }) => document),
  }
  return { documents: ids.length, documentId: (document: number) => ids[document]!, sections }
}

function found(text: string, ids: readonly string[]): Record<string, number[] | null> {
  const pages: Record<string, number[] | null> = {}
  pageTable(toPageList(text)).eachOf(segmentOf(ids), (document, numbers) => {
    pages[ids[document]!] = numbers && [...numbers]
  })
  return pages
}

test('a line names pages of a document, or all of them', () => {
  const ids = ['doc_b', 'doc_c', 'doc_a', 'doc_d']
  expect(found('doc_a 1\ndoc_x 2\ndoc_b 3,4,50\ndoc_d', ids)).toEqual({ doc_a: [1], doc_b: [3, 4, 50], doc_d: null })
  expect(found('', ids)).toEqual({})
})

test('IDs that begin alike are different documents', () => {
  expect(found('doc_1 1\ndoc_12', ['doc_1', 'doc_12', 'doc_123', 'doc_'])).toEqual({ doc_1: [1], doc_12: null })
})

test('a document can have several lines', () => {
  const seen: unknown[] = []
  pageTable(toPageList('doc_a 1\ndoc_a\ndoc_a 2')).eachOf(segmentOf(['doc_a']), (_, pages) => seen.push(pages && [...pages]))
  expect(seen).toEqual(expect.arrayContaining([[1], null, [2]]))
})

test('finds every one of many documents', () => {
  const ids = Array.from({ length: 20_000 }, (_, i) => `doc_${i}`)
  const listed = ids.filter((_, i) => i % 3 === 0)
  const pages = found(listed.map((id) => `${id} 1`).join('\n'), ids)
  expect(Object.keys(pages).toSorted()).toEqual(listed.toSorted())
})
