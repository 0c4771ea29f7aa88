import PDFDocument from 'pdfkit'
import { expect, test } from 'vitest'
import type { Page } from '../../../../src/core/parsed.ts'
import { parseBytes } from '../../../support/parse-file.ts'

/** A text, where it begins, or where it ends if `right` is given, and how far down it is. */
type Cell = [text: string, place: { x: number } | { right: number }, y: number]

const SIZE = 9

async function read(...pages: Cell[][]): Promise<Page[]> {
  const pdf = new PDFDocument({ autoFirstPage: false })
  const chunks: Buffer[] = []
  const done = new Promise<void>((resolve, reject) => {
    pdf.on('data', (chunk: Buffer) => chunks.push(chunk))
    pdf.on('end', resolve)
    pdf.on('error', reject)
  })
  for (const cells of pages) {
    pdf.addPage({ size: 'A4', margin: 0 }).font('Helvetica').fontSize(SIZE)
    for (const [text, place, y] of cells)
      pdf.text(text, 'x' in place ? place.x : place.right - pdf.widthOfString(text), y, { lineBreak: false })
  }
  pdf.end()
  await done
  return (await parseBytes(Buffer.concat(chunks), 'table.pdf')).pages
}

const at = (text: string, x: number, y: number): Cell => [text, { x }, y]
/** Figures in columns that are aligned on the right. */
const figures = (y: number, ...values: string[]): Cell[] =>
  values.map((value, i): Cell => [value, { right: 400 + 70 * i }, y]).filter(([text]) => text !== '')
const row = (y: number, label: string, ...values: string[]): Cell[] => [at(label, 72, y), ...figures(y, ...values)]

/** Returns the rows of a page, each with its role: `h` for a header, `l` for a label, and nothing for others. */
const rowsOf = (page: Page | undefined): string[] =>
  (page?.blocks ?? [])
    .filter(({ kind }) => kind === 'table_row')
    .map(({ start, end, header, label }) => `${header ? 'h ' : label ? 'l ' : ''}${page!.text.slice(start, end)}`)

const PROSE = [
  'The board looked at what was spent on the quays, the cranes and the sheds behind them, and it',
  'found that the sums were in order. Nobody could say why the gulls had left the harbour in the',
  'spring, or why they came back when the summer had ended, and so the matter was left to rest.',
]
const prose = (y: number): Cell[] => PROSE.map((text, i) => at(text, 72, y + 11 * i))

test('a row may have a single figure, below the figures of other rows or in a column of its own', async () => {
  const [page] = await read([
    ...prose(60),
    ...row(120, 'Quays', '310', '280'),
    ...row(132, 'A new shed', '', '45'),
    ...row(144, 'Sum', '355', '280'),
    ...prose(180),
    ...row(240, 'Coffee', '3.50'),
    ...row(252, 'Tea with milk', '2.80'),
    ...row(264, 'Cake', '$ 4.00'),
  ])
  expect(rowsOf(page)).toEqual([
    'Quays 310 280',
    'A new shed 45',
    'Sum 355 280',
    'Coffee 3.50',
    'Tea with milk 2.80',
    'Cake $ 4.00',
  ])
})

test('signs, units, brackets and references to footnotes may be apart from their figures', async () => {
  const [page] = await read([
    ...row(100, 'Dues (a)', '$ 1,240', '( 45 )'),
    ...row(112, 'Growth (1)', '5.1 %', '(2)pts'),
    ...row(124, 'Cranes', '( 310', '— %'),
  ])
  expect(rowsOf(page)).toHaveLength(3)
})

test('dots may lead from a label to several figures', async () => {
  const dots = '. '.repeat(50)
  const [page] = await read([
    ...row(100, 'Year ended December 31,', '2018', '2017'),
    ...row(112, `Dues ${dots}`, '1,240', '1,115'),
    ...row(124, `Sum ${dots}`, '1,550', '1,070'),
  ])
  expect(rowsOf(page)).toEqual([
    'h Year ended December 31, 2018 2017',
    expect.stringMatching(/^Dues .*1,115$/),
    expect.stringMatching(/^Sum .*1,070$/),
  ])
})

test('a header may have several lines, and cells of several lines next to each other', async () => {
  const cell = (lines: string[], x: number): Cell[] => lines.map((text, i) => at(text, x, 100 + 11 * i))
  const [page] = await read([
    ...prose(50),
    ...cell(['Cost or', 'Amortized', 'Cost'], 300),
    ...cell(['Gross', 'Unrealized', 'Gains'], 370),
    ...cell(['Total', 'Estimated', 'Value'], 440),
    ...row(135, 'Cash', '9,982', '—', '9,982'),
    ...row(147, 'Bonds', '4,265', '1', '4,257'),
    ...prose(190),
    at('Year ended December 31,', 340, 240),
    ...row(252, 'In millions', '2018', '2017', '% change'),
    ...row(264, 'Dues', '1,240', '1,115', '11'),
  ])
  expect(rowsOf(page)).toEqual([
    ...['Cost or', 'Amortized', 'Cost', 'Gross', 'Unrealized', 'Gains', 'Total', 'Estimated', 'Value'].map((text) => `h ${text}`),
    'Cash 9,982 — 9,982',
    'Bonds 4,265 1 4,257',
    'h Year ended December 31,',
    'h In millions 2018 2017 % change',
    'Dues 1,240 1,115 11',
  ])
})

test('text with figures does not become a table: two columns, paragraphs, forms and letters', async () => {
  const column = (x: number): Cell[] =>
    Array.from({ length: 12 }, (_, i) => at(`Ships of ${1900 + i} and the captains of them`, x, 100 + 11 * i))
  const [columns] = await read([...column(72), ...column(320)])
  expect(rowsOf(columns)).toEqual([])
  const [letter] = await read([
    at('Ada Lund', 72, 60),
    at('12 Quay Street', 72, 72),
    at('Port Lund 4711', 72, 84),
    ...prose(120),
    at('The crane was bought in 2015 , 2016 , and 2017 .', 72, 153),
    at('Yours, Ada Lund', 72, 200),
    at('Telephone: 5550199', 72, 212),
  ])
  expect(rowsOf(letter)).toEqual([])
})

test('the last line of a paragraph above a table is not a header', async () => {
  const [page] = await read([
    ...prose(60),
    at('which is shown below', 72, 93),
    ...row(105, 'Quays', '310', '280'),
    ...row(117, 'Sheds', '45', '40'),
  ])
  expect(rowsOf(page)).toEqual(['Quays 310 280', 'Sheds 45 40'])
})
