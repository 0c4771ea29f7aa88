import { expect, test } from 'vitest'
import { currentMoment, fromNow, Moment, nextInOrder } from '../../../src/core/moment.ts'

test('work runs in its moment, and inner work in a later one', async () => {
  expect(currentMoment()).toBeNull()
  const moment = new Moment()
  const between = nextInOrder()
  await moment.run(async () => {
    await Promise.resolve()
    expect(currentMoment()).toBe(moment)
    expect(moment.began).toBeLessThan(between)
    await fromNow(async () => expect(currentMoment()!.began).toBeGreaterThan(between))
    expect(currentMoment()).toBe(moment)
  })
  expect(currentMoment()).toBeNull()
})

test('what the work has started and not awaited is in no moment once the work has ended', async () => {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const later = await fromNow(async () => ({ moment: ended.then(() => currentMoment()) }))
  end()
  expect(await later.moment).toBeNull()
})

test('failed work ends its moment', async () => {
  const moment = new Moment()
  await expect(moment.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(moment.isRunning).toBe(false)
})
