import { expect, test } from 'vitest'
import { fixText, joinLines } from '../../../../src/parse/pdf/text-fixes.ts'

test.each([
  ['com\uFFFEpile', 'compile'],
  ['year-on\uFFFE', 'year-on-'],
  ['A\uFFFEB', 'A-B'],
  ['o\uFB03ce \uFB01le', 'office file'],
  ['x² and ½', 'x² and ½'],
  ['\uF0B7 item', '• item'],
  ['soft\u00ADhyphen\u00A0gone', 'softhyphen gone'],
])('fixes %j to %j', (raw, fixed) => {
  expect(fixText(raw)).toBe(fixed)
})

test.each([
  ['statically typed lan-', 'guages are', 'statically typed languages are'],
  ['the Franco-', 'Prussian war', 'the Franco- Prussian war'],
  ['one line', 'and the next', 'one line and the next'],
  ['これは一つの', '文です', 'これは一つの文です'],
  ['한국어 문장', '입니다', '한국어 문장 입니다'],
])('joins %j and %j', (first, second, joined) => {
  expect(joinLines(first, second)).toBe(joined)
})
