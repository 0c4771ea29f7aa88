import { expect, test } from 'vitest'
import { until } from '../../support/until.ts'
import { type CallKind, CallQueue } from '../../../src/ollama/call-queue.ts'

/** A queue whose calls run until the test ends them, and a clock that the test sets. */
function onStage(patience: ConstructorParameters<typeof CallQueue>[0] = {}) {
  let now = 0
  const queue = new CallQueue({ ...patience, now: () => now })
  const running = new Map<string, () => void>()
  const started: string[] = []
  return {
    queue,
    started,
    wait: (ms: number) => void (now += ms),
    /** Adds a call with this name. The user's name is the part before the slash. */
    async call(kind: CallKind, name: string, signal = new AbortController().signal): Promise<{ done: Promise<void> }> {
      const done = queue.run({ kind, user: name.split('/')[0]!, signal }, async () => {
        started.push(name)
        await new Promise<void>((resolve) => running.set(name, resolve))
      })
      done.catch(() => {})
      await new Promise(setImmediate)
      return { done }
    },
    async end(name: string): Promise<void> {
      running.get(name)!()
      await new Promise(setImmediate)
    },
  }
}

test('a query starts at once during a batch, and the next batch waits until no query is left', async () => {
  const { queue, started, call, end } = onStage()
  await call('batch', 'a/batch 1')
  await call('batch', 'a/batch 2')
  expect(queue.state).toBe('embedding')
  await call('query', 'b/query 1')
  expect(queue.state).toBe('both')
  await end('a/batch 1')
  await call('query', 'b/query 2')
  await end('b/query 1')
  expect(started).toEqual(['a/batch 1', 'b/query 1', 'b/query 2'])
  expect(queue.state).toBe('searching')
  await end('b/query 2')
  expect(started.at(-1)).toBe('a/batch 2')
  await end('a/batch 2')
  expect(queue.state).toBe('idle')
})

test('no batch comes between the query and the reranking of a search', async () => {
  const { started, call, end } = onStage()
  await call('query', 'a/query')
  await call('batch', 'a/batch')
  await call('rerank', 'a/rerank')
  await end('a/query')
  expect(started).toEqual(['a/query', 'a/rerank'])
  await end('a/rerank')
  expect(started.at(-1)).toBe('a/batch')
})

test('one batch runs at a time, also of two indexes', async () => {
  const { started, call, end } = onStage()
  await call('batch', 'index 1/batch')
  await call('batch', 'index 2/batch')
  await end('index 1/batch')
  expect(started).toEqual(['index 1/batch', 'index 2/batch'])
})

test('a batch gets its turn although searches never pause', async () => {
  const { started, call, end, wait } = onStage()
  await call('query', 'a/query 0')
  await call('batch', 'a/batch')
  for (let i = 1; i < 100; i++) {
    wait(100)
    await call('query', `a/query ${i}`)
    await end(`a/query ${i - 1}`)
  }
  const before = started.indexOf('a/batch')
  expect(before).toBeGreaterThan(10)
  expect(before).toBeLessThan(30)
})

test('a search that is never answered does not hold up batches for ever', async () => {
  const { started, call, wait } = onStage({ batchWaitMs: 1 })
  await call('rerank', 'a/rerank')
  await call('batch', 'a/batch')
  wait(10)
  await until('the batch', () => started.includes('a/batch'))
})

test('a batch that is never answered does not hold up the batches of other models for ever', async () => {
  const { queue, started, call, end } = onStage({ batchRunMs: 1 })
  await call('batch', 'index 1/batch')
  await call('batch', 'index 2/batch')
  await until('the second batch', () => started.includes('index 2/batch'))
  await end('index 1/batch')
  await end('index 2/batch')
  expect(queue.state).toBe('idle')
})

test('users take turns, so that many queries of one do not hold up the others', async () => {
  const { started, call, end } = onStage()
  for (let i = 0; i < 50; i++) await call('query', `a/${i}`)
  await call('query', 'b/0')
  expect(started.length).toBeLessThan(10)
  const before = started.length
  await end('a/0')
  await end('a/1')
  expect(started.slice(before)).toContain('b/0')
})

test('a call whose caller gives up is never made, and holds up nothing', async () => {
  const { queue, started, call, end } = onStage()
  const reason = new Error('given up')
  await expect((await call('query', 'a/early', AbortSignal.abort(reason))).done).rejects.toBe(reason)
  for (let i = 0; i < 4; i++) await call('query', `a/${i}`)
  const giveUp = new AbortController()
  const late = await call('query', 'a/late', giveUp.signal)
  await call('batch', 'a/batch')
  for (let i = 0; i < 4; i++) {
    if (i === 3) giveUp.abort(reason)
    await end(`a/${i}`)
    if (i === 2) await end('a/late')
  }
  await late.done
  expect(started.at(-1)).toBe('a/batch')
  const withdrawn = new AbortController()
  const never = await call('batch', 'a/never', withdrawn.signal)
  withdrawn.abort(reason)
  await expect(never.done).rejects.toBe(reason)
  await end('a/batch')
  expect(started).not.toContain('a/never')
  expect(queue.state).toBe('idle')
})

test('a failed call makes room for the next', async () => {
  const { queue, started, call } = onStage()
  const { signal } = new AbortController()
  await expect(queue.run({ kind: 'batch', user: 'a', signal }, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await call('batch', 'a/batch')
  expect(started).toEqual(['a/batch'])
})
