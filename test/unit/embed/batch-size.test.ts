import { expect, test } from 'vitest'
import { BatchSize } from '../../../src/embed/batches.ts'

/** Embeds batches as large as allowed, on a machine of this speed, and returns the time that each took in milliseconds. */
function embed(size: BatchSize, batches: number, tokensPerSecond: number): number[] {
  return Array.from({ length: batches }, () => {
    const { tokens } = size.limits
    const ms = (tokens * 1000) / tokensPerSecond
    size.measured(tokens, ms)
    return ms
  })
}

test.each([100, 800, 5_000])('at %i tokens per second, batches soon take a part of a second', (speed) => {
  const size = new BatchSize()
  const times = embed(size, 30, speed)
  expect(Math.max(...times.slice(1))).toBeLessThan(1_000)
  expect(times.at(-1)).toBeGreaterThan(200)
  expect(size.tokensPerSecond).toBeCloseTo(speed, -1)
})

test('begins small and grows step by step, up to a limit', () => {
  const size = new BatchSize()
  expect(size.limits.tokens).toBeLessThanOrEqual(256)
  let before = size.limits.tokens
  for (let i = 0; i < 40; i++) {
    embed(size, 1, 1_000_000)
    expect(size.limits.tokens).toBeLessThanOrEqual(Math.ceil(before * 1.5))
    before = size.limits.tokens
  }
  expect(size.limits).toEqual({ inputs: 64, tokens: 16_384 })
})

test('shrinks at once after a slow batch', () => {
  const size = new BatchSize()
  embed(size, 30, 2_000)
  embed(size, 1, 200)
  expect((size.limits.tokens * 1000) / 200).toBeLessThan(1_000)
})

test('a batch with little text does not make the next one smaller or much larger', () => {
  const size = new BatchSize()
  embed(size, 30, 1_000)
  const { tokens } = size.limits
  size.measured(5, 5)
  expect(size.limits.tokens).toBeCloseTo(tokens, -2)
  size.measured(0, 0)
  expect(size.limits.tokens).toBeCloseTo(tokens, -2)
})
