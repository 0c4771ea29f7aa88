import { makeOdf, odfCell, odfRow } from '../support/make-odf.ts'
import { makeZip } from '../support/make-zip.ts'
import { parserConformance } from './parser.ts'

const table = (name: string, rows: readonly string[]): string =>
  `<table:table table:name="${name}">${rows.join('')}</table:table>`
const BREAK =
  '<style:style style:name="B" style:family="paragraph"><style:paragraph-properties fo:break-before="page"/></style:style>'
const TEXT = [
  '<text:h text:outline-level="1">The lease</text:h><text:p>It begins on<text:s text:c="3"/>the first of May.</text:p>',
  '<text:list><text:list-item><text:p>by transfer</text:p></text:list-item></text:list>',
  table('T', [`<table:table-header-rows>${odfRow(['Month', 'Rent'])}</table:table-header-rows>`, odfRow(['May', '900'])]),
  '<text:p text:style-name="B">Overleaf.</text:p>',
].join('')
const ENTITY = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>'
const deep = (name: string, depth: number): string => `<${name}>`.repeat(depth) + `</${name}>`.repeat(depth)

parserConformance('odt', async () => ({
  bytes: makeOdf('text', TEXT, { styles: BREAK }),
  fileName: 'lease.odt',
  mediaType: 'application/vnd.oasis.opendocument.text',
  expected: {
    engine: 'odf',
    title: 'Harbour rules',
    pageCount: 2,
    texts: ['The lease', 'It begins on the first of May.', 'by transfer', 'Month | Rent', 'May | 900', 'Overleaf.'],
    kinds: ['heading', 'paragraph', 'list_item', 'table_row'],
  },
  broken: {
    'no content': makeZip([{ name: 'mimetype', data: 'application/vnd.oasis.opendocument.text' }]),
    'elements nested deeply': makeOdf('text', deep('text:list', 1_900) + deep('table:table', 1_900)),
    'notes within notes': makeOdf('text', deep('text:note', 500) + deep('text:p', 500)),
    'an external entity': makeZip([
      { name: 'mimetype', data: 'application/vnd.oasis.opendocument.text' },
      { name: 'content.xml', data: ENTITY },
    ]),
    'a password': makeOdf('text', TEXT, { manifest: '<encryption-data/>' }),
  },
}))

parserConformance('ods', async () => ({
  bytes: makeOdf(
    'spreadsheet',
    table('Costs', [odfRow(['Month', 'Rent']), odfRow(['May', odfCell('900,00 €', 'office:value-type="currency"')])]) +
      table('Notes', [odfRow(['Paid by transfer.'])]),
  ),
  fileName: 'costs.ods',
  mediaType: 'application/vnd.oasis.opendocument.spreadsheet',
  expected: {
    engine: 'odf',
    title: 'Harbour rules',
    pageCount: 2,
    texts: ['Costs', 'Month | Rent', 'May | 900,00 €', 'Notes', 'Paid by transfer.'],
    kinds: ['heading', 'table_row'],
  },
  broken: {
    'counts without sense': makeOdf(
      'spreadsheet',
      table('A', [odfRow([odfCell('x', 'table:number-columns-repeated="-7"')], 'table:number-rows-repeated="99999999999"')]),
    ),
    'tables within tables': makeOdf('spreadsheet', deep('table:table', 1_500)),
    'cells outside of tables': makeOdf('spreadsheet', odfRow(['x'])),
  },
}))

parserConformance('odp', async () => ({
  bytes: makeOdf(
    'presentation',
    '<draw:page><draw:frame presentation:class="title"><text:p>The lease</text:p></draw:frame></draw:page>' +
      '<draw:page><draw:frame><draw:text-box><text:p>It begins in May.</text:p></draw:text-box></draw:frame>' +
      '<presentation:notes><draw:frame presentation:class="notes"><text:p>Say why.</text:p></draw:frame></presentation:notes></draw:page>',
  ),
  fileName: 'lease.odp',
  mediaType: 'application/vnd.oasis.opendocument.presentation',
  expected: {
    engine: 'odf',
    title: 'Harbour rules',
    pageCount: 2,
    texts: ['The lease', 'It begins in May.', 'Notes', 'Say why.'],
    kinds: ['heading', 'paragraph'],
  },
  broken: { 'slides within slides': makeOdf('presentation', deep('draw:page', 900)) },
}))
