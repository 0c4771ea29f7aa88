import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { PageMarks, TextToMark } from '../../../../src/core/page-image.ts'
import { answerPage } from '../../../../src/parse/pdf/image/answer-page.ts'
import { isIntactPng } from '../../../../src/parse/pdf/image/png.ts'
import { errorCode } from '../../../support/codes.ts'
import { makePdf } from '../../../support/make-documents.ts'
import { rawPdf } from '../../../support/make-bombs.ts'
import { decodePng, rawPage, type DecodedPng } from '../../../support/raw-page.ts'
import { tempFolder } from '../../../support/temp-folder.ts'

async function fileOf(pdf: Buffer): Promise<string> {
  const file = join(await tempFolder(), 'page.pdf')
  await writeFile(file, pdf)
  return file
}

async function render(pdf: Buffer, { page = 1, width = 200 } = {}): Promise<DecodedPng> {
  const answer = await answerPage(await fileOf(pdf), { page, width })
  if (!('png' in answer)) throw new Error('no image')
  expect(isIntactPng(Buffer.from(answer.png))).toBe(true)
  return decodePng(answer.png)
}

async function mark(pdf: Buffer, toMark: TextToMark): Promise<PageMarks> {
  const answer = await answerPage(await fileOf(pdf), { page: 1, toMark })
  if (!('marks' in answer)) throw new Error('no marks')
  return answer.marks
}

const WHITE = [255, 255, 255]
/** A black square in the upper left quarter of a page of 600 by 800 points. */
const SQUARE = '0 0 0 rg 0 400 300 400 re f'
/** A word in the upper left corner. */
const WORD = 'BT /F 20 Tf 60 740 Td (lantern) Tj ET'
const marked = { text: 'lantern', passage: [0, 7], words: [] } as const

test('renders a page without colour in greys, and keeps the colours of others', async () => {
  const grey = await render(rawPage(SQUARE))
  expect([grey.width, grey.height, grey.hasColour, grey.at(0.25, 0.25), grey.at(0.75, 0.25)]).toEqual([
    200,
    267,
    false,
    [0, 0, 0],
    WHITE,
  ])
  const colours = await render(rawPage(SQUARE.replace('0 0 0', '0.8 0.1 0.1')))
  expect([colours.hasColour, colours.at(0.75, 0.25)]).toEqual([true, WHITE])
  const [red, green, blue] = colours.at(0.25, 0.25)
  expect([Math.abs(red - 204) < 9, Math.abs(green - 26) < 9, Math.abs(blue - 26) < 9]).toEqual([true, true, true])
})

test('a turned page is shown as a reader sees it, with its marks', async () => {
  const turned = await render(rawPage(SQUARE, '/MediaBox[0 0 600 800]/Rotate 90'))
  expect([turned.width, turned.height, turned.at(0.75, 0.25), turned.at(0.25, 0.25)]).toEqual([200, 150, [0, 0, 0], WHITE])
  const { ratio, passage } = await mark(rawPage(WORD, '/MediaBox[0 0 600 800]/Rotate 90'), marked)
  expect([ratio, passage.length]).toEqual([0.75, 1])
  expect(passage[0]!.x).toBeGreaterThan(0.9)
  expect(passage[0]!.y).toBeCloseTo(0.1, 1)
  expect(passage[0]!.height).toBeGreaterThan(passage[0]!.width)
})

test('only the crop box of a page is shown, and marks count from it', async () => {
  const box = '/MediaBox[0 0 600 800]/CropBox[0 400 300 800]'
  const cropped = await render(rawPage(SQUARE, box))
  expect([cropped.width, cropped.height, cropped.at(0.9, 0.9)]).toEqual([200, 267, [0, 0, 0]])
  const whole = (await mark(rawPage(WORD), marked)).passage[0]!
  const part = (await mark(rawPage(WORD, box), marked)).passage[0]!
  expect([part.x / whole.x, part.y / whole.y, part.width / whole.width].map((one) => Math.round(one * 10) / 10)).toEqual([
    2, 2, 2,
  ])
})

test('finds a passage whose lines and words the parser has joined, and its words', async () => {
  const lines = ['The keeper of the light-', 'house lights the lantern', 'at dusk.', 'The end of the page.']
  const show = lines.map((line, n) => `BT /F 12 Tf 60 ${700 - 15 * n} Td (${line}) Tj ET`).join('\n')
  const text = 'The keeper of the lighthouse lights the lantern at dusk.\nThe end of the page.'
  const words: [number, number][] = ['lighthouse', 'lantern'].map((word) => [
    text.indexOf(word),
    text.indexOf(word) + word.length,
  ])
  const marks = await mark(rawPage(show), { text, passage: [0, text.indexOf('\n')], words })
  expect(marks.passage).toHaveLength(3)
  // One half of the lighthouse is at the end of the first line, the other at the beginning of the second.
  expect(marks.words).toHaveLength(3)
  expect(new Set(marks.passage.map(({ y }) => y)).size).toBe(3)
  expect(Math.max(...marks.passage.map(({ y, height }) => y + height))).toBeLessThan((800 - 700 + 15 * 2.4) / 800)
})

test('a page without the passage has no marks', async () => {
  expect(await mark(rawPage(SQUARE), marked)).toEqual({ ratio: 800 / 600, passage: [], words: [] })
  expect((await mark(rawPage(WORD), { text: 'other', passage: [0, 5], words: [] })).passage).toEqual([])
  expect((await mark(rawPage(WORD), { text: '', passage: null, words: [] })).passage).toEqual([])
})

test.each([
  ['0 0 14400 10', 200, 1],
  ['0 0 10 14400', 6, 8000],
  ['0 0 1000000000 1000000000', 200, 200],
  ['0 0 0 0', 200, 259],
])('a page of %s points gets an image of bounded size', async (box, width, height) => {
  const image = await render(rawPage(SQUARE, `/MediaBox[${box}]`))
  expect([image.width, image.height]).toEqual([width, height])
})

test('renders a page with 100,000 objects', async () => {
  const content = Array.from({ length: 100_000 }, (_, n) => `${n % 600} ${n % 800} 1 1 re f`).join('\n')
  expect((await render(rawPage(content))).width).toBe(200)
})

test.each([
  ['without pages', rawPdf(['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Count 0/Kids[]>>']), 1, 'page_not_found'],
  [
    'with a broken tree of pages',
    rawPdf(['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Count 2/Kids[2 0 R 9 0 R]>>']),
    2,
    'corrupt',
  ],
  ['with fewer pages', rawPage(SQUARE), 2, 'page_not_found'],
  ['cut off', rawPage(SQUARE).subarray(0, 60), 1, 'corrupt'],
])('a PDF %s is refused', async (_, pdf, page, code) => {
  await expect(render(pdf, { page })).rejects.toMatchObject({ code })
})

test('a PDF with a password is refused', async () => {
  await expect(render(await makePdf([[{ text: 'Secret.' }]], { password: 'x' }))).rejects.toMatchObject({
    code: errorCode('encrypted'),
  })
})
