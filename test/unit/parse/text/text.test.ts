import { expect, test } from 'vitest'
import { DEFAULT_LIMITS } from '../../../../src/config/config.ts'
import { blocksOf, parseBytes } from '../../../support/parse-file.ts'
import { errorCode } from '../../../support/codes.ts'

test('separates paragraphs at blank lines and pages at form feeds, and keeps the text as written', async () => {
  const { pages, pageCount } = await parseBytes('One\r\n  still one\r\n\r\n \r\nTwo\n\fThree\n\f\n', 'a.txt')
  expect(pageCount).toBe(2)
  expect(pages[0]?.text).toBe('One\n  still one\n\n \nTwo')
  expect(blocksOf(pages[0])).toEqual([
    ['paragraph', 'One\n  still one'],
    ['paragraph', 'Two'],
  ])
  expect(blocksOf(pages[1])).toEqual([['paragraph', 'Three']])
})

const GERMAN = 'Die Straße führt über die Brücke nach Köln. Früher war das Gelände größer.'
const RUSSIAN = 'Кодировка текста определяется по частоте букв, и чем больше текста, тем вернее ответ. Это обычный русский текст.'

test.each([
  ['utf-8', Buffer.from(GERMAN), GERMAN],
  ['utf-8', Buffer.from(`\uFEFF${GERMAN}`), GERMAN],
  ['utf-16le', Buffer.from(`\uFEFF${GERMAN}`, 'utf16le'), GERMAN],
  ['utf-16le', Buffer.from(GERMAN, 'utf16le'), GERMAN],
  ['utf-16be', Buffer.from(GERMAN, 'utf16le').swap16(), GERMAN],
  ['windows-1252', Buffer.from(GERMAN, 'latin1'), GERMAN],
  ['windows-1251', windows1251(RUSSIAN), RUSSIAN],
  // そして、これは日本語です。
  [
    'shift_jis',
    Buffer.from('82bb82b582c481418 2b182ea82cd93fa967b8cea82c582b78142'.replaceAll(' ', ''), 'hex'),
    'そして、これは日本語です。',
  ],
])('detects %s', async (encoding, bytes, text) => {
  const { pages, facts } = await parseBytes(bytes, 'a.txt')
  expect(pages[0]?.text).toBe(text)
  expect(facts).toMatchObject({ encoding, confidence: expect.any(Number) })
})

test('removes control characters that no page may have', async () => {
  const { pages } = await parseBytes(`bell\u0007 and escape\u001B[1m, \uFFFE${' '.repeat(500)}.`, 'a.txt')
  expect(pages[0]?.text).toBe(`bell and escape[1m, ${' '.repeat(500)}.`)
})

test('reads any number of blanks, form feeds and line ends in linear time', async () => {
  const runs = ['\f', ' ', '\n', ' \n', '\t '].map((blank) => `a${blank.repeat(200_000)}b`)
  for (const [i, text] of runs.entries()) {
    const reading = parseBytes(text, 'a.txt', { limits: { ...DEFAULT_LIMITS, pages: 1_000_000 } })
    expect((await reading).pages.at(-1)?.text.endsWith('b'), `run ${i}`).toBe(true)
  }
})

test('refuses a text over the limit, and names the limit', async () => {
  const limits = { ...DEFAULT_LIMITS, textBytes: 1_000_000 }
  await expect(parseBytes('word '.repeat(250_000), 'a.txt', { limits })).rejects.toMatchObject({
    code: errorCode('too_much_text'),
    message: expect.stringContaining('1 MB'),
  })
})

test('accepts a text of blanks, with a warning', async () => {
  expect((await parseBytes(' \n \n', 'a.txt')).warnings.map(({ code }) => code)).toEqual(['no_text'])
})

function windows1251(text: string): Buffer {
  return Buffer.from(
    [...text].map((character) => {
      const code = character.charCodeAt(0)
      return code >= 0x410 && code <= 0x44f ? code - 0x410 + 0xc0 : code
    }),
  )
}
