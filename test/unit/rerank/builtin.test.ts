import { expect, test } from 'vitest'
import { rerankByWords } from '../../../src/rerank/builtin.ts'
import { soughtOf } from '../../../src/rerank/features.ts'
import { analyse, queryWords } from '../../../src/text/analyse.ts'
import { findWords } from '../../support/find-words.ts'

interface Passage {
  text: string
  title?: string
  heading?: string
  keywordScore?: number
  vectorPart?: number
  wordFactor?: number
}

/** Passages with equal BM25 and vector scores, unless a passage sets its own. */
function rank(query: string, passages: Record<string, Passage>, common: readonly string[] = []) {
  const sought = soughtOf(queryWords(query), (term) => (common.includes(term) ? 0.1 : 4))
  const candidates = Object.values(passages).map((passage) => {
    const { text, title = 'file.txt', heading = '', keywordScore = 5, vectorPart = 0, wordFactor = 1 } = passage
    const titles = heading === '' ? title : `${title} › ${heading}`
    const terms = analyse(`${titles}\n${text}`).map(({ term }) => term)
    const finds = findWords(terms, analyse(titles).length, sought)
    return { finds, score: 0.9 + vectorPart, vectorPart, keywordScore, wordFactor }
  })
  const ids = Object.keys(passages)
  const outcome = rerankByWords(candidates, sought)
  const scores = new Map(outcome?.map(({ score }, i) => [ids[i]!, score]))
  const features = new Map(outcome?.map((one, i) => [ids[i]!, one.features]))
  return { outcome, features, order: [...scores.keys()].toSorted((a, b) => scores.get(b)! - scores.get(a)!), scores }
}

const FILLER =
  'The report goes on at length about matters of another kind, which nobody asked for, before it says anything of use. '

test.each<[string, string, Passage, Passage]>([
  [
    'neighbouring words in the order of the question rank above the same words reversed',
    'water pump',
    { text: `${FILLER}Then the water pump was replaced.` },
    { text: `${FILLER}Then they had to pump the water.` },
  ],
  [
    'words that stand close together rank above words far apart',
    'insurance premium refund',
    { text: `${FILLER}A refund of the premium, paid for insurance.${FILLER}` },
    { text: `Insurance is described here. ${FILLER}${FILLER}${FILLER}A premium is due. ${FILLER}${FILLER}One refund was made.` },
  ],
  [
    'a title that names the subject helps',
    'parental leave',
    { text: `${FILLER}Leave is granted; parental duties are the reason.`, title: 'Parental leave' },
    { text: `${FILLER}Leave is granted; parental duties are the reason.`, title: 'Staff handbook' },
  ],
  [
    'a heading that names the subject helps',
    'parental leave',
    { text: `${FILLER}Leave is granted; parental duties are the reason.`, heading: 'Parental leave' },
    { text: `${FILLER}Leave is granted; parental duties are the reason.`, heading: 'Everything else' },
  ],
  [
    'words in the opening of a passage help',
    'fuse box',
    { text: `A box with one fuse in it. ${FILLER}` },
    { text: `${FILLER}A box with one fuse in it.` },
  ],
  [
    'in Chinese, characters in the order of the question rank above the same pairs apart',
    '电动汽车',
    { text: '这家公司生产电动汽车，并在许多国家销售。' },
    { text: '电动机和汽车都由这家公司生产，动汽也在许多国家销售。' },
  ],
])('%s', (_, query, better, worse) => {
  expect(rank(query, { worse, better }).order).toEqual(['better', 'worse'])
})

test('a rare word close to the others weighs more than a common one', () => {
  const better = { text: `${FILLER}The annual dividend.` }
  const worse = { text: `${FILLER}The annual company.` }
  expect(rank('annual company dividend', { worse, better }, ['compani', 'company']).order).toEqual(['better', 'worse'])
})

test('word positions do not overturn a much better BM25 score', () => {
  const better = { text: `${FILLER}A pump. ${FILLER} Some water.`, keywordScore: 30 }
  expect(rank('water pump', { worse: { text: 'The water pump.' }, better }).order).toEqual(['better', 'worse'])
})

test('the vector part stays in the score and decides between equals', () => {
  const text = 'The water pump was replaced.'
  const { order, scores } = rank('water pump', { worse: { text }, better: { text, vectorPart: 0.08 } })
  expect(order).toEqual(['better', 'worse'])
  expect(scores.get('better')! - scores.get('worse')!).toBeCloseTo(0.08)
})

test('the features of a passage add up to its score', () => {
  const { scores, features } = rank('water pump', {
    one: { text: 'The water pump was replaced.', title: 'Pumps', vectorPart: 0.05 },
    two: { text: 'They had to pump a great deal of water.', keywordScore: 3 },
  })
  for (const [id, parts] of features) {
    expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBeCloseTo(scores.get(id)!)
    expect(Object.keys(parts)).toEqual(expect.arrayContaining(['bm25', 'pairs', 'proximity', 'title', 'opening', 'vector']))
  }
  expect(features.get('one')!['pairs']).toBeGreaterThan(0)
  expect(features.get('two')!['pairs']).toBe(0)
})

test('compares nothing when keyword search found none of the passages', () => {
  const { outcome } = rank('water pump', { one: { text: 'The water pump.', keywordScore: 0, vectorPart: 0.5 } })
  expect(outcome).toBeNull()
})

test('the words of a passage count less with a smaller word factor, and the features still add up', () => {
  const text = 'The heron fishes in the pond.'
  const { scores, features } = rank('heron pond', { same: { text }, other: { text, keywordScore: 4, wordFactor: 0.8 } })
  expect(scores.get('other')! / scores.get('same')!).toBeCloseTo(0.8)
  const sum = Object.values(features.get('other')!).reduce((a, b) => a + b, 0)
  expect(sum).toBeCloseTo(scores.get('other')!)
})
