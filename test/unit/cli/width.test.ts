import { describe, expect, test } from 'vitest'
import { textWidth, truncate, truncatePath, wrapped } from '../../../src/cli/view/width.ts'

const FAMILY = '👨‍👩‍👧'

test.each([
  ['abc', 3],
  ['é', 1],
  ['e\u0301', 1],
  ['日本', 4],
  ['✅', 2],
  ['⌚', 2],
  ['❤️', 2],
  ['🇩🇪', 2],
  [FAMILY, 2],
  ['a\u200bb', 2],
  ['a\tb', 3],
])('%j takes %i columns', (text, width) => {
  expect(textWidth(text)).toBe(width)
})

describe('a text that is too wide is cut between characters as the reader sees them', () => {
  test.each([
    ['rental contract', 8, 'rental …'],
    [`${FAMILY}${FAMILY}${FAMILY}`, 5, `${FAMILY}${FAMILY}…`],
    ['日本語', 4, '日…'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
  ])('%j in %i columns', (text, width, cut) => {
    expect(truncate(text, width)).toBe(cut)
  })

  test('a path keeps the end of its file name', () => {
    expect(truncatePath('contracts/2024/signed/lease.pdf', 20)).toBe('contracts…/lease.pdf')
  })
})

test('wrapped lines fit the width and never split an emoji', () => {
  const lines = wrapped(`${`${FAMILY} `.repeat(9)}${'日'.repeat(9)}`, 10)
  expect(lines.every((line) => textWidth(line) <= 10)).toBe(true)
  expect(lines.join('').replaceAll(' ', '')).toBe(FAMILY.repeat(9) + '日'.repeat(9))
})
