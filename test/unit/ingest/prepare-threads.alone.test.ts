import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { constants, getPriority } from 'node:os'
import type { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import type { Page } from '../../../src/core/parsed.ts'
import { createBuiltinEmbedder } from '../../../src/embed/builtin.ts'
import { PrepareThreads } from '../../../src/ingest/prepare/threads.ts'
import { errorCode } from '../../support/codes.ts'

const page = (text: string): Page => ({ number: 1, text, blocks: [{ kind: 'paragraph', start: 0, end: text.length }] })
const taskOf = (text: string) => ({ title: 'T', pages: [page(text)], maxTokens: 512, counter: 'words' as const, model: null })

function newThreads(count: number): PrepareThreads {
  const threads = new PrepareThreads(count)
  onTestFinished(() => threads.close())
  return threads
}

test('prepares more documents than there are threads', async () => {
  const threads = newThreads(2)
  const prepared = await Promise.all(['a heron', 'a crane', 'a stork'].map((text) => threads.prepare('usr_1', taskOf(text))))
  expect(prepared.map(({ passages }) => passages.map(({ text }) => text))).toEqual([['a heron'], ['a crane'], ['a stork']])
  expect(prepared[0]!.vectors).toBeNull()
})

test('computes the vectors of the built-in embedder from its shared model', async () => {
  const embedder = createBuiltinEmbedder()
  const { vectors } = await newThreads(1).prepare('usr_1', { ...taskOf('a heron'), model: embedder.sharedModel })
  expect(vectors).toEqual(await embedder.embedDocuments([{ text: 'a heron', title: 'T' }]))
})

test.runIf(process.platform === 'linux')('only the thread comes after the main thread when both want a processor', async () => {
  const below = () =>
    readdirSync('/proc/self/task').filter((id) => getPriority(Number(id)) === constants.priority.PRIORITY_BELOW_NORMAL)
  const before = below().length
  await newThreads(1).prepare('usr_1', taskOf('a heron'))
  expect(below()).toHaveLength(before + 1)
})

test('threads without work end, and the next document starts one', async () => {
  const threads = new PrepareThreads(2, { idleMs: 1 })
  onTestFinished(() => threads.close())
  const started: Worker[] = []
  const onWorker = (worker: Worker) => started.push(worker)
  process.on('worker', onWorker)
  onTestFinished(() => void process.off('worker', onWorker))
  await Promise.all(['a', 'b'].map((text) => threads.prepare('usr_1', taskOf(text))))
  await Promise.all(started.filter(({ threadId }) => threadId > 0).map((worker) => once(worker, 'exit')))
  const { passages } = await threads.prepare('usr_1', taskOf('a heron'))
  expect([started.length, passages[0]!.text]).toEqual([3, 'a heron'])
})

test('a document that makes the thread fail fails alone', async () => {
  const threads = newThreads(1)
  const broken = { ...taskOf('x'), pages: [{ ...page('x'), blocks: null as unknown as [] }] }
  const outcomes = await Promise.allSettled([threads.prepare('usr_1', broken), threads.prepare('usr_1', taskOf('a heron'))])
  expect(outcomes).toMatchObject([{ status: 'rejected', reason: { code: errorCode('internal_error') } }, { status: 'fulfilled' }])
})

test('closing rejects the documents that wait or are in progress', async () => {
  const threads = new PrepareThreads(1)
  const outcomes = Promise.allSettled([threads.prepare('usr_1', taskOf('a')), threads.prepare('usr_1', taskOf('b'))])
  await threads.close()
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

test('owners take turns, and one who has no document in a thread does not wait for a large one', async () => {
  const threads = newThreads(1)
  const ended: string[] = []
  const prepare = (owner: string, name: string, text: string) => threads.prepare(owner, taskOf(text)).then(() => ended.push(name))
  const long = 'The heron waits at the weir until the water clears. '.repeat(20_000)
  // Both threads have started, so that the short documents do not wait for the start of theirs.
  await Promise.all([prepare('a', 'a0', 'a heron'), prepare('b', 'b0', 'a heron')])
  await Promise.all([
    prepare('a', 'a1', long),
    prepare('a', 'a2', long),
    prepare('a', 'a3', long),
    prepare('b', 'b1', 'a crane'),
    prepare('b', 'b2', 'a stork'),
  ])
  expect(ended.indexOf('b1')).toBeLessThan(ended.indexOf('a2'))
  expect(ended.indexOf('b2')).toBeLessThan(ended.indexOf('a3'))
})

test('a document over the time limit fails alone, and another thread takes the next', async () => {
  const threads = new PrepareThreads(1, { maxMs: 5_000 })
  onTestFinished(() => threads.close())
  const large = taskOf(Array.from({ length: 8_000_000 }, (_, i) => i.toString(36)).join(' '))
  const outcomes = await Promise.allSettled([threads.prepare('usr_1', large), threads.prepare('usr_1', taskOf('a heron'))])
  expect(outcomes).toMatchObject([{ status: 'rejected', reason: { code: errorCode('parse_timeout') } }, { status: 'fulfilled' }])
}, 30_000)
