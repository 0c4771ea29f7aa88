import { afterEach, expect, test } from 'vitest'
import { silentLogger } from '../../../src/core/logger.ts'
import type { SegmentsListener } from '../../../src/index/segments/store/project-segments.ts'
import { type SearchableIndex, SearchThreads, type SearchThreadsOptions } from '../../../src/search/threads/search-threads.ts'
import { errorCode } from '../../support/codes.ts'
import { findRequest } from '../../support/find-request.ts'

const open: SearchThreads[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((threads) => threads.close()))
})

function start(options: Partial<SearchThreadsOptions> = {}): SearchThreads {
  const threads = new SearchThreads({ threads: 1, log: silentLogger, ...options })
  open.push(threads)
  return threads
}

/** Far more tokens than fit into a small heap. */
const HUGE = Array.from({ length: 400_000 }, (_, i) => `word${i}`).join(' ')
/** Keeps a thread busy for a while. */
const LONG = 'a harbour '.repeat(20_000)
const mark = (threads: SearchThreads, user: string, signal?: AbortSignal) =>
  threads.highlight(user, ['a harbour'], ['harbour'], signal)
const markLong = (threads: SearchThreads, user = 'usr_1', signal?: AbortSignal) =>
  threads.highlight(user, [LONG], ['harbour'], signal)

test('users take turns', async () => {
  const threads = start()
  const order: string[] = []
  const note = (user: string) => () => void order.push(user)
  const busy = Array.from({ length: 12 }, () => mark(threads, 'busy').then(note('busy')))
  await Promise.all([...busy, mark(threads, 'other').then(note('other'))])
  // The thread already has two tasks of the busy user when the other one asks.
  expect(order.indexOf('other')).toBeLessThanOrEqual(3)
})

test('refuses tasks of a user with too many waiting tasks, and accepts tasks of other users', async () => {
  const threads = start({ maxWaiting: 3 })
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => mark(threads, 'busy')).concat(mark(threads, 'other')))
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  expect(refused.map(({ reason }) => reason.code)).toEqual(new Array(3).fill(errorCode('rate_limited')))
  expect(outcomes.at(-1)!.status).toBe('fulfilled')
  expect(await mark(threads, 'busy')).toEqual([[[2, 9]]])
})

test('a task that ends its thread runs once more, then fails alone, and the tasks behind it get their answers', async () => {
  const attempts: unknown[] = []
  const log = { ...silentLogger, error: (fields: unknown) => void attempts.push(fields) }
  const threads = start({ heapMb: 12, log })
  const huge = threads.highlight('usr_1', [HUGE], ['harbour'])
  const behind = [mark(threads, 'usr_2'), mark(threads, 'usr_3'), mark(threads, 'usr_1')]
  await expect(huge).rejects.toMatchObject({ code: errorCode('unavailable'), message: expect.stringContaining('memory') })
  expect(await Promise.all(behind)).toEqual(new Array(3).fill([[[2, 9]]]))
  expect(attempts).toMatchObject([{ attempt: 1 }, { attempt: 2 }])
})

test('ends a task that takes too long, and goes on with a new thread', async () => {
  const threads = start({ maxMs: 400 })
  const endless = threads.highlight('usr_1', new Array<string>(200).fill(LONG), ['harbour'])
  const behind = mark(threads, 'usr_2').catch(() => mark(start(), 'usr_2'))
  await expect(endless).rejects.toMatchObject({ code: errorCode('unavailable'), message: expect.stringContaining('0.4 s') })
  expect(await behind).toEqual([[[2, 9]]])
})

test('a task waits for a thread only for a limited time', async () => {
  const threads = start({ maxWaitMs: 1 })
  const all = await Promise.allSettled([markLong(threads), markLong(threads), mark(threads, 'usr_2')])
  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  expect(all[2]).toMatchObject({ reason: { code: errorCode('unavailable') } })
})

test('a caller that gives up waits no longer, and its waiting task is dropped', async () => {
  const threads = start({ maxWaiting: 1 })
  const controller = new AbortController()
  const [running, next, waiting] = [
    markLong(threads, 'usr_1', controller.signal),
    mark(threads, 'usr_1'),
    mark(threads, 'usr_1', controller.signal),
  ]
  controller.abort(new Error('gone'))
  await expect(running).rejects.toThrow('gone')
  await expect(waiting).rejects.toThrow('gone')
  expect(await Promise.all([next, mark(threads, 'usr_1')])).toEqual([[[[2, 9]]], [[[2, 9]]]])
  await expect(mark(threads, 'usr_1', controller.signal)).rejects.toThrow('gone')
})

test('closing ends the threads and fails what they have not answered', async () => {
  const threads = start()
  const outcomes = Promise.allSettled([markLong(threads), mark(threads, 'usr_1'), mark(threads, 'usr_2')])
  await threads.close()
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { code: errorCode('unavailable') } })
  await expect(mark(threads, 'usr_1')).rejects.toMatchObject({ code: errorCode('unavailable') })
})

test('each thread gets the projects of an index once', async () => {
  let reads = 0
  let listeners = 0
  const index: SearchableIndex = {
    segments: () => (reads++, []),
    onSegmentsChange: () => {
      listeners++
      return () => listeners--
    },
    leaveOut: async () => {},
  }
  const threads = start({ threads: 2 })
  threads.warmUp(index)
  const find = (of: SearchableIndex) => threads.find(of, findRequest({ terms: ['harbour'] }))
  await Promise.all(Array.from({ length: 9 }, () => find(index)))
  expect({ reads, listeners }).toEqual({ reads: 1, listeners: 1 })
  await find({ ...index })
  expect({ reads, listeners }).toEqual({ reads: 2, listeners: 1 })
  await threads.close()
  expect(listeners).toBe(0)
})

test('a search that waits for threads to settle gets its turn as soon as they have', async () => {
  let change: SegmentsListener = () => {}
  const index: SearchableIndex = {
    segments: () => [],
    onSegmentsChange: (listener) => {
      change = listener
      return () => {}
    },
    leaveOut: async () => {},
  }
  const threads = start({ maxWaitMs: 2_000 })
  threads.warmUp(index)
  for (const projectId of ['prj_a', 'prj_b']) void change({ projectId, segments: [], isIncomplete: false }, true)
  expect(await threads.find(index, findRequest({ terms: ['harbour'] }))).toMatchObject({ found: { groups: [] } })
})
