import { expect, test } from 'vitest'
import { floorAmong, measuredFloor } from '../../../src/core/noise.ts'

test('the floor rises with the number of passages, the mean and the deviation', () => {
  const floor = measuredFloor({ mean: 0.025, deviation: 0.068 }, false)
  expect(floorAmong(20_000, floor)).toBeCloseTo(0.447, 3)
  expect(floorAmong(20_000, measuredFloor(floor, true))).toBeCloseTo(0.328, 3)
  expect(floorAmong(100, floor)).toBeLessThan(floorAmong(20_000, floor))
  expect(floorAmong(20_000, { ...floor, mean: 0.5 })).toBeCloseTo(0.922, 3)
  expect(floorAmong(0, { ...floor, deviation: 0 })).toBe(0.025)
})
