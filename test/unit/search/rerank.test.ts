import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFusedReranker, type Reranker, type RerankRequest } from '../../../src/rerank/reranker.ts'
import { type Fixture, makeFixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await makeFixture()
  await fixture.add(
    'a.txt',
    Array.from({ length: 130 }, (_, n) => `harbour ${'quay '.repeat(n % 7)} number ${n}`),
  )
})
afterAll(() => fixture.cleanUp())

const reranker = (rerank: Reranker['rerank']): Reranker => ({
  ...createFusedReranker(),
  model: 'test-model',
  readsPassages: true,
  rerank,
})
const byNumber = reranker(async ({ candidates }) => ({
  applied: true,
  scores: new Map(candidates.map(({ id }) => [id, Number(id.split(':')[2]) / 500])),
  reason: null,
}))

test('reorders the best fifty on every result page, and the others follow', async () => {
  const query = { mode: 'keyword', limit: 35 } as const
  const fused = [
    ...(await fixture.ask('harbour quay', query)).hits,
    ...(await fixture.ask('harbour quay', { ...query, offset: 35 })).hits,
  ]
  const first = await fixture.ask('harbour quay', query, { reranker: byNumber })
  const second = await fixture.ask('harbour quay', { ...query, offset: 35 }, { reranker: byNumber })
  expect(first.rerank).toMatchObject({ applied: true, model: 'test-model', reason: null })
  const hits = [...first.hits, ...second.hits]
  const reordered = fused.slice(0, 50).toSorted((a, b) => b.passage.index - a.passage.index)
  expect(hits.map((hit) => hit.passage.id)).toEqual([...reordered, ...fused.slice(50)].map((hit) => hit.passage.id))
  expect(hits[0]!.stages.rerank).toEqual({ rank: 1, score: hits[0]!.passage.index / 500 })
  expect(hits[50]!.stages.rerank).toBeNull()
  const scores = hits.map((hit) => hit.score)
  expect(scores).toEqual(scores.toSorted((a, b) => b - a))
})

test('gives the reranker the question and the passages, best first', async () => {
  let seen: RerankRequest | undefined
  const spy = reranker(async (request) => {
    seen = request
    return { applied: false, scores: null, reason: 'The model is not there.' }
  })
  const { rerank, hits } = await fixture.ask('harbour quay', {}, { reranker: spy })
  expect(rerank).toMatchObject({ applied: false, reason: 'The model is not there.' })
  expect(seen).toMatchObject({ query: 'harbour quay' })
  expect(seen!.candidates[0]).toEqual({
    id: hits[0]!.passage.id,
    text: hits[0]!.text,
    title: 'a.txt',
    heading: 'Part',
    score: hits[0]!.score,
  })
})

test.each([
  ['fails', reranker(() => Promise.reject(new Error('out of memory'))), /failed/],
  ['is late', reranker(() => new Promise(() => {})), /did not answer within/],
])('a reranker that %s leaves the fused order, and the answer says so', async (_, broken, reason) => {
  const fused = await fixture.ask('harbour quay', {})
  const outcome = await fixture.ask('harbour quay', {}, { reranker: broken, deadlines: { embedMs: 5000, rerankMs: 20 } })
  expect(outcome.hits).toEqual(fused.hits)
  expect(outcome.rerank).toMatchObject({ applied: false, reason: expect.stringMatching(reason) })
})

test('counts facets once, also when a model orders the results', async () => {
  const ask = async (change: object) =>
    (await fixture.ask('harbour quay', { facets: ['tag', 'project'], ...change }, { reranker: byNumber })).facets
  const counted = { tag: [], project: [{ value: fixture.project.id, count: 1 }] }
  expect([await ask({}), await ask({ rerank: false }), await ask({ sort: 'name' })]).toEqual([counted, counted, counted])
})

test('does not call the reranker when the caller turns it off or wants another order, or nothing was found', async () => {
  const never = reranker(() => Promise.reject(new Error('must not be asked')))
  expect((await fixture.ask('harbour', { rerank: false }, { reranker: never })).rerank).toEqual({
    applied: false,
    model: null,
    tookMs: 0,
    reason: 'The request turned reranking off.',
  })
  expect((await fixture.ask('harbour', { sort: 'newest' }, { reranker: never })).rerank).toMatchObject({
    applied: false,
    model: null,
    reason: expect.stringContaining('only in order of relevance'),
  })
  expect((await fixture.ask('nowhere', { mode: 'keyword' }, { reranker: never })).rerank).toMatchObject({
    applied: false,
    reason: 'There was nothing to reorder.',
  })
})
