import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Ask, type Fixture, makeFixture } from './fixture.ts'
import { visibleTo } from '../../support/visible.ts'

const DOCUMENTS = 60
let fixture: Fixture
beforeAll(async () => {
  fixture = await makeFixture()
  const words = ['alpha', 'beta', 'gamma', 'delta', 'epsilon']
  for (let d = 0; d < DOCUMENTS; d++) {
    const passages = Array.from(
      { length: 10 },
      (_, n) => `harbour ${'harbour '.repeat((d * 7 + n * 3) % 5)}${words[(d + n) % 5]} number ${d} ${n}`,
    )
    await fixture.add(`doc-${d}.txt`, passages)
  }
  await fixture.index.optimize()
})
afterAll(() => fixture.cleanUp())

async function pages(change: Ask, limit: number, upTo: number) {
  const hits = []
  for (let offset = 0; offset < upTo; offset += limit)
    hits.push(...(await fixture.ask('harbour gamma', { ...change, limit, offset })).hits)
  return hits
}

test.each(['hybrid', 'vector', 'keyword'] as const)(
  '%s: result pages repeat nothing, skip nothing, and scores fall across them',
  async (mode) => {
    const hits = await pages({ mode }, 90, 600)
    expect(hits).toHaveLength(600)
    expect(new Set(hits.map((hit) => hit.passage.id)).size).toBe(600)
    expect(hits.map((hit) => hit.rank)).toEqual(hits.map((_, i) => i + 1))
    const scores = hits.map((hit) => hit.score)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
  },
)

test('a result page is the same whatever the size of the pages before it', async () => {
  const hundred = await pages({}, 100, 300)
  const thirty = await pages({}, 30, 300)
  expect(thirty.map((hit) => hit.passage.id)).toEqual(hundred.map((hit) => hit.passage.id))
})

test('grouped by document, fills the result page even when few documents have the best candidates', async () => {
  const hits = await pages({ groupBy: 'document', mode: 'keyword' }, 20, 60)
  expect(new Set(hits.map((hit) => hit.document.id)).size).toBe(DOCUMENTS)
  expect(hits).toHaveLength(DOCUMENTS)
})

test('finds nothing beyond the end', async () => {
  expect((await fixture.ask('harbour', { offset: 1000 })).hits).toEqual([])
})

test('fills the result page in spite of deleted documents, which do not count for the offset', async () => {
  const before = await pages({}, 100, 100)
  const gone = new Set(before.slice(0, 5).map((hit) => hit.document.id))
  for (const id of gone)
    expect(await fixture.records.documents.delete(await visibleTo(fixture.records, fixture.owner.id), id)).toBe(true)
  const after = await pages({}, 10, 50)
  expect(after).toHaveLength(50)
  const expected = (await pages({}, 100, 100)).slice(0, 50)
  expect(after.map((hit) => hit.passage.id)).toEqual(expected.map((hit) => hit.passage.id))
  expect(after.some((hit) => gone.has(hit.document.id))).toBe(false)
})
