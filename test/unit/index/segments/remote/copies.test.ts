import { expect, test } from 'vitest'
import { Copies } from '../../../../../src/index/segments/remote/remote-segments.ts'

test('the first files get copies, and a decision stays until the file is gone', () => {
  const copies = new Copies(100)
  expect([copies.has('a', '1', 60), copies.has('b', '2', 60), copies.has('b', '3', 40)]).toEqual([true, false, true])
  expect(copies.bytes).toBe(100)
  copies.keep('a', new Set())
  expect([copies.has('b', '2', 60), copies.has('b', '4', 60)]).toEqual([false, true])
  copies.keep('b', new Set(['4']))
  expect(copies.bytes).toBe(60)
  expect(copies.has('b', '2', 40)).toBe(true)
})
