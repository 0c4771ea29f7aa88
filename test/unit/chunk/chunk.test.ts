import { expect, test } from 'vitest'
import { chunkDocument } from '../../../src/chunk/chunk.ts'
import { documentText, type Page } from '../../../src/core/parsed.ts'
import { PageBuilder } from '../../../src/parse/blocks/page-builder.ts'

const words = (text: string): number => text.match(/\S+/g)?.length ?? 0
/** Returns a sentence of this many words. The first word is its name. */
const sentence = (name: string, length: number): string => `${name}${' word'.repeat(length - 1)}.`

function page(number: number, write: (builder: PageBuilder) => void): Page {
  const builder = new PageBuilder(number)
  write(builder)
  return builder.build()
}

const options = { maxTokens: 100, targetTokens: 50, countTokens: words }

test('packs small blocks into one passage and begins a new one at a heading', () => {
  const chunks = chunkDocument(
    [
      page(1, (to) => {
        to.add('heading', 'Terms', { level: 1 })
        to.add('paragraph', sentence('One', 10))
        to.add('paragraph', sentence('Two', 10))
        to.add('heading', 'Refunds', { level: 2 })
        to.add('paragraph', sentence('Three', 20))
        to.add('heading', 'Shipping', { level: 2 })
        to.add('paragraph', sentence('Four', 20))
      }),
    ],
    options,
  )
  expect(chunks.map((chunk) => [chunk.text.match(/\b[A-Z]\w+/g)?.join(' '), chunk.headingPath])).toEqual([
    ['Terms One Two', ['Terms']],
    ['Refunds Three', ['Terms', 'Refunds']],
    ['Shipping Four', ['Terms', 'Shipping']],
  ])
  expect(chunks.map((chunk) => chunk.index)).toEqual([0, 1, 2])
})

test('never ends a passage with a heading', () => {
  const chunks = chunkDocument(
    [
      page(1, (to) => {
        to.add('paragraph', sentence('One', 45))
        to.add('heading', 'Next', { level: 2 })
        to.add('paragraph', sentence('Two', 30))
      }),
    ],
    options,
  )
  expect(chunks.map((chunk) => chunk.text.split(' ')[0])).toEqual(['One', 'Next\n\nTwo'])
})

test('cuts a long paragraph between its sentences', () => {
  const text = Array.from({ length: 12 }, (_, i) => sentence(`Number${i}`, 15)).join(' ')
  const chunks = chunkDocument([page(1, (to) => to.add('paragraph', text))], options)
  expect(chunks.length).toBeGreaterThan(2)
  for (const chunk of chunks) {
    expect(chunk.text).toMatch(/^Number.*\.$/)
    expect(words(chunk.text)).toBeLessThanOrEqual(50)
  }
})

test('keeps a sentence above the target whole, and cuts one above the limit at a blank', () => {
  const whole = chunkDocument([page(1, (to) => to.add('paragraph', sentence('Long', 90)))], options)
  expect(whole).toHaveLength(1)
  const cut = chunkDocument([page(1, (to) => to.add('paragraph', sentence('Long', 250)))], options)
  expect(cut.length).toBeGreaterThan(2)
  for (const chunk of cut) {
    expect(words(chunk.text)).toBeLessThanOrEqual(100)
    expect(chunk.text).toMatch(/(word|Long|\.)$/)
  }
})

test('ends a passage at the end of its page, but not in the middle of a sentence', () => {
  const full = sentence('Full', 30)
  const parted = page(1, (to) => to.add('paragraph', `${full} Begun`))
  const goesOn = page(2, (to) => to.add('paragraph', `and ended. ${sentence('Other', 10)}`))
  expect(chunkDocument([parted, goesOn], options)[0]).toMatchObject({
    pageStart: 1,
    pageEnd: 2,
    text: expect.stringContaining('Begun\fand ended.'),
  })
  const closed = page(1, (to) => to.add('paragraph', full))
  const next = page(2, (to) => to.add('paragraph', sentence('Next', 10)))
  expect(chunkDocument([closed, next], options).map((chunk) => [chunk.pageStart, chunk.pageEnd])).toEqual([
    [1, 1],
    [2, 2],
  ])
})

test('gives a passage that begins within a table the header row as context, not in its text', () => {
  const rows = page(1, (to) => {
    to.add('paragraph', 'Revenue by year.')
    to.add('table_row', 'Year | Revenue', { table: 1, header: true })
    for (let i = 0; i < 40; i++) to.add('table_row', `Row${i} 1 2 3`, { table: 1 })
    to.add('paragraph', sentence('After', 45))
    for (let i = 0; i < 40; i++) to.add('table_row', `Other${i} 1 2 3`, { table: 2 })
  })
  const chunks = chunkDocument([rows], options)
  const [first, second] = chunks
  expect(first).toMatchObject({ context: '', text: expect.stringContaining('Year | Revenue') })
  expect(second).toMatchObject({ context: 'Year | Revenue', text: expect.stringMatching(/^Row\d/) })
  expect(chunks.filter(({ text }) => /^(After|Other)/.test(text)).map(({ context }) => context)).toEqual(['', '', '', '', ''])
})

test('repeats all rows of a header', () => {
  const rows = page(1, (to) => {
    to.add('table_row', 'Capital expenditure', { table: 1, header: true })
    to.add('table_row', '2018 2017', { table: 1, header: true })
    for (let i = 0; i < 40; i++) to.add('table_row', `Row${i} 1 2 3`, { table: 1 })
  })
  expect(chunkDocument([rows], options)[1]).toMatchObject({ context: 'Capital expenditure 2018 2017' })
})

test('repeats the last rows of a long header, and the beginning of a row that is too long by itself', () => {
  const contextBelow = (...header: string[]): string | undefined => {
    const rows = page(1, (to) => {
      for (const row of header) to.add('table_row', row, { table: 1, header: true })
      for (let i = 0; i < 40; i++) to.add('table_row', `Row${i} 1 2 3`, { table: 1 })
    })
    return chunkDocument([rows], options).at(-1)?.context
  }
  expect(contextBelow('Long '.repeat(58), 'Year ended December 31,', '2018 2017')).toBe('Year ended December 31, 2018 2017')
  expect(contextBelow(`Head${'-of-a-column'.repeat(30)}`)).toMatch(/^Head-.*…$/)
})

test('knows the gap before each passage, so that the passages add up to the document', () => {
  const pages = [1, 2].map((number) =>
    page(number, (to) => {
      for (let i = 0; i < 5; i++) to.add('paragraph', sentence(`Word${i}`, 30))
    }),
  )
  const chunks = chunkDocument(pages, options)
  expect(chunks.length).toBeGreaterThan(2)
  expect(chunks.map(({ gap, text }) => gap + text).join('')).toBe(documentText(pages))
})

test('takes a short first line as the heading of a text without headings', () => {
  const plain = (to: PageBuilder) => {
    to.add('paragraph', 'Minutes of the meeting')
    for (let i = 0; i < 4; i++) to.add('paragraph', sentence(`Word${i}`, 40))
  }
  const paths = (write: (to: PageBuilder) => void) =>
    chunkDocument([page(1, write)], options).map(({ headingPath }) => headingPath)
  expect(new Set(paths(plain).flat())).toEqual(new Set(['Minutes of the meeting']))
  const structured = (to: PageBuilder) => {
    plain(to)
    to.add('heading', 'Budget', { level: 1 })
    to.add('paragraph', sentence('Money', 40))
  }
  expect(new Set(paths(structured).flat())).toEqual(new Set(['Budget']))
  expect(new Set(paths((to) => to.add('paragraph', 'Just one line')).flat())).toEqual(new Set())
  const letter = (to: PageBuilder) => {
    to.add('paragraph', 'Dear Sir or Madam,')
    to.add('paragraph', sentence('Word', 40))
  }
  expect(new Set(paths(letter).flat())).toEqual(new Set())
})

test('never cuts a table row that fits', () => {
  const chunks = chunkDocument(
    [
      page(1, (to) => {
        for (let i = 0; i < 40; i++) to.add('table_row', `Row${i} 1.5 2.5. 3 4`, { table: 1 })
      }),
    ],
    options,
  )
  for (const line of chunks.flatMap((chunk) => chunk.text.split('\n'))) expect(line).toMatch(/^Row\d+ 1\.5 2\.5\. 3 4$/)
})

test('makes a passage of a page with a few words, and of a page with only headings', () => {
  const pages = [
    page(1, (to) => to.add('heading', 'Annual report', { level: 1 })),
    page(2, (to) => to.add('paragraph', 'Sales rose.')),
    page(3, (to) => to.add('paragraph', 'Costs fell.')),
  ]
  expect(chunkDocument(pages, options).map((chunk) => [chunk.text, chunk.pageStart, chunk.pageEnd])).toEqual([
    ['Annual report', 1, 1],
    ['Sales rose.', 2, 2],
    ['Costs fell.', 3, 3],
  ])
})

test('includes text outside of blocks, and makes nothing of blank pages', () => {
  const pages: Page[] = [
    { number: 1, text: 'before BLOCK after', blocks: [{ kind: 'paragraph', start: 7, end: 12 }] },
    { number: 2, text: ' \n ', blocks: [] },
  ]
  expect(chunkDocument(pages, options).map((chunk) => chunk.text)).toEqual(['before BLOCK after'])
  expect(chunkDocument([], options)).toEqual([])
})

test('counts the tokens of a long document a few times, not once for each page', () => {
  const pages = Array.from({ length: 300 }, (_, i) =>
    page(i + 1, (to) => {
      for (let j = 0; j < 8; j++) to.add('paragraph', Array.from({ length: 6 }, (_, k) => sentence(`S${j}${k}`, 12)).join(' '))
    }),
  )
  let counted = 0
  const chunks = chunkDocument(pages, { maxTokens: 512, countTokens: (text) => ((counted += text.length), words(text)) })
  expect(chunks.length).toBeGreaterThan(300)
  expect(counted).toBeLessThan(4 * documentText(pages).length)
})

test('keeps a block of code whole up to the limit of a passage, and cuts a longer one between its lines', () => {
  const code = (name: string, lines: number): string =>
    Array.from({ length: lines }, (_, i) => `${name}${i} ${'word '.repeat(8)}end`).join('\n')
  const chunks = chunkDocument(
    [
      page(1, (to) => {
        to.add('heading', 'Install', { level: 1 })
        to.add('paragraph', sentence('Run', 30))
        to.add('code', code('whole', 9))
        to.add('code', code('cut', 15))
      }),
    ],
    options,
  )
  expect(chunks[0]?.text).toMatch(/^Install\n\nRun [^\n]*$/)
  expect(chunks[1]?.text).toBe(code('whole', 9))
  expect(chunks.length).toBeGreaterThan(3)
  for (const chunk of chunks.slice(2)) expect(chunk.text).toMatch(/^cut.*end$/s)
})

test('takes neither a paragraph nor a line without words for a heading, whatever its style', () => {
  const long = 'This paragraph has the style of a heading. '.repeat(6)
  const pages = [
    page(1, (to) => {
      to.add('heading', 'Terms', { level: 1 })
      to.add('heading', long, { level: 2 })
      to.add('heading', '***', { level: 2 })
      to.add('paragraph', 'Refunds are paid.')
    }),
  ]
  expect(chunkDocument(pages, options).map(({ headingPath }) => headingPath)).toEqual([['Terms']])
})
