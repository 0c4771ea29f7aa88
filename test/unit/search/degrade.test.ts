import { afterAll, beforeAll, expect, test } from 'vitest'
import { DocsearchError, type ErrorCode } from '../../../src/core/errors.ts'
import type { Embedder } from '../../../src/embed/embedder.ts'
import { type Ask, type Fixture, makeFixture } from './fixture.ts'
import { errorCode } from '../../support/codes.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await makeFixture()
  await fixture.add('a.txt', ['The harbour is closed in winter.', 'Boats leave at noon.'])
})
afterAll(() => fixture.cleanUp())

const broken = (embedQuery: Embedder['embedQuery']): Embedder => ({ ...fixture.embedder, name: 'ollama:some', embedQuery })
const failing = (code: ErrorCode) => broken(() => Promise.reject(new DocsearchError(code, 'No.')))

test.each([
  [errorCode('embedder_unavailable'), 'hybrid', /ollama:some cannot be reached/],
  [errorCode('embedding_model_changed'), 'hybrid', /other vectors than those in the index/],
  [errorCode('embedder_unavailable'), 'vector', /cannot be reached/],
] as const)('after %s in %s mode, searches by keywords and says why', async (code, mode, reason) => {
  const outcome = await fixture.ask('harbour', { mode }, { embedder: failing(code) })
  expect(outcome).toMatchObject({ mode: 'keyword', modeReason: expect.stringMatching(reason), embeddingModel: null })
  expect(outcome.hits.map((hit) => hit.text)).toEqual(['The harbour is closed in winter.'])
})

test('does not wait for an embedder that never answers', async () => {
  const embedder = broken(() => new Promise(() => {}))
  const outcome = await fixture.ask('harbour', {}, { embedder, deadlines: { embedMs: 20, rerankMs: 20 } })
  expect(outcome).toMatchObject({ mode: 'keyword', modeReason: expect.stringContaining('did not answer within 0.02 s') })
  expect(outcome.hits).toHaveLength(1)
})

test('does not wait a second time for the embedder when it corrects the question', async () => {
  let calls = 0
  const embedder = broken(() => (calls++, new Promise(() => {})))
  const outcome = await fixture.ask('harbuor', {}, { embedder, deadlines: { embedMs: 20, rerankMs: 20 } })
  expect(outcome).toMatchObject({ correctedQuery: 'harbour', mode: 'keyword', modeReason: expect.stringContaining('0.02 s') })
  expect(outcome.hits).toHaveLength(1)
  expect(calls).toBe(1)
})

test('does not search with a vector of another length', async () => {
  const outcome = await fixture.ask('harbour', {}, { embedder: broken(async () => new Float32Array(3).fill(1)) })
  expect(outcome).toMatchObject({ mode: 'keyword', hits: [{ document: { name: 'a.txt' } }] })
})

test('a vector of zeros finds nothing, and keywords still do', async () => {
  const embedder = broken(async () => new Float32Array(fixture.embedder.dimensions))
  expect((await fixture.ask('harbour', {}, { embedder })).hits).toHaveLength(1)
  expect((await fixture.ask('harbour', { mode: 'vector' }, { embedder })).hits).toEqual([])
})

test('does not report a programming error as an outage', async () => {
  const embedder = broken(() => Promise.reject(new TypeError('x is not a function')))
  await expect(fixture.ask('harbour', {}, { embedder })).rejects.toThrow(TypeError)
})

test('without an index, finds nothing and says why', async () => {
  expect(await fixture.ask('harbour', {}, { nothing: true })).toMatchObject({
    hits: [],
    modeReason: expect.stringContaining('Ollama has not answered yet.'),
    embeddingModel: null,
    rerank: { applied: false },
  })
})

test('finds what another process has stored, and says when the newest documents may be missing', async () => {
  let isCurrent = true
  const catchUp = async () => {
    await fixture.add('later.txt', [isCurrent ? 'The pier is new.' : 'The pier is old.'])
    return isCurrent
  }
  const index = { ...fixture.index, catchUp }
  const outcome = await fixture.ask('pier', { limit: 1 }, { index })
  expect(outcome).toMatchObject({ hits: [{ text: 'The pier is new.' }], modeReason: null })
  isCurrent = false
  expect(await fixture.ask('pier', { limit: 1 }, { index })).toMatchObject({
    hits: [{ text: 'The pier is old.' }],
    modeReason: expect.stringContaining('The object store did not answer in time.'),
  })
})

test('stops the search when the caller gives up', async () => {
  const controller = new AbortController()
  const embedder = broken(() => {
    controller.abort(new Error('gone'))
    return new Promise(() => {})
  })
  await expect(fixture.ask('harbour', {}, { embedder, signal: controller.signal })).rejects.toThrow('gone')
})

test('finds the new version of passages that are replaced between the two reads of a search', async () => {
  await fixture.add('moving.txt', ['The lighthouse is white.'])
  let replaced = false
  const index = {
    ...fixture.index,
    async passages(rows: readonly bigint[]) {
      if (!replaced) {
        replaced = true
        await fixture.add('moving.txt', ['The lighthouse is red.'])
      }
      return fixture.index.passages(rows)
    },
  }
  const outcome = await fixture.ask('lighthouse', { mode: 'keyword' }, { index })
  expect(outcome.hits.map((hit) => hit.text)).toEqual(['The lighthouse is red.'])
})

test('says that documents are missing while segments of a searched project are rebuilt', async () => {
  const other = await fixture.makeOwner('Grace')
  await fixture.add('hers.txt', ['The harbour of Grace.'], other)
  const rebuilding = (projectId: string) => ({
    ...fixture.index,
    segments: () => fixture.index.segments().map((one) => ({ ...one, isIncomplete: one.projectId === projectId })),
  })
  const reasonOf = async (projectId: string, ask: Ask) =>
    (await fixture.ask('harbour', ask, { index: rebuilding(projectId) })).modeReason
  expect(await reasonOf(fixture.project.id, {})).toMatch(/being rebuilt, so some of your documents are missing/)
  expect(await reasonOf(other.project.id, {})).toBeNull()
  expect(await reasonOf(other.project.id, { projectIds: [other.project.id] })).toMatch(/being rebuilt/)
  const embedder = failing(errorCode('embedder_unavailable'))
  const { modeReason } = await fixture.ask('harbour', {}, { index: rebuilding(fixture.project.id), embedder })
  expect(modeReason).toMatch(/Searched by keywords only.*being rebuilt/)
})
