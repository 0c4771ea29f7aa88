import { expect, test } from 'vitest'
import { DIMENSIONS, passage } from '../../conformance/passage-index.ts'
import { filterSegments } from '../../../src/search/filter-segments.ts'
import { PassageWords } from '../../../src/search/passage-words.ts'
import { OpenIndex } from '../../../src/search/threads/open-index.ts'
import { queryWords } from '../../../src/text/analyse.ts'
import { newCandidate } from '../../support/candidate.ts'
import { MemorySegments } from '../../support/memory-segments.ts'

const PASSAGES = 40

test('counts words in every searched passage, and numbers in the candidates alone', () => {
  const segments = new MemorySegments(DIMENSIONS)
  const passages = Array.from({ length: PASSAGES }, (_, n) => passage('doc_1', n, { terms: 'revenu 2018' }))
  segments.commit([{ documentId: 'doc_1', isNew: true, passages }], ({ index }) => BigInt(index), new Set())
  const index = new OpenIndex()
  index.change(segments.all())
  const searched = filterSegments(index.projectsOf(['prj_a']), { filter: {}, rowsWithPhrases: null })
  const words = new PassageWords(searched)
  const candidates = [0, 1, 2].map((number) => newCandidate({ documentId: 'doc_1', index: number, score: 1 }))
  const idf = words.inverseFrequency(queryWords('revenue 2018 2019'), candidates)
  const expected = (having: number) => Math.log(1 + (PASSAGES - having + 0.5) / (having + 0.5))
  expect([idf('revenu'), idf('2018'), idf('2019')]).toEqual([expected(PASSAGES), expected(3), expected(0)])
})
