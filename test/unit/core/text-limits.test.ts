import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatHeading, shortHeading } from '../../../src/core/chunk.ts'
import { cutTo, MAX_TITLE_CHARS, shorten } from '../../../src/core/text-limits.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 40 })

test('a text within its limit stays as it is, and a longer one keeps its beginning and whole characters', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 50 }), (whole, max) => {
      const [cut, short] = [cutTo(whole, max), shorten(whole, max)]
      expect(whole.startsWith(cut)).toBe(true)
      expect(Math.max(cut.length, short.length)).toBeLessThanOrEqual(max)
      expect([cut.isWellFormed(), short.isWellFormed()]).toEqual([true, true])
      if (whole.length <= max) expect([cut, short]).toEqual([whole, whole])
      else expect(short.endsWith('…')).toBe(true)
    }),
  )
})

test('a heading path that is too long shows a part of every heading', () => {
  const path = ['A', 'B', 'C', 'D', 'E', 'F'].map((letter) => letter.repeat(200))
  const line = shortHeading(path)
  expect(line.length).toBeLessThanOrEqual(MAX_TITLE_CHARS)
  expect(line).toMatch(/^A+… › B+… › C+… › D+… › E+… › F+…$/)
  expect(shortHeading(path.slice(0, 2))).toBe(formatHeading(path.slice(0, 2)))
  expect(shortHeading(Array<string>(5_000).fill('deep')).length).toBeLessThanOrEqual(MAX_TITLE_CHARS)
})
