import { expect, test } from 'vitest'
import { DEFAULT_LIMITS } from '../../../src/config/config.ts'
import { docxParagraph, nestedTablesDocx, rawDocx, textDocx } from '../../support/make-bombs.ts'
import { makeDocx, type Part } from '../../support/make-documents.ts'
import { blocksOf, parseBytes } from '../../support/parse-file.ts'

const PARTS: Part[] = [
  { heading: 'Handbook' },
  { text: 'Welcome to the house.' },
  { bold: 'Leave' },
  { items: ['Ask early', 'Write it down'] },
  {
    rows: [
      ['Days', 'Who'],
      ['30', 'Everybody'],
    ],
  },
]

test('headings, paragraphs, lists and tables are kept as such', async () => {
  const { pages, title, facts } = await parseBytes(await makeDocx(PARTS), 'a.docx')
  expect(facts).toMatchObject({ engine: 'mammoth' })
  expect(title).toBe('Handbook')
  expect(blocksOf(pages[0])).toEqual([
    ['heading1', 'Handbook'],
    ['paragraph', 'Welcome to the house.'],
    ['heading2', 'Leave'],
    ['list_item', 'Ask early'],
    ['list_item', 'Write it down'],
    ['table_row', 'Days | Who'],
    ['table_row', '30 | Everybody'],
  ])
  expect(pages[0]?.blocks.at(-2)).toMatchObject({ table: 1, header: true })
  expect(pages[0]?.blocks.at(-1)).toMatchObject({ table: 1 })
})

test('the title of the properties wins', async () => {
  expect((await parseBytes(await makeDocx(PARTS, { title: 'House Rules' }), 'a.docx')).title).toBe('House Rules')
})

test('a body too large for mammoth is streamed, with the same structure', async () => {
  const filler = '<w:p><w:pPr><w:rPr><w:sz w:val="22"/></w:rPr></w:pPr></w:p>'.repeat(60_000)
  const table =
    '<w:tbl><w:tr><w:trPr><w:tblHeader/></w:trPr><w:tc><w:p><w:r><w:t>Days</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>Who</w:t></w:r></w:p></w:tc></w:tr></w:tbl>'
  const styles =
    '<w:styles xmlns:w="w"><w:style w:type="paragraph" w:styleId="Kop1"><w:name w:val="heading 1"/></w:style></w:styles>'
  const body = `<w:p><w:pPr><w:pStyle w:val="Kop1"/></w:pPr><w:r><w:t>Handbook</w:t></w:r></w:p>${docxParagraph('Kept.')}<w:p><w:r><w:delText>Gone.</w:delText></w:r></w:p>${table}${filler}`
  const { pages, facts } = await parseBytes(rawDocx(body, { extra: [{ name: 'word/styles.xml', data: styles }] }), 'a.docx')
  expect(facts).toMatchObject({ engine: 'stream' })
  expect(blocksOf(pages[0])).toEqual([
    ['heading1', 'Handbook'],
    ['paragraph', 'Kept.'],
    ['table_row', 'Days | Who'],
  ])
})

test('headers and footers, which mammoth leaves out, come once at the end', async () => {
  const header = `<w:hdr xmlns:w="w">${docxParagraph('Strictly confidential')}</w:hdr>`
  const extra = [
    { name: 'word/header1.xml', data: header },
    { name: 'word/header2.xml', data: header },
  ]
  const { pages } = await parseBytes(rawDocx(docxParagraph('Body.'), { extra }), 'a.docx')
  expect(pages[0]?.text).toBe('Body.\n\nStrictly confidential')
})

test('tables nested deeper than a stack are read or refused, never a crash', async () => {
  const shallow = await parseBytes(nestedTablesDocx(300), 'a.docx')
  expect(shallow.pages[0]?.text).toContain('core')
  await expect(parseBytes(nestedTablesDocx(3_000), 'a.docx')).rejects.toMatchObject({ code: 'corrupt' })
})

test.each([
  ['more XML than the limit', () => textDocx(70), 'too_much_xml'],
  ['more text than the limit', () => textDocx(25), 'too_much_text'],
  ['a document type', () => rawDocx(docxParagraph('&a;'), { prolog: '<!DOCTYPE d [<!ENTITY a "aaaa">]>' }), 'corrupt'],
  [
    'more entries than the limit',
    () =>
      rawDocx(docxParagraph('x'), {
        extra: Array.from({ length: 5_100 }, (_, i) => ({ name: `word/media/${i}.png`, data: '' })),
      }),
    'too_many_entries',
  ],
])('a DOCX with %s is refused', async (_what, make, code) => {
  await expect(parseBytes(make(), 'a.docx', { limits: DEFAULT_LIMITS })).rejects.toMatchObject({ code })
})

test('a DOCX that is too much says how much, and the limit', async () => {
  await expect(parseBytes(textDocx(70), 'a.docx', { limits: DEFAULT_LIMITS })).rejects.toThrow(
    / 7\d{7} bytes .*limit is 64000000/,
  )
})

test('a torn archive is corrupt', async () => {
  const docx = await makeDocx(PARTS)
  await expect(parseBytes(docx.subarray(0, docx.length - 300), 'a.docx')).rejects.toMatchObject({
    code: expect.stringMatching(/corrupt|unsupported_type/),
  })
})
