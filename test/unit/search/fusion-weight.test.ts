import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Fixture, makeFixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await makeFixture()
  await fixture.add('word.txt', ['A lighthouse, and many other things that stand on the coast.'])
  await fixture.add('vector.txt', ['lighthouse lighthouses'])
})
afterAll(() => fixture.cleanUp())

test("the operator's weight replaces the embedder's, and with weight 0 keywords alone decide", async () => {
  const explained = async (fusionWeight: number | null) => {
    const { hits } = await fixture.ask('lighthouse', {}, { fusionWeight })
    return hits.map(({ document, stages }) => [document.name, stages.fused.score, stages.keyword!.score] as const)
  }
  for (const [name, fused, keyword] of await explained(0)) {
    const best = Math.max(...(await explained(0)).map(([, , score]) => score))
    expect(fused, name).toBeCloseTo(keyword / best)
  }
  expect(await explained(3)).not.toEqual(await explained(0))
  expect(await explained(null)).toEqual(
    await explained(fixture.embedder.fusionWeight(await fixture.embedder.embedQuery('lighthouse'), 'lighthouse')),
  )
})
