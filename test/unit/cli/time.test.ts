import { expect, test } from 'vitest'
import { relativeTime, shownTime } from '../../../src/cli/view/time.ts'

const NOW = new Date('2026-03-31T12:00:00.000Z')

test.for([
  ['2026-03-31T11:59:30.000Z', 'just now'],
  ['2026-03-31T12:00:30.000Z', 'in less than a minute'],
  ['2026-03-31T11:58:01.000Z', '1 minute ago'],
  ['2026-03-31T09:30:00.000Z', '2 hours ago'],
  ['2026-03-29T11:59:59.000Z', '2 days ago'],
  ['2026-02-15T12:00:00.000Z', '1 month ago'],
  ['2024-03-30T12:00:00.000Z', '2 years ago'],
  ['2026-04-30T12:00:00.000Z', 'in 1 month'],
  ['2026-04-02T11:59:59.000Z', 'in 2 days'],
  ['not a time', 'not a time'],
])('%s is %s', ([at, text]) => {
  expect(relativeTime(at!, NOW)).toBe(text)
})

test('a pipe gets the exact time, and a missing time is a dash', () => {
  expect(shownTime('2026-03-31T11:59:30.000Z', false)).toBe('2026-03-31T11:59:30.000Z')
  expect(shownTime(null, true)).toBe('-')
})
