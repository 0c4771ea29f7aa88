import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBuiltinEmbedder } from '../../../src/embed/builtin.ts'
import type { Embedder } from '../../../src/embed/embedder.ts'
import { floorAmong, measuredFloor } from '../../../src/core/noise.ts'
import { type Fixture, makeFixture } from './fixture.ts'

const UNRELATED = { mean: 0, deviation: 0.1 }
const RENT = 'The tenant pays the rent on the first working day of each month.'
const WHALES = 'Whales sing in the deep ocean, says page 99 of the Boeing 747 guide.'

let fixture: Fixture
beforeAll(async () => {
  fixture = await makeFixture()
  await fixture.add('lease.txt', [RENT])
  await fixture.add('whales.txt', [WHALES])
})
afterAll(() => fixture.cleanUp())

/** An embedder that does not know its floor, and puts every question at this cosine to the passage about the rent. */
function near(cosine: number): Embedder {
  const builtin = createBuiltinEmbedder()
  return {
    ...builtin,
    noiseFloor: () => null,
    async embedQuery() {
      const [rent] = await builtin.embedDocuments([{ text: `lease.txt\n${RENT}`, title: null }])
      const away = rent!.map((value, i) => (i % 2 === 0 ? (rent![i + 1] ?? 0) : -rent![i - 1]!))
      return rent!.map((value, i) => cosine * value + Math.sqrt(1 - cosine ** 2) * away[i]!)
    },
  }
}

async function namesOf(
  query: string,
  cosine: number,
  { correct = false, unrelatedSimilarity = UNRELATED } = {},
): Promise<string[]> {
  const { hits } = await fixture.ask(query, { correct }, { embedder: near(cosine), unrelatedSimilarity })
  return hits.map(({ document }) => document.name)
}

test('a question without any word of the documents finds no passage that is only as near as by chance', async () => {
  expect(await namesOf('zzzzqqqq', 0.2)).toEqual([])
  expect(await namesOf('0ee8d816-6b99-c83b-a747-6a7c3906ea01', 0.2)).toEqual([])
})

test('a number inside a UUID does not count as a word of the question, but a number in a part number does', async () => {
  expect(await namesOf('0ee8d816-6b99-c83b-a747-6a7c3906ea01', 0.2)).toEqual([])
  expect(await namesOf('a747', 0.2)).toEqual(['whales.txt'])
})

test('it finds passages that are clearly nearer', async () => {
  expect(await namesOf('mieten', 0.6)).toContain('lease.txt')
})

test('a question with a word of the documents also finds passages that are hardly nearer than by chance', async () => {
  expect(await namesOf('zzzzqqqq whales', 0.2)).toEqual(expect.arrayContaining(['lease.txt', 'whales.txt']))
})

test('a corrected nonsense word does not count as a word of the question', async () => {
  expect(await namesOf('zzzzqqqq tenamt', 0.2, { correct: true })).toEqual(['lease.txt'])
  expect(await namesOf('zzzzqqqq tenamt', 0.2, { correct: true, unrelatedSimilarity: { mean: -1, deviation: 0 } })).toContain(
    'lease.txt',
  )
})

test('corrects no word in a question of nonsense', async () => {
  expect(await namesOf('zzzzqqqq tenamt vvkkxx', 0.2, { correct: true })).toEqual([])
  expect(await namesOf('pays the rint to tenamt', 0.2, { correct: true })).toContain('lease.txt')
})

test('drops no passage before the model is measured', async () => {
  const { hits } = await fixture.ask('zzzzqqqq', { correct: false }, { embedder: near(0.2) })
  expect(hits.length).toBeGreaterThan(0)
})

test('the floor is higher among more passages, and lower for a question whose words are known', () => {
  const floor = measuredFloor(UNRELATED, false)
  expect(floorAmong(20_000, floor)).toBeGreaterThan(floorAmong(100, floor))
  expect(floorAmong(20_000, measuredFloor(floor, true))).toBeLessThan(floorAmong(20_000, floor))
})
