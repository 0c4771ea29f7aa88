import { afterEach, expect, test } from 'vitest'
import { silentLogger } from '../../../src/core/logger.ts'
import { ModelKeeper } from '../../../src/rerank/model-keeper.ts'
import { type RerankModel, RerankModelError } from '../../../src/rerank/rerank-model.ts'
import { until } from '../../support/until.ts'

const RETRY = { firstMs: 1, maxMs: 4, unsuitableMs: 60_000 }
const model = (name: string): RerankModel => ({ name, scorePassages: async () => {} })
const unavailable = new RerankModelError('reranker_unavailable', 'The model is away.')
const unsuitable = new RerankModelError('reranker_unsuitable', 'The model is no reranker.')

let keeper: ModelKeeper
afterEach(() => keeper.close())

/** A keeper whose tests end with these outcomes, one after the other; the last one repeats. */
async function start(...outcomes: (RerankModel | null | Error)[]): Promise<{ tests: () => number }> {
  let tests = 0
  const find = async () => {
    const outcome = outcomes[Math.min(tests++, outcomes.length - 1)]!
    if (outcome instanceof Error) throw outcome
    return outcome
  }
  keeper = await ModelKeeper.start({ find, log: silentLogger, retry: RETRY })
  return { tests: () => tests }
}

test('offers a model that passes its test', async () => {
  await start(model('a'))
  expect(keeper.current()?.name).toBe('a')
  expect(keeper.problem()).toBeNull()
})

test('reports that it is testing until the first test ends', async () => {
  const found = Promise.withResolvers<RerankModel>()
  keeper = await ModelKeeper.start({ find: () => found.promise, log: silentLogger, startMs: 1 })
  expect(keeper.current()).toBeNull()
  expect(keeper.problem()).toMatchObject({ code: 'reranker_testing' })
  found.resolve(model('a'))
  await until('the model is ready', () => keeper.current() !== null)
})

test('tests an unavailable model again until it passes', async () => {
  const { tests } = await start(unavailable, unavailable, model('a'))
  expect(keeper.problem()).toMatchObject({ code: 'reranker_unavailable', message: 'The model is away.' })
  await until('the model is ready', () => keeper.current() !== null)
  expect(tests()).toBe(3)
})

test('waits longer before it tests an unsuitable model again', async () => {
  const { tests } = await start(unsuitable, model('a'))
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(tests()).toBe(1)
  expect(keeper.reason()).toBe('The model is no reranker.')
})

test('keeps looking when there is no model, without a problem to report', async () => {
  await start(null, model('a'))
  expect([keeper.current(), keeper.problem()]).toEqual([null, null])
  await until('the model is ready', () => keeper.current() !== null)
})

test('sets a model aside at its first failure, and ignores a failure of an earlier model', async () => {
  const [first, second] = [model('a'), model('b')]
  await start(first, second)
  keeper.failed(first, unavailable)
  expect(keeper.current()).toBeNull()
  await until('the second model is ready', () => keeper.current() === second)
  keeper.failed(first, unavailable)
  expect(keeper.current()).toBe(second)
})

test('calls an unexpected error unsuitable', async () => {
  await start(new Error('broken'))
  expect(keeper.problem()).toMatchObject({ code: 'reranker_unsuitable', message: 'The reranker could not be tested.' })
})
