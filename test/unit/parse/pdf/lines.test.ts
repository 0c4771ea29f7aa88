import PDFDocument from 'pdfkit'
import { expect, test } from 'vitest'
import type { ParsedDocument } from '../../../../src/core/parsed.ts'
import { makeScripts } from '../../../support/make-scripts.ts'
import { parseBytes } from '../../../support/parse-file.ts'

type Pdf = InstanceType<typeof PDFDocument>

/** Makes a PDF of pages with handwritten drawing commands, because no library writes such pages. */
async function read(...pages: ((pdf: Pdf) => void)[]): Promise<ParsedDocument> {
  const pdf = new PDFDocument({ autoFirstPage: false })
  const chunks: Buffer[] = []
  const done = new Promise<void>((resolve, reject) => {
    pdf.on('data', (chunk: Buffer) => chunks.push(chunk))
    pdf.on('end', resolve)
    pdf.on('error', reject)
  })
  for (const draw of pages) {
    pdf.addPage({ size: 'A4', margin: 0 })
    pdf.font('Helvetica').fontSize(10)
    draw(pdf)
  }
  pdf.end()
  await done
  return parseBytes(Buffer.concat(chunks), 'drawn.pdf')
}

const at = (pdf: Pdf, text: string, x: number, y: number): Pdf => pdf.text(text, x, y, { lineBreak: false })

/** Draws each letter as an object of its own, in units that are not points, as some printer drivers do. */
function setByLetters(pdf: Pdf, words: string[], blank: boolean): void {
  const unit = 0.6
  pdf
    .scale(unit)
    .font('Times-Italic')
    .fontSize(11 / unit)
  let x = 72 / unit
  for (const word of words) {
    for (const letter of blank ? `${word} ` : word) {
      at(pdf, letter, x, 100 / unit)
      x += pdf.widthOfString(letter)
    }
    if (!blank) x += 4 / unit
  }
}

test.each([true, false])('restores the second f that PDFium drops as a duplicate, blanks set: %s', async (blank) => {
  const words = ['the', 'effects', 'of', 'an', 'office', 'if', 'the', 'staff', 'is', 'off', 'duty']
  const { pages } = await read((pdf) => setByLetters(pdf, words, blank))
  expect(pages[0]?.text.trim()).toBe(words.join(' '))
})

test('separates rows that end in a blank of their own, in large units', async () => {
  const rows = [
    ['Net sales', '14,082', '11,303'],
    ['Cost of sales', '9,019', '7,772'],
    ['Gross margin', '5,063', '3,531'],
  ]
  const { pages } = await read((pdf) => {
    at(pdf, 'Income in millions', 72, 60)
    const cell = (text: string, x: number, y: number): string => `BT /F1 416 Tf 0.024 0 0 -0.024 ${x} ${y} Tm (${text}) Tj ET\n`
    rows.forEach((row, i) =>
      row.forEach((text, j) => {
        const [x, y] = [72 + 150 * j, 100 + 11 * i]
        pdf.addContent(cell(text, x, y) + cell(' ', x + 5 * text.length, y))
      }),
    )
  })
  const page = pages[0]!
  expect(page.blocks.filter(({ kind }) => kind === 'table_row').map(({ start, end }) => page.text.slice(start, end))).toEqual(
    rows.map((row) => row.join(' ')),
  )
})

test('separates the figures at a vertical axis', async () => {
  const { pages } = await read((pdf) => [0, 1, 2, 3, 4].forEach((i) => at(pdf, `${2 * i}`, 72, 300 - 30 * i)))
  expect(pages[0]?.text.split(/\s+/).toSorted()).toEqual(['0', '2', '4', '6', '8'])
})

const SENTENCES = [
  'The harbour is deep',
  'Ships wait outside',
  'Pilots come at dawn',
  'Nobody counts the gulls',
  'Rain fell',
  'It was late',
]
/** Makes a page whose text ends further down the more lines it has. */
const body = (pdf: Pdf, page: number): number => {
  const lines = Array.from(
    { length: 3 + ((page * 5) % 7) },
    (_, i) => `${SENTENCES[(page + i) % 6]}, and so on for line ${'abcdefghij'[i]}.`,
  )
  lines.forEach((line, i) => at(pdf, line, 72, 100 + 14 * i))
  return 100 + 14 * lines.length
}

test.each<[string, (page: number) => string, number]>([
  ['below the text, wherever that ends', (page) => `${page}`, 9],
  ['with the name of the report', (page) => `Harbour Board Form 7 ${page}`, 9],
  ['Roman', (page) => ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix'][page - 1]!, 9],
  ['with the number of pages', (page) => `Page ${page} of 9`, 9],
])('drops page numbers from the text: %s', async (_name, number, count) => {
  const { pages } = await read(
    ...Array.from({ length: count }, (_, i) => (pdf: Pdf) => {
      at(pdf, number(i + 1), 290, body(pdf, i) + 20)
    }),
  )
  expect(pages.map((page) => page.running)).toEqual(Array.from({ length: count }, (_, i) => [number(i + 1)]))
  for (const page of pages) expect(page.text).toMatch(/line [a-j]\.$/)
})

test('drops page numbers on the outer sides of left and right pages, even in a short document', async () => {
  const foot = (page: number): [string, number] =>
    page % 2 === 0 ? [`${page} | Annual report`, 72] : [`Annual report | ${page}`, 440]
  const { pages } = await read(
    ...[1, 2, 3, 4].map((page) => (pdf: Pdf) => {
      body(pdf, page)
      const [text, x] = foot(page)
      at(pdf, text, x, 800)
    }),
  )
  expect(pages.map((page) => page.running)).toEqual([1, 2, 3, 4].map((page) => [foot(page)[0]]))
})

test("keeps a last line whose figures don't count the pages", async () => {
  const sums = [310, 12, 47, 9, 88, 154]
  const { pages } = await read(
    ...sums.map((sum, i) => (pdf: Pdf) => {
      at(pdf, `${sum}`, 290, body(pdf, i) + 20)
    }),
  )
  expect(pages.map((page) => page.running)).toEqual(sums.map(() => undefined))
})

test.each([0, 90, 180, 270])('reads only what the crop box shows, on a page turned by %i degrees', async (rotation) => {
  const { pages } = await read((pdf) => {
    // pdfkit has no crop box. Its own dictionary of the page takes one, from the lower left corner.
    Object.assign(pdf.page.dictionary.data, { CropBox: [50, 50, 545, 792], Rotate: rotation })
    const lines: [string, number, number][] = [
      ['Inside.', 72, 400],
      ['Proof 7', 200, 20],
      ['C M Y K', 200, 830],
      ['Crosses the edge.', 45, 300],
      ['10', 5, 500],
      ['A line between marks.', 72, 500],
      ['11', 570, 500],
    ]
    for (const [text, x, y] of lines) at(pdf, text, x, y)
  })
  expect(pages[0]!.text.split(/\n+/).toSorted()).toEqual(['A line between marks.', 'Crosses the edge.', 'Inside.'])
})

test.each([0, 3, 6, 9, -4])('keeps Thai whole if its marks are placed one by one, %i points above the line', async (by) => {
  const text = 'วันที่หนึ่งป้ายผู้เช่าที่นี่'
  const bytes = makeScripts([[text.split('')], [`${text} ${text}`.split('')]], 'note', { marks: /\p{M}/u, by })
  const { pages } = await parseBytes(bytes, 'a.pdf')
  expect(pages[0]!.text.split(/\n+/).slice(0, 2)).toEqual([text, `${text} ${text}`])
})

test('reads the variants of Thai marks that old fonts have in the private use area', async () => {
  const bytes = makeScripts([['ป\uF702\uF70Aนี้'.split('')]], 'note')
  expect((await parseBytes(bytes, 'a.pdf')).pages[0]?.text).toContain('ปี่นี้')
})
