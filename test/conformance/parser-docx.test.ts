import { docxParagraph, nestedTablesDocx, rawDocx } from '../support/make-bombs.ts'
import { makeZip } from '../support/make-zip.ts'
import { parserConformance, type ParserUnderTest } from './parser.ts'

const NAMESPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
const STYLES = `<w:styles ${NAMESPACE}><w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style></w:styles>`
const NUMBERING = `<w:numbering ${NAMESPACE}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`
const row = (cells: readonly string[], properties = ''): string =>
  `<w:tr>${properties}${cells.map((cell) => `<w:tc>${docxParagraph(cell)}</w:tc>`).join('')}</w:tr>`
const BODY = [
  '<w:p><w:pPr><w:pStyle w:val="H1"/></w:pPr><w:r><w:t>The lease</w:t></w:r></w:p>',
  docxParagraph('It begins on the first of May.'),
  '<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>by transfer</w:t></w:r></w:p>',
  `<w:tbl>${row(['Month', 'Rent'], '<w:trPr><w:tblHeader/></w:trPr>')}${row(['May', '900'])}</w:tbl>`,
  '<w:p><w:r><w:br w:type="page"/><w:t>Overleaf.</w:t></w:r></w:p>',
].join('')
/** More XML than mammoth gets, without text. */
const FILLER = '<w:p><w:pPr><w:rPr><w:sz w:val="22"/></w:rPr></w:pPr></w:p>'.repeat(60_000)
const extra = [
  { name: 'word/styles.xml', data: STYLES },
  { name: 'word/numbering.xml', data: NUMBERING },
  {
    name: 'word/comments.xml',
    data: `<w:comments ${NAMESPACE}><w:comment w:id="0">${docxParagraph('Agreed?')}</w:comment></w:comments>`,
  },
]

const under = (engine: string, body: string): ParserUnderTest => ({
  bytes: rawDocx(body, { extra }),
  fileName: 'lease.docx',
  mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  expected: {
    engine,
    title: 'The lease',
    pageCount: 2,
    texts: ['The lease', 'It begins', 'by transfer', 'Month | Rent', 'May | 900', 'Overleaf.', 'Agreed?'],
    kinds: ['heading', 'paragraph', 'list_item', 'table_row'],
  },
  broken: {
    'a part cut short': rawDocx(`${body.slice(0, -40)}<w:p`, { extra }),
    'no main part': makeZip(extra),
    'an empty main part': makeZip([{ name: 'word/document.xml', data: '' }]),
    'a main part that is no XML': makeZip([{ name: 'word/document.xml', data: Buffer.from([0xff, 0xfe, 0, 1, 2, 3]) }]),
    'a header that is no XML': rawDocx(body, { extra: [...extra, { name: 'word/header1.xml', data: '<w:hdr' }] }),
    'tables within tables': nestedTablesDocx(1_500),
    'elements closed in the wrong order': rawDocx('<w:tbl><w:tr><w:p></w:tr></w:tbl></w:p>'),
    'elements out of place': rawDocx('<w:tc><w:tr><w:tbl><w:t>x</w:t></w:tbl></w:tr></w:tc><w:t>y</w:t><w:pPr/>'),
  },
})

parserConformance('docx by mammoth', async () => under('mammoth', BODY))
parserConformance('docx by the stream', async () => under('stream', BODY + FILLER))
