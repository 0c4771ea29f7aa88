import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { isDocsearchError } from '../../../src/core/errors.ts'
import { CallTookTooLong, Thread, ThreadLost, type ThreadOptions } from '../../../src/core/thread.ts'
import type { TestCalls } from '../../support/test-thread.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { until } from '../../support/until.ts'

function open(options: ThreadOptions = {}): Thread<TestCalls> {
  const thread = new Thread<TestCalls>(new URL('../../support/test-thread.ts', import.meta.url), options)
  onTestFinished(() => thread.close())
  return thread
}

const lost = (wasRunning: boolean, cause: unknown) => ({ status: 'rejected', reason: { wasRunning, cause } })

test('answers calls and handles messages in their order', async () => {
  const thread = open()
  thread.tell('note', 'first')
  const echo = thread.call('echo', { shared: new Float32Array([1, 2]) })
  thread.tell('note', 'last')
  expect(thread.load).toBe(1)
  expect(await echo).toEqual({ shared: new Float32Array([1, 2]) })
  expect(await thread.call('heard', null)).toEqual(['first', { shared: new Float32Array([1, 2]) }, 'last'])
  expect(thread.load).toBe(0)
})

test('an error of docsearch arrives whole, and any other error with its codes', async () => {
  const thread = open()
  const refused = await thread.call('refuse', null).catch((error: unknown) => error)
  expect(isDocsearchError(refused, 'disk_full')).toBe(true)
  expect(refused).toMatchObject({
    message: 'The disk is full.',
    details: { free: 1 },
    retryAfter: 30,
    cause: { message: 'no space', cause: { message: 'quota' } },
    stack: expect.stringContaining('test-thread') as string,
  })
  await expect(thread.call('fail', null)).rejects.toMatchObject({
    name: 'RangeError',
    message: 'locked',
    code: 'ERR_SQLITE_ERROR',
    errcode: 5,
  })
})

test('a request or an answer that cannot be copied fails alone', async () => {
  const thread = open()
  await expect(thread.call('echo', () => {})).rejects.toThrow('could not be cloned')
  expect(thread.load).toBe(0)
  expect(await thread.call('echo', 'a')).toBe('a')
})

test('calls fail when their thread dies, and the next call starts a new thread', async () => {
  const causes: string[] = []
  const thread = open({ onLost: ({ message }) => causes.push(message) })
  expect(await thread.call('echo', 'a')).toBe('a')
  const calls = await Promise.allSettled([thread.call('die', null), thread.call('echo', 'b')])
  const cause = expect.objectContaining({ message: 'the thread ended with code 3' }) as unknown
  expect(calls).toMatchObject([lost(true, cause), lost(false, cause)])
  expect(causes).toEqual(['the thread ended with code 3'])
  expect(thread.isRunning).toBe(false)
  expect(await thread.call('heard', null)).toEqual([])
})

test('a message that the thread cannot handle ends the thread', async () => {
  const thread = open()
  thread.tell('fail', null)
  const [echo] = await Promise.allSettled([thread.call('echo', 'a')])
  expect(echo).toMatchObject(lost(true, { message: 'locked' }))
})

test('the time limit counts from the moment when the thread begins with the call', async () => {
  const thread = open({ maxMs: 1_000 })
  await thread.call('echo', 'started')
  const sleeps = [400, 400, 400].map((ms) => thread.call('sleep', ms))
  expect(await Promise.all(sleeps)).toEqual(['slept', 'slept', 'slept'])
  const calls = await Promise.allSettled([thread.call('sleep', 5_000), thread.call('echo', 'b')])
  const cause = expect.any(CallTookTooLong) as unknown
  expect(calls).toMatchObject([lost(true, cause), lost(false, cause)])
  expect(await thread.call('echo', 'c')).toBe('c')
})

test('a thread without work ends, and the next call starts a new thread', async () => {
  const thread = open({ idleMs: 1, onLost: () => expect.unreachable() })
  expect(await thread.call('echo', 'a')).toBe('a')
  await until('the thread ends', () => !thread.isRunning)
  await thread.ended()
  expect(await thread.call('heard', null)).toEqual([])
})

test('a thread skips a call that nobody waits for, even if it is busy, and goes on with the next', async () => {
  const thread = open()
  await thread.call('echo', 'started')
  const gone = new AbortController()
  const busy = thread.call('block', 200)
  const skipped = thread.call('echo', 'skipped', gone.signal)
  const next = thread.call('heard', null)
  gone.abort(new Error('gone'))
  await expect(skipped).rejects.toThrow('gone')
  expect(thread.load).toBe(3)
  expect(await busy).toBe('blocked')
  expect(await next).toEqual(['started'])
  expect(thread.load).toBe(0)
  await expect(thread.call('echo', 'late', gone.signal)).rejects.toThrow('gone')
})

test('a thread finishes a call that has begun when nobody waits for it any more', async () => {
  const thread = open()
  await thread.call('echo', 'started')
  const gone = new AbortController()
  const sleeping = thread.call('sleep', 100, gone.signal)
  await setTimeout(20)
  gone.abort(new Error('gone'))
  await expect(sleeping).rejects.toThrow('gone')
  expect(await thread.call('echo', 'b')).toBe('b')
})

test('a thread can send messages by itself', async () => {
  const messages: unknown[] = []
  const thread = open({ onMessage: (message) => messages.push(message) })
  await thread.call('announce', 'news')
  expect(messages).toEqual(['news'])
})

test('closing rejects the calls, and later calls', async () => {
  const thread = open()
  const call = thread.call('sleep', 5_000)
  const rejected = expect(call).rejects.toBeInstanceOf(ThreadLost)
  await thread.close()
  await rejected
  await expect(thread.call('echo', 'a')).rejects.toThrow('the thread is closed')
})

test('a thread without a call does not keep the process alive', async () => {
  const [source, main] = ['../../../src/core/thread.ts', '../../support/test-thread.ts'].map(
    (path) => new URL(path, import.meta.url).href,
  )
  const program = join(await tempFolder(), 'program.mjs')
  await writeFile(program, `import { Thread } from '${source}'\nnew Thread(new URL('${main}')).start()`)
  await promisify(execFile)(process.execPath, [program], { timeout: 10_000 })
})
