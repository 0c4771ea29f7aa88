import { expect, test } from 'vitest'
import { excerptOf, linesOf } from '../../../src/core/excerpt.ts'

const filler = (count: number) => Array.from({ length: count }, (_, n) => `word${n}`).join(' ')
function marksIn(text: string, ...words: string[]): [number, number][] {
  const found = words.flatMap((word) =>
    [...text.matchAll(new RegExp(word, 'g'))].map(({ index }): [number, number] => [index, index + word.length]),
  )
  return found.sort(([a], [b]) => a - b)
}
const excerpt = (text: string, ...words: string[]) => text.slice(...excerptOf(text, marksIn(text, ...words)))

test('a short passage is shown whole', () => {
  expect(excerpt('The rent is due.\n\nIn advance.', 'rent')).toBe('The rent is due.\n\nIn advance.')
})

test('a long passage is cut between words, to the part with the most different query words', () => {
  const text = `rent rent rent ${filler(200)} the rent is due monthly ${filler(200)}`
  const shown = excerpt(text, 'rent', 'due')
  expect(shown).toContain('the rent is due monthly')
  expect(shown.length).toBeLessThan(480)
  expect(` ${text} `).toContain(` ${shown} `)
})

test('a long passage without marks is cut to its beginning', () => {
  expect(filler(300).startsWith(excerpt(filler(300)))).toBe(true)
})

test('a passage of many short lines is cut to the lines around the first mark', () => {
  const text = Array.from({ length: 60 }, (_, n) => `row ${n}${n === 40 ? ' total' : ''}`).join('\n')
  const part = excerptOf(text, marksIn(text, 'total'))
  expect(text.slice(...part)).toContain('total')
  expect(linesOf(text, part).length).toBeLessThanOrEqual(6)
})

test('a script without blanks gets half as many characters, and no character is cut in two', () => {
  const text = '賃'.repeat(300) + '𠮷'.repeat(400)
  const shown = excerpt(text, '賃𠮷')
  expect(shown.length).toBeLessThan(300)
  expect(shown.isWellFormed()).toBe(true)
  expect(excerpt('𠮷'.repeat(1000)).isWellFormed()).toBe(true)
})

test('blank lines are skipped', () => {
  const text = 'one\n\n \ntwo\fthree'
  expect(linesOf(text, [0, text.length]).map((line) => text.slice(...line))).toEqual(['one', 'two', 'three'])
})
