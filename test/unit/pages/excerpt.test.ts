import { expect, test } from 'vitest'
import { excerptOf, linesOf } from '../../../src/pages/search/excerpt.ts'

const filler = (count: number) => Array.from({ length: count }, (_, n) => `word${n}`).join(' ')
function marksIn(text: string, ...words: string[]): [number, number][] {
  const found = words.flatMap((word) =>
    [...text.matchAll(new RegExp(word, 'g'))].map(({ index }): [number, number] => [index, index + word.length]),
  )
  return found.sort(([a], [b]) => a - b)
}
const excerpt = (text: string, ...words: string[]) => text.slice(...excerptOf(text, marksIn(text, ...words)))

test('a passage that is not long is shown whole', () => {
  expect(excerpt('The rent is due.\n\nIn advance.', 'rent')).toBe('The rent is due.\n\nIn advance.')
})

test('of a long one the part with the most different words of the question, cut between words', () => {
  const text = `rent rent rent ${filler(200)} the rent is due monthly ${filler(200)}`
  const shown = excerpt(text, 'rent', 'due')
  expect(shown).toContain('the rent is due monthly')
  expect(shown.length).toBeLessThan(480)
  expect(` ${text} `).toContain(` ${shown} `)
})

test('of a long one without marks the beginning', () => {
  expect(filler(300).startsWith(excerpt(filler(300)))).toBe(true)
})

test('of many short lines the few around the first mark', () => {
  const text = Array.from({ length: 60 }, (_, n) => `row ${n}${n === 40 ? ' total' : ''}`).join('\n')
  const part = excerptOf(text, marksIn(text, 'total'))
  expect(text.slice(...part)).toContain('total')
  expect(linesOf(text, part).length).toBeLessThanOrEqual(6)
})

test('of a script without blanks half as many characters, and none is cut in two', () => {
  const text = '賃'.repeat(300) + '𠮷'.repeat(400)
  const shown = excerpt(text, '賃𠮷')
  expect(shown.length).toBeLessThan(300)
  expect(shown.isWellFormed()).toBe(true)
  expect(excerpt('𠮷'.repeat(1000)).isWellFormed()).toBe(true)
})

test('lines that are blank are left out', () => {
  const text = 'one\n\n \ntwo\fthree'
  expect(linesOf(text, [0, text.length]).map((line) => text.slice(...line))).toEqual(['one', 'two', 'three'])
})
