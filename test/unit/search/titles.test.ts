import { expect, test } from 'vitest'
import { LONG_TITLE, titleKeyOf } from '../../../src/index/segments/document-names.ts'
import { MatchedPassage } from '../../../src/index/segments/matched-passage.ts'
import { rerankByWords } from '../../../src/rerank/builtin.ts'
import { soughtOf } from '../../../src/rerank/features.ts'
import { Titles } from '../../../src/search/passage-words.ts'
import { queryWords } from '../../../src/text/analyse.ts'
import { findWords } from '../../support/find-words.ts'
import { buildSegment, openSegment, randomDocuments } from '../../support/random-segments.ts'

const [base] = randomDocuments(1, 1, 1)

/** Returns a segment of documents with one passage each. `gone` are the places of deleted documents. */
function segment(projectId: string, titles: readonly string[], gone: readonly number[] = []) {
  const documents = titles.map((title, n) => ({
    document: { ...base!.document, id: `${projectId}_${n}`, path: `${n}`, titleKey: titleKeyOf(title) },
    passages: [{ ...base!.passages[0]!, row: BigInt(n) }],
  }))
  const reader = openSegment(buildSegment(documents), (row) => gone.includes(Number(row)))
  return { reader, projectId, allowed: null }
}

const trustOf = (segments: ReturnType<typeof segment>[], document = 0) =>
  new Titles(segments as never).trust({ passage: new MatchedPassage(0, document, segments[0]!.reader.segment) })

test('a title counts less, the more documents of the project share it', () => {
  const form = (count: number) => segment('prj_a', ['Form 10-K', ...Array.from({ length: count - 1 }, () => ' form  10-k ')])
  expect([1, 2].map((count) => trustOf([form(count)]))).toEqual([1, 1])
  const trusts = [3, 5, 10, 30].map((count) => trustOf([form(count)]))
  expect(trusts).toEqual(trusts.toSorted((a, b) => b - a))
  expect(trusts[0]).toBeLessThan(1)
  expect(trusts.at(-1)).toBeLessThan(0.2)
})

test('neither other projects nor deleted documents nor the number of segments change how much a title counts', () => {
  const titles = Array.from({ length: 4 }, () => 'Report')
  const alone = trustOf([segment('prj_a', titles)])
  expect(trustOf([segment('prj_a', titles), segment('prj_b', titles)])).toBe(alone)
  expect(trustOf([segment('prj_a', [...titles, 'Report', 'Report'], [4, 5])])).toBe(alone)
  expect(trustOf([segment('prj_a', titles.slice(0, 1)), segment('prj_a', titles.slice(1))])).toBe(alone)
})

test('a title that is longer than a line counts little', () => {
  expect(titleKeyOf('A title of a paper '.repeat(6))).toBe(LONG_TITLE)
  expect(trustOf([segment('prj_a', ['A title of a paper '.repeat(6)])])).toBeLessThan(0.2)
})

test('the words of a distrusted title weigh less than those of the name', () => {
  const sought = soughtOf(queryWords('annual report'), () => 1)
  const finds = { ...findWords(['annual', 'report', 'sales'], 2, sought) }
  const ranked = rerankByWords(
    [
      { score: 1, vectorPart: 0, keywordScore: 1, wordFactor: 1, finds: { ...finds, titleTrust: 0.1 } },
      { score: 1, vectorPart: 0, keywordScore: 1, wordFactor: 1, finds },
      { score: 1, vectorPart: 0, keywordScore: 1, wordFactor: 1, finds: { ...finds, titleTrust: 0.1, named: [0, 1] } },
    ],
    sought,
  )!
  const [distrusted, trusted, named] = ranked.map(({ features }) => features.title)
  expect(distrusted).toBeLessThan(trusted! / 2)
  expect(named).toBeGreaterThan(distrusted!)
})

test('a part of a word says less than a word', () => {
  const { words } = soughtOf(queryWords('maxTokens'), () => 1)
  expect(words.map(({ idf }) => idf)).toEqual([1, 0.5, 0.5])
})
