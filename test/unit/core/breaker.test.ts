import { expect, test } from 'vitest'
import { Breaker, BreakerOpen } from '../../../src/core/breaker.ts'
import { until } from '../../support/until.ts'

/** A breaker whose probes the test answers. */
function onStage(patienceMs = 1) {
  const probes: PromiseWithResolvers<void>[] = []
  const signals: AbortSignal[] = []
  const breaker = new Breaker({
    patienceMs,
    probe(signal) {
      signals.push(signal)
      const probe = Promise.withResolvers<void>()
      signal.addEventListener('abort', () => probe.reject(signal.reason))
      probes.push(probe)
      return probe.promise
    },
  })
  return { breaker, probes, signals }
}

test('calls pass until one is not answered in time', async () => {
  const { breaker, probes } = onStage()
  await breaker.pass()
  breaker.answered()
  expect(breaker.state).toBe('closed')
  breaker.timedOut()
  expect(breaker.state).toBe('open')
  await expect(breaker.pass()).rejects.toThrow(BreakerOpen)
  expect(probes).toHaveLength(1)
  breaker.close()
})

test('one probe waits at a time, and its answer lets calls pass', async () => {
  const { breaker, probes } = onStage()
  breaker.timedOut()
  breaker.timedOut()
  probes[0]!.reject(new Error('no answer'))
  await until('the second probe', () => probes.length === 2)
  expect(breaker.state).toBe('open')
  probes[1]!.resolve()
  await until('the breaker to close', () => breaker.state === 'closed')
  await breaker.pass()
  expect(probes).toHaveLength(2)
})

test('an answer to any other call closes it too, and ends the probe', async () => {
  const { breaker, signals } = onStage()
  breaker.timedOut()
  breaker.answered()
  expect(breaker.state).toBe('closed')
  expect(signals[0]!.aborted).toBe(true)
})

test('a call that waits for an open breaker passes as soon as it closes', async () => {
  const { breaker, probes } = onStage(60_000)
  breaker.timedOut()
  const waiting = breaker.pass()
  probes[0]!.resolve()
  await waiting
})

test('closing ends the probes', async () => {
  const { breaker, probes, signals } = onStage()
  breaker.timedOut()
  breaker.close()
  expect(signals[0]!.aborted).toBe(true)
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  expect(probes).toHaveLength(1)
})
