import { expect, test } from 'vitest'
import { DEFAULT_LIMITS } from '../../../../src/config/config.ts'
import type { Page } from '../../../../src/core/parsed.ts'
import { docxParagraph, nestedTablesDocx, rawDocx, textDocx } from '../../../support/make-bombs.ts'
import { makeDocx, type Part } from '../../../support/make-documents.ts'
import { blocksOf, parseBytes } from '../../../support/parse-file.ts'
import { errorCode } from '../../../support/codes.ts'

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

test('reads headings, paragraphs, lists and tables', async () => {
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

test('takes the title from the properties first', async () => {
  expect((await parseBytes(await makeDocx(PARTS, { title: 'House Rules' }), 'a.docx')).title).toBe('House Rules')
})

test('streams a body that is too large for mammoth, with the same structure', async () => {
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

/** Reads the body with mammoth and with the streaming reader, which gets it because of a part that is too large for mammoth. */
const ENGINES = ['mammoth', 'stream'] as const
const FILLER = '<w:p><w:pPr><w:rPr><w:sz w:val="22"/></w:rPr></w:pPr></w:p>'.repeat(60_000)

async function readBoth(body: string, extra: { name: string; data: string }[] = []): Promise<Page[]> {
  const [first, second] = await Promise.all(
    ENGINES.map(async (engine) => {
      const { pages, facts } = await parseBytes(rawDocx(engine === 'stream' ? body + FILLER : body, { extra }), 'a.docx')
      expect(facts).toMatchObject({ engine })
      return pages
    }),
  )
  expect(second).toEqual(first)
  return first!
}

const run = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`

test('accepts tracked changes', async () => {
  const marked = (change: string): string => `<w:pPr><w:rPr><w:${change}/></w:rPr></w:pPr>`
  const pages = await readBoth(
    `<w:p>${run('Rent is ')}<w:del><w:r><w:delText>900</w:delText></w:r></w:del><w:ins>${run('1000')}</w:ins>${run(' euros.')}</w:p>` +
      `<w:p><w:moveFrom>${run('Moved away.')}</w:moveFrom></w:p><w:p><w:moveTo>${run('Moved here.')}</w:moveTo></w:p>` +
      `<w:p>${marked('del')}${run('One ')}</w:p><w:p>${run('paragraph.')}</w:p>` +
      `<w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc>${docxParagraph('old row')}</w:tc></w:tr><w:tr><w:tc>${docxParagraph('kept row')}</w:tc></w:tr></w:tbl>`,
  )
  expect(blocksOf(pages[0])).toEqual([
    ['paragraph', 'Rent is 1000 euros.'],
    ['paragraph', 'Moved here.'],
    ['paragraph', 'One paragraph.'],
    ['table_row', 'kept row'],
  ])
})

test('begins a page at each page break, and only one where two marks mean the same break', async () => {
  const hard = '<w:r><w:br w:type="page"/></w:r>'
  const rendered = '<w:r><w:lastRenderedPageBreak/></w:r>'
  const top = '<w:pPr><w:pageBreakBefore/></w:pPr>'
  const section = (kind: string): string => `<w:pPr><w:sectPr><w:type w:val="${kind}"/></w:sectPr></w:pPr>`
  const pages = await readBoth(
    `<w:p>${top}${run('First, ')}${run('which goes')}${rendered}${run(' on overleaf.')}</w:p>` +
      `<w:p>${hard}</w:p><w:p>${rendered}${run('Third.')}</w:p>` +
      `<w:p>${hard}</w:p><w:p>${top}${rendered}${run('Fourth.')}</w:p>` +
      `<w:p>${section('continuous')}${run('Still fourth.')}</w:p><w:p>${section('oddPage')}${run('Its end.')}</w:p><w:p>${run('Fifth.')}</w:p>` +
      `<w:p>${hard}${hard}${run('Seventh.')}</w:p>`,
  )
  expect(pages.map(({ text }) => text)).toEqual([
    'First, which goes',
    'on overleaf.',
    'Third.',
    'Fourth.\n\nStill fourth.\n\nIts end.',
    'Fifth.',
    '',
    'Seventh.',
  ])
  expect(pages.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7])
})

test('keeps a table row that continues on the next page whole, on its first page', async () => {
  const broken = (before: string, after: string): string =>
    `<w:tc><w:p>${run(before)}<w:r><w:lastRenderedPageBreak/></w:r>${run(after)}</w:p></w:tc>`
  const row = (...cells: string[]): string => `<w:tr>${cells.join('')}</w:tr>`
  const pages = await readBoth(
    `<w:tbl>${row(broken('a', 'b'), broken('c', 'd'))}${row(broken('', 'e'), broken('', 'f'))}</w:tbl>${docxParagraph('After.')}`,
  )
  expect(pages.map(({ text }) => text)).toEqual(['ab | cd', '', 'e | f\n\nAfter.'])
})

test('refuses more page breaks than the limit of pages', async () => {
  const body = `<w:p>${'<w:r><w:br w:type="page"/></w:r>'.repeat(20)}</w:p>`
  await expect(parseBytes(rawDocx(body), 'a.docx', { limits: { ...DEFAULT_LIMITS, pages: 10 } })).rejects.toMatchObject({
    code: errorCode('too_many_pages'),
  })
})

test('reads a text box once, whether the file has one copy of it or two', async () => {
  const box = (text: string): string => `<w:txbxContent>${docxParagraph(text)}</w:txbxContent>`
  const pages = await readBoth(
    `<w:p>${run('Before.')}<w:r><mc:AlternateContent xmlns:mc="m"><mc:Choice Requires="wps"><w:drawing>${box('In the box.')}</w:drawing></mc:Choice><mc:Fallback><w:pict>${box('In the box.')}</w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>` +
      `<w:p><w:r><mc:AlternateContent xmlns:mc="m"><mc:Choice Requires="w16se"><sym/></mc:Choice><mc:Fallback><w:t>☺</w:t></mc:Fallback></mc:AlternateContent></w:r></w:p>` +
      `<w:p><w:r><w:pict>${box('An old box.')}</w:pict></w:r></w:p>`,
  )
  expect(blocksOf(pages[0]).map(([, text]) => text)).toEqual(['Before.', 'In the box.', '☺', 'An old box.'])
})

test('reads an equation on one line', async () => {
  const part = (name: string, text: string): string => `<m:${name}><m:r><m:t>${text}</m:t></m:r></m:${name}>`
  const pages = await readBoth(
    `<w:p>${run('Thus ')}<m:oMath xmlns:m="m"><m:f>${part('num', 'a')}${part('den', 'b')}</m:f><m:sSup>${part('e', '=c')}${part('sup', '2')}${part('constructor', '')}</m:sSup></m:oMath>${run(' holds.')}</w:p>`,
  )
  expect(pages[0]?.text).toBe('Thus a/b=c^2 holds.')
})

test('puts the notes at the end, with the numbers of their references', async () => {
  const note = (id: number, text: string): string => `<w:footnote w:id="${id}">${docxParagraph(text)}</w:footnote>`
  const reference = (id: number): string => `<w:r><w:footnoteReference w:id="${id}"/></w:r>`
  const notes = `<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${note(2, 'The first.')}${note(5, 'The second.')}</w:footnotes>`
  const pages = await readBoth(`<w:p>${run('One')}${reference(2)}${run(' two')}${reference(5)}${run('.')}</w:p>`, [
    { name: 'word/footnotes.xml', data: notes },
  ])
  expect(pages[0]?.text.split(/\n+/)).toEqual(['One[1] two[2].', '[1] The first.', '[2] The second.'])
})

test('finds the main part by the relationships of the package', async () => {
  const docx = rawDocx(docxParagraph('Decoy.'), {
    extra: [
      {
        name: 'word/document2.xml',
        data: `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${docxParagraph('Here.')}</w:body></w:document>`,
      },
    ],
    main: 'word/document2.xml',
  })
  expect((await parseBytes(docx, 'a.docx')).pages[0]?.text).toBe('Here.')
})

const NAMESPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
const styled = (style: string, text: string, more = ''): string =>
  `<w:p><w:pPr><w:pStyle w:val="${style}"/>${more}</w:pPr>${run(text)}</w:p>`
const style = (id: string, name: string, more = ''): string =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${more}</w:style>`
const outline = (level: number): string => `<w:outlineLvl w:val="${level}"/>`
const numbering = (id: number, level = 0): string => `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${id}"/></w:numPr>`

test('recognizes headings and lists by their style, its ancestors, and the paragraph itself', async () => {
  const styles = `<w:styles ${NAMESPACE}>${[
    style('A', 'heading 2'),
    style('B', 'Chapter', '<w:basedOn w:val="A"/>'),
    style('C', 'TOC Heading', `<w:basedOn w:val="A"/><w:pPr>${outline(9)}</w:pPr>`),
    style('D', 'Clause', `<w:pPr>${outline(2)}</w:pPr>`),
    style('E', 'heading 8'),
    style('F', 'List Bullet', `<w:pPr>${numbering(1)}</w:pPr>`),
    style('G', 'In a circle', '<w:basedOn w:val="H"/>'),
    style('H', 'In a circle too', '<w:basedOn w:val="G"/>'),
  ].join('')}</w:styles>`
  const lists = `<w:numbering ${NAMESPACE}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`
  const pages = await readBoth(
    [
      styled('A', 'named'),
      styled('B', 'based'),
      styled('C', 'body text'),
      styled('D', 'outlined'),
      styled('E', 'deep'),
      styled('Heading1', 'built in'),
      styled('F', 'item'),
      styled('F', 'no item', numbering(0)),
      styled('G', 'round', outline(0)),
    ].join(''),
    [
      { name: 'word/styles.xml', data: styles },
      { name: 'word/numbering.xml', data: lists },
    ],
  )
  expect(blocksOf(pages[0])).toEqual([
    ['heading2', 'named'],
    ['heading2', 'based'],
    ['paragraph', 'body text'],
    ['heading3', 'outlined'],
    ['heading6', 'deep'],
    ['heading1', 'built in'],
    ['list_item', 'item'],
    ['paragraph', 'no item'],
    ['heading1', 'round'],
  ])
})

test('reads the result of a field, the base of a ruby, and special hyphens', async () => {
  const ruby = `<w:r><w:ruby><w:rubyPr/><w:rt>${run('かん')}</w:rt><w:rubyBase>${run('漢')}</w:rubyBase></w:ruby></w:r>`
  const pages = await readBoth(
    `<w:p><w:fldSimple w:instr="DOCPROPERTY x">${run('Total: 7')}</w:fldSimple>${run(', ')}${ruby}${run('字, well')}<w:r><w:noBreakHyphen/></w:r>${run('known foot')}<w:r><w:softHyphen/></w:r>${run('notes')}</w:p>`,
  )
  expect(pages[0]?.text).toBe('Total: 7, 漢字, well-known footnotes')
})

test('reads tables within cells, merged cells and lists in cells as part of their row', async () => {
  const cell = (content: string, properties = ''): string => `<w:tc><w:tcPr>${properties}</w:tcPr>${content}</w:tc>`
  const row = (...cells: string[]): string => `<w:tr>${cells.join('')}</w:tr>`
  const inner = `<w:tbl>${row(cell(docxParagraph('i1')), cell(docxParagraph('i2')))}</w:tbl>`
  const pages = await readBoth(
    `<w:tbl>${row(cell(docxParagraph('wide') + inner + docxParagraph('end'), '<w:gridSpan w:val="2"/>'), cell(`<w:p><w:pPr>${numbering(1)}</w:pPr>${run('item')}</w:p>`))}</w:tbl>${docxParagraph('After.')}`,
  )
  expect(blocksOf(pages[0])).toEqual([
    ['table_row', 'wide i1 i2 end | item'],
    ['paragraph', 'After.'],
  ])
})

test('reads a body in UTF-16', async () => {
  const document = `<?xml version="1.0" encoding="UTF-16"?><w:document ${NAMESPACE}><w:body>${docxParagraph('Grüße')}</w:body></w:document>`
  const docx = rawDocx('', {
    extra: [{ name: 'word/document2.xml', data: Buffer.from(`\uFEFF${document}`, 'utf16le') }],
    main: 'word/document2.xml',
  })
  expect((await parseBytes(docx, 'a.docx')).pages[0]?.text).toBe('Grüße')
})

test('adds headers and footers once, at the end', async () => {
  const header = `<w:hdr xmlns:w="w">${docxParagraph('Strictly confidential')}</w:hdr>`
  const extra = [
    { name: 'word/header1.xml', data: header },
    { name: 'word/header2.xml', data: header },
  ]
  const { pages } = await parseBytes(rawDocx(docxParagraph('Body.'), { extra }), 'a.docx')
  expect(pages[0]?.text).toBe('Body.\n\nStrictly confidential')
})

test('reads or refuses tables nested thousands deep, without a crash', async () => {
  const shallow = await parseBytes(nestedTablesDocx(300), 'a.docx')
  expect(shallow.pages[0]?.text).toContain('core')
  await expect(parseBytes(nestedTablesDocx(3_000), 'a.docx')).rejects.toMatchObject({ code: errorCode('corrupt') })
})

test.each([
  ['more XML than the limit', () => textDocx(70), errorCode('too_much_xml')],
  ['more text than the limit', () => textDocx(25), errorCode('too_much_text')],
  ['a document type', () => rawDocx(docxParagraph('&a;'), { prolog: '<!DOCTYPE d [<!ENTITY a "aaaa">]>' }), errorCode('corrupt')],
  [
    'more entries than the limit',
    () =>
      rawDocx(docxParagraph('x'), {
        extra: Array.from({ length: 5_100 }, (_, i) => ({ name: `word/media/${i}.png`, data: '' })),
      }),
    errorCode('too_many_entries'),
  ],
] as const)('a DOCX with %s is refused', async (_what, make, code) => {
  await expect(parseBytes(make(), 'a.docx', { limits: DEFAULT_LIMITS })).rejects.toMatchObject({ code: errorCode(code) })
})

test('refuses too much XML with the amount and the limit', async () => {
  await expect(parseBytes(textDocx(70), 'a.docx', { limits: DEFAULT_LIMITS })).rejects.toThrow(
    / 7\d{7} bytes .*limit of 64000000/,
  )
})

test.each([-1, 1])('reads an archive whose comment is %i bytes longer than it says', async (difference) => {
  const docx = await makeDocx(PARTS)
  const comment = Buffer.from('A comment')
  docx.writeUInt16LE(comment.length - difference, docx.length - 2)
  const { pages } = await parseBytes(Buffer.concat([docx, comment]), 'a.docx')
  expect(pages[0]?.text).toContain('Welcome to the house.')
})

test('refuses a truncated archive as corrupt', async () => {
  const docx = await makeDocx(PARTS)
  await expect(parseBytes(docx.subarray(0, docx.length - 300), 'a.docx')).rejects.toMatchObject({
    code: expect.stringMatching(/corrupt|unsupported_type/),
  })
})
