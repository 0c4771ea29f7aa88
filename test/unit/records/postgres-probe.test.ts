import { expect, test } from 'vitest'
import { isAnswer, unknownTo } from '../../../src/records/sql/postgres/silence-watch.ts'

test('a process with the number of a connection, but younger than it, is another one', () => {
  const waiting = [
    { pid: 41, since: 0 },
    { pid: 42, since: 0 },
    { pid: 43, since: 0 },
    { pid: 44, since: 0 },
    { pid: null, since: 0 },
  ]
  const processes = [
    { pid: 41, age: 60_010 },
    { pid: 42, age: 30_000 },
    { pid: 44, age: null },
  ]
  expect(unknownTo(processes, waiting, 60_000).map(({ pid }) => pid)).toEqual([42, 43])
})

test('a connection that the server does not know is lost, however young it is', () => {
  expect(unknownTo([], [{ pid: 41, since: 59_999 }], 60_000)).toHaveLength(1)
})

test.each([
  ['53300', true],
  ['57P03', true],
  ['EPIPE', false],
  ['ETIMEDOUT', false],
  [undefined, false],
])('the code %s shows whether the server has answered', (code, expected) => {
  expect(isAnswer(Object.assign(new Error('failed'), { code }))).toBe(expected)
})
