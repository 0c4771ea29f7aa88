import { expect, test } from 'vitest'
import { Changes, IndexChanged, whileCurrent } from '../../../src/lifecycle/lifecycle.ts'

const untilAborted = (signal: AbortSignal) =>
  new Promise<unknown>((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)))

test('aborts the work at the first change after which its index is not current', async () => {
  const changes = new Changes()
  let isCurrent = true
  const reason = whileCurrent(changes, { isCurrent: () => isCurrent, signal: new AbortController().signal }, untilAborted)
  changes.announce()
  isCurrent = false
  changes.announce()
  expect(await reason).toBeInstanceOf(IndexChanged)
})

test('aborts the work with the reason of its signal', async () => {
  const controller = new AbortController()
  const reason = whileCurrent(new Changes(), { isCurrent: () => true, signal: controller.signal }, untilAborted)
  controller.abort('stopping')
  expect(await reason).toBe('stopping')
})

test('returns what the work returns', async () => {
  const options = { isCurrent: () => true, signal: new AbortController().signal }
  expect(await whileCurrent(new Changes(), options, async () => 1)).toBe(1)
})

test('aborts at once when the index is not current any more', async () => {
  const options = { isCurrent: () => false, signal: new AbortController().signal }
  const reason = whileCurrent(new Changes(), options, async (signal) => signal.reason as unknown)
  expect(await reason).toBeInstanceOf(IndexChanged)
})
