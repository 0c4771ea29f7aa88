import { expect, test } from 'vitest'
import { analyse } from '../../../src/text/analyse.ts'
import { createWordList } from '../../../src/text/word-list.ts'

function listOf(...passages: string[]) {
  const list = createWordList()
  for (const passage of passages) list.addPassage(analyse(passage))
  return list.words()
}

test('lists words with their terms, the most frequent first, and counts each passage once for a term', () => {
  const words = listOf('Pumps and a pump are here', 'The pump is not there', 'A pump')
  expect(words[0]).toBe('pump pump')
  expect(words.filter((word) => word.startsWith('pump '))).toEqual(['pump pump', 'pump pumps'])
})

test('lists only words of 3 to 40 letters, of scripts with blanks between words', () => {
  const words = listOf(`ab abc 2024 ISO27001 ${'x'.repeat(41)} ${'y'.repeat(40)} e-mail 東京都の契約 สัญญาเช่า Übergabe`)
  expect(words.map((word) => word.split(' ')[1]!).toSorted()).toEqual(
    ['abc', 'email', 'iso', 'mail', 'y'.repeat(40), 'übergabe'].toSorted(),
  )
})

test('keeps the 20,000 words in the most passages', () => {
  const letters = (n: number): string => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('')
  const noise = (from: number) => Array.from({ length: 60_000 }, (_, i) => `q${letters(from + i)}`).join(' ')
  const words = listOf(`${noise(100_000)} lantern`, `${noise(200_000)} lantern`, 'gatekeeper')
  expect(words).toHaveLength(20_000)
  expect(words[0]).toBe('lantern lantern')
})
