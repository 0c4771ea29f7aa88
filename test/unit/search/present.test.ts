import { expect, test } from 'vitest'
import type { DocumentRecord } from '../../../src/core/model.ts'
import type { Passage } from '../../../src/core/passage.ts'
import { present, type Result } from '../../../src/search/results.ts'
import { passage } from '../../conformance/passage-index.ts'

/** Two passages that follow each other in a document. */
const [first, second] = [
  { ...passage('doc_1', 0), charStart: 0, charEnd: 10, text: 'Own text a' },
  { ...passage('doc_1', 1), charStart: 12, charEnd: 22, text: 'Own text b' },
] as [Passage, Passage]

const result: Result = {
  group: {
    best: {
      id: first.id,
      row: 1n,
      documentId: 'doc_1',
      pageStart: 1,
      stages: { keyword: null, vector: null, rerank: null } as never,
    },
    score: 1,
    rows: [1n, 2n],
    nextRows: [],
    twins: [],
    matchingPassages: 2,
  },
  document: { id: 'doc_1' } as DocumentRecord,
  twins: [],
}
const textWith = (rows: [bigint, Passage][]) => present(result, new Map(rows), 1)?.text

test('shows only text of the document that was found, also when the rows of the table are of another one', () => {
  expect(
    textWith([
      [1n, first],
      [2n, second],
    ]),
  ).toBe('Own text a\n\nOwn text b')
  const foreign = { ...second, id: 'doc_2:1:1', documentId: 'doc_2', text: 'Another se' }
  expect(
    textWith([
      [1n, first],
      [2n, foreign],
    ]),
  ).toBe('Own text a')
  expect(
    textWith([
      [1n, { ...first, id: 'doc_2:1:0', documentId: 'doc_2' }],
      [2n, second],
    ]),
  ).toBeUndefined()
})
