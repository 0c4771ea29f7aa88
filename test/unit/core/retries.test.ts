import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DocsearchError } from '../../../src/core/errors.ts'
import { silentLogger } from '../../../src/core/logger.ts'
import { createRetries } from '../../../src/core/retries.ts'
import { errorCode } from '../../support/codes.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const never = new AbortController().signal
const full = () => new DocsearchError('disk_full', 'The disk is full.')

test('does work again until what was in the way is gone, and names it meanwhile', async () => {
  const retries = createRetries(silentLogger, never)
  const work = vi
    .fn<() => Promise<string>>()
    .mockRejectedValueOnce(full())
    .mockRejectedValueOnce(full())
    .mockResolvedValue('done')
  const done = retries.run(work)
  await vi.advanceTimersByTimeAsync(0)
  expect(retries.reason()).toBe('The disk is full.')
  await vi.advanceTimersByTimeAsync(250 + 500)
  expect([await done, retries.reason(), work.mock.calls.length]).toEqual(['done', null, 3])
})

test('rejects at once with a failure that does not pass, or when trying again is pointless', async () => {
  const retries = createRetries(silentLogger, never)
  const broken = new DocsearchError('corrupt', 'broken')
  await expect(retries.run(() => Promise.reject(broken))).rejects.toBe(broken)
  await expect(
    retries.run(
      () => Promise.reject(full()),
      () => true,
    ),
  ).rejects.toMatchObject({ code: errorCode('disk_full') })
  expect(retries.reason()).toBeNull()
})

test('ends a pause when its signal aborts; the first attempt is made in any case', async () => {
  const stopping = new AbortController()
  const retries = createRetries(silentLogger, stopping.signal)
  const waiting = retries.run(() => Promise.reject(full()))
  const outcome = expect(waiting).rejects.toThrow()
  await vi.advanceTimersByTimeAsync(0)
  stopping.abort(new Error('stopping'))
  await outcome
  expect(await retries.run(async () => 'committed')).toBe('committed')
})
