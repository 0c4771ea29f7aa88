import { expect, test } from 'vitest'
import { makePdf, type Part } from '../../../support/make-documents.ts'
import { blocksOf, parseBytes } from '../../../support/parse-file.ts'
import { errorCode, warningCode } from '../../../support/codes.ts'

const LONG =
  'The refund is paid within thirty days after the goods have come back to the warehouse. It goes to the account that the order was paid from, and no other account can be named. Where the goods are damaged, the refund is reduced by the loss of value.'
const PAGES: Part[][] = [
  [
    { heading: 'Terms of Sale' },
    { bold: 'Refunds' },
    { text: LONG },
    { text: 'A second paragraph stands here, and it is short.' },
  ],
  [
    { heading: 'Figures' },
    {
      rows: [
        ['Revenue', '1,200', '1,100'],
        ['Costs', '800', '750'],
      ],
    },
    { items: ['first thing to do', 'second thing to do'] },
  ],
]

test('reads headings, paragraphs, rows and list items, and joins the lines of a paragraph', async () => {
  const { pages, title, pageCount, facts, warnings } = await parseBytes(await makePdf(PAGES), 'a.pdf')
  expect(pageCount).toBe(2)
  expect(title).toBe('Terms of Sale')
  expect(facts).toMatchObject({ engine: 'pdfium' })
  expect(warnings).toEqual([])
  expect(blocksOf(pages[0])).toEqual([
    ['heading1', 'Terms of Sale'],
    ['heading4', 'Refunds'],
    ['paragraph', LONG],
    ['paragraph', 'A second paragraph stands here, and it is short.'],
  ])
  expect(blocksOf(pages[1])).toEqual([
    ['heading1', 'Figures'],
    ['table_row', 'Revenue 1,200 1,100'],
    ['table_row', 'Costs 800 750'],
    ['list_item', '• first thing to do'],
    ['list_item', '• second thing to do'],
  ])
})

test('takes the title from the metadata, unless a program made it up', async () => {
  const page: Part[] = [{ heading: 'On Paper' }, { text: LONG }]
  expect((await parseBytes(await makePdf([page], { title: 'Annual Report' }), 'a.pdf')).title).toBe('Annual Report')
  expect((await parseBytes(await makePdf([page], { title: 'Microsoft Word - final2.doc' }), 'a.pdf')).title).toBe('On Paper')
})

test('pdf2json reads the same document', async () => {
  const { pages, facts } = await parseBytes(await makePdf(PAGES), 'a.pdf', { pdfEngine: 'pdf2json' })
  expect(facts).toMatchObject({ engine: 'pdf2json' })
  expect(pages).toHaveLength(2)
  expect(pages[0]?.text).toContain('Where the goods are damaged, the refund is reduced by the loss of value.')
})

test('keeps a page without text, and warns about a document without text', async () => {
  const some = await parseBytes(await makePdf([[{ text: 'Words.' }], []]), 'a.pdf')
  expect(some.pages.map((page) => page.text)).toEqual(['Words.', ''])
  expect(some.warnings).toMatchObject([
    { code: warningCode('pages_without_text'), page: 2, message: expect.stringContaining('1 of 2 pages has no text (page 2)') },
  ])
  const none = await parseBytes(await makePdf([[], []]), 'a.pdf')
  expect(none.warnings.map(({ code }) => code)).toEqual(['no_text'])
  expect(none.warnings[0]?.message).toContain('no text and needs OCR')
})

test('refuses only a file that needs a password as encrypted', async () => {
  await expect(parseBytes(await makePdf(PAGES, { password: 'secret' }), 'a.pdf')).rejects.toMatchObject({
    code: errorCode('encrypted'),
  })
  const open = await parseBytes(await makePdf(PAGES, { ownerPassword: 'secret' }), 'a.pdf')
  expect(open.pages[0]?.text).toContain('Refunds')
})

test('reads damage that PDFium can repair, and refuses other damage as corrupt', async () => {
  const pdf = await makePdf(PAGES)
  const torn = await parseBytes(Buffer.from(pdf.toString('latin1').replace(/startxref\n\d+/, 'startxref\n7'), 'latin1'), 'a.pdf')
  expect(torn.pages[0]?.text).toContain('Terms of Sale')
  await expect(parseBytes(Buffer.from('%PDF-1.7\nnothing of a PDF follows'), 'a.pdf')).rejects.toMatchObject({
    code: errorCode('corrupt'),
  })
})

test('takes neither bullets nor notes nor sentences in large or bold type for headings', async () => {
  const page: Part[] = [
    { heading: 'Results' },
    { text: LONG },
    { heading: '(In millions)' },
    { text: LONG },
    { bold: '• Greater Seattle' },
    { text: LONG },
    { heading: 'We expect lower sales in the coming year.' },
    { text: LONG },
  ]
  const { pages } = await parseBytes(await makePdf([page]), 'report.pdf')
  const headings = pages.flatMap(({ text, blocks }) =>
    blocks.filter(({ kind }) => kind === 'heading').map(({ start, end }) => text.slice(start, end)),
  )
  expect(headings).toEqual(['Results'])
})
