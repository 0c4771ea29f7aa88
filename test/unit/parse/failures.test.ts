import { expect, test } from 'vitest'
import { SETTINGS } from '../../../src/config/settings.ts'
import { outOfMemory, timedOut, tooManyPages, tooMuchText } from '../../../src/parse/failures.ts'

test.each([
  ['pages', tooManyPages(7, 5)],
  ['text', tooMuchText(20_000_000)],
  ['time', timedOut(60_000, false)],
  ['time without a page', timedOut(10_000, true)],
  ['memory', outOfMemory(2 ** 30)],
])('the refusal by the limit of %s names a setting that exists', (_what, { message }) => {
  const named = /raise (limits\.\w+)/.exec(message)?.[1]
  expect(SETTINGS.map(({ key }) => key)).toContain(named)
})
