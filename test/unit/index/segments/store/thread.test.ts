import { afterEach, expect, onTestFinished, test } from 'vitest'
import { Thread } from '../../../../../src/index/segments/store/thread.ts'
import { errorCode } from '../../../../support/codes.ts'
import type { DyingCalls } from '../../../../support/dying-thread.ts'
import { until } from '../../../../support/until.ts'

const thread = new Thread<DyingCalls>(new URL('../../../../support/dying-thread.ts', import.meta.url))
afterEach(() => thread.close())

test('calls fail when their thread dies, and the next call starts a new thread', async () => {
  expect(await thread.call('echo', { text: 'a' })).toBe('a')
  const calls = [thread.call('die', {}), thread.call('echo', { text: 'b' })]
  for (const result of await Promise.allSettled(calls))
    expect(result).toMatchObject({ status: 'rejected', reason: { code: errorCode('index_failed') } })
  expect(thread.isRunning).toBe(false)
  expect(await thread.call('echo', { text: 'c' })).toBe('c')
})

test('a thread without work ends, and the next call starts a new thread', async () => {
  const idle = new Thread<DyingCalls>(new URL('../../../../support/dying-thread.ts', import.meta.url), { idleMs: 1 })
  onTestFinished(() => idle.close())
  expect(await idle.call('echo', { text: 'a' })).toBe('a')
  await until('the thread ends', () => !idle.isRunning)
  expect(await idle.call('echo', { text: 'b' })).toBe('b')
})
