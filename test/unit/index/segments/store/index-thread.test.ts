import { afterEach, expect, test } from 'vitest'
import { IndexThread } from '../../../../../src/index/segments/store/index-thread.ts'
import { errorCode } from '../../../../support/codes.ts'
import type { TestCalls } from '../../../../support/test-thread.ts'

const thread = new IndexThread<TestCalls>(new URL('../../../../support/test-thread.ts', import.meta.url))
afterEach(() => thread.close())

test('calls fail as failures of the index when their thread dies, and the next call starts a new thread', async () => {
  const calls = [thread.call('die', null), thread.call('echo', 'b'), thread.call('fail', null)]
  for (const result of await Promise.allSettled(calls))
    expect(result).toMatchObject({ status: 'rejected', reason: { code: errorCode('index_failed') } })
  expect(thread.isRunning).toBe(false)
  expect(await thread.call('echo', 'c')).toBe('c')
  await expect(thread.call('refuse', null)).rejects.toMatchObject({ code: errorCode('disk_full'), retryAfter: 30 })
})
