import { expect, test } from 'vitest'
import { DEFAULT_LIMITS } from '../../../../src/config/config.ts'
import { errorCode } from '../../../support/codes.ts'
import { makeOdf, odfCell, odfRow } from '../../../support/make-odf.ts'
import { makeZip } from '../../../support/make-zip.ts'
import { blocksOf, parseBytes } from '../../../support/parse-file.ts'

type Options = Parameters<typeof makeOdf>[2]
const read = (kind: Parameters<typeof makeOdf>[0], content: string, options?: Options) =>
  parseBytes(makeOdf(kind, content, options), `a.${kind}`)

test('skips deleted text, and puts notes and comments after the text', async () => {
  const content = [
    '<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion></text:changed-region></text:tracked-changes>',
    '<text:p>Rent<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>In cash.</text:p></text:note-body></text:note>',
    ' is due<office:annotation><dc:creator xmlns:dc="d">Bo</dc:creator><text:p>When?</text:p></office:annotation>.</text:p>',
    '<text:p><draw:frame><svg:desc>A pier in fog</svg:desc></draw:frame></text:p>',
    '<text:section text:display="none"><text:p>not shown</text:p></text:section>',
  ]
  const { pages } = await read('text', content.join(''))
  expect(blocksOf(pages[0])).toEqual([
    ['paragraph', 'Rent[1] is due.'],
    ['paragraph', 'A pier in fog'],
    ['list_item', '[1] In cash.'],
    ['paragraph', 'When?'],
  ])
})

test('breaks pages where the author or the program did, and reads headers once', async () => {
  const styles =
    '<style:style style:name="B" style:family="paragraph"><style:paragraph-properties fo:break-before="page"/></style:style>' +
    '<style:style style:name="T" style:family="paragraph" style:parent-style-name="Title"/>'
  const master =
    '<s xmlns:style="s" xmlns:text="t"><style:header><text:p>Harbour office</text:p></style:header><style:footer><text:p>Harbour office</text:p></style:footer></s>'
  const content =
    '<text:p text:style-name="T">Rules</text:p><text:p>one <text:soft-page-break/>two</text:p><text:soft-page-break/><text:p text:style-name="B">three</text:p>'
  const { pages } = await read('text', content, { styles, extra: [{ name: 'styles.xml', data: master }] })
  expect(pages.map((page) => blocksOf(page))).toEqual([
    [
      ['heading1', 'Rules'],
      ['paragraph', 'one'],
    ],
    [['paragraph', 'two']],
    [
      ['paragraph', 'three'],
      ['paragraph', 'Harbour office'],
    ],
  ])
})

test('a spreadsheet has its cells as shown, repeated cells, hidden sheets, comments, and no empty rows', async () => {
  const styles = '<style:style style:name="H" style:family="table"><style:table-properties table:display="false"/></style:style>'
  const rows = [
    odfRow(['Town', 'Rent']),
    odfRow([odfCell('Kiel', 'table:number-rows-spanned="2"'), odfCell('5', 'office:value-type="float"')]),
    odfRow(['<table:covered-table-cell/>', odfCell('6', 'office:value-type="float"')]),
    odfRow(['<table:table-cell table:number-columns-repeated="16384"/>'], 'table:number-rows-repeated="1048000"'),
    odfRow([odfCell('7', 'office:value-type="float" table:number-columns-repeated="2"')]),
    odfRow([
      '<table:table-cell><office:annotation><text:p>Why?</text:p></office:annotation><text:p>end</text:p></table:table-cell>',
    ]),
  ]
  const { pages } = await read(
    'spreadsheet',
    `<table:table table:name="Rents" table:style-name="H">${rows.join('')}</table:table>`,
    { styles },
  )
  expect(blocksOf(pages[0])).toEqual([
    ['heading1', 'Rents (hidden)'],
    ['table_row', 'Town | Rent'],
    ['table_row', 'Kiel | 5'],
    ['table_row', 'Kiel | 6'],
    ['table_row', '7 | 7'],
    ['table_row', 'end'],
    ['heading2', 'Comments'],
    ['paragraph', 'A1048005: Why?'],
  ])
  expect(pages[0]!.blocks[4]!.row).toBe(1_048_004)
})

test('a presentation says which slides are hidden, and skips what repeats on each', async () => {
  const styles =
    '<style:style style:name="H" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
  const frame = (kind: string, text: string): string =>
    `<draw:frame presentation:class="${kind}"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`
  const content = `<draw:page draw:style-name="H">${frame('title', 'Costs')}${frame('footer', 'Pier')}<presentation:notes>${frame('page-number', '1')}</presentation:notes></draw:page>`
  const { pages } = await read('presentation', content, { styles })
  expect(blocksOf(pages[0])).toEqual([
    ['heading1', 'Slide (hidden)'],
    ['heading2', 'Costs'],
  ])
})

test('refuses a file with a password, and one with too many cells in few bytes', async () => {
  await expect(read('text', '', { manifest: '<file-entry><encryption-data/></file-entry>' })).rejects.toMatchObject({
    code: 'encrypted',
  })
  const rows = odfRow([odfCell('x', 'table:number-columns-repeated="16384"')], 'table:number-rows-repeated="1048576"').repeat(50)
  const { warnings } = await read('spreadsheet', `<table:table table:name="A">${rows}</table:table>`)
  expect(warnings).toMatchObject([{ code: 'cells_skipped' }])
  const long = odfRow([odfCell('word '.repeat(10_000), 'table:number-columns-repeated="999"')])
  await expect(read('spreadsheet', `<table:table table:name="A">${long}</table:table>`)).rejects.toMatchObject({
    code: errorCode('too_much_text'),
  })
})

test('reads a sheet with thousands of rows whose only cell is far right, and one with thousands of merged cells in two rows', async () => {
  const sheet = (rows: string) => `<table:table table:name="A">${rows}</table:table>`
  const wide = odfCell('x', 'table:number-columns-repeated="1000"').repeat(300)
  const far = odfRow(
    ['<table:table-cell table:number-columns-repeated="299000"/>', odfCell('y')],
    'table:number-rows-repeated="1000"',
  )
  const { pages } = await read('spreadsheet', sheet(odfRow([wide]) + far.repeat(190)))
  expect(pages[0]!.text).toMatch(/^A\n\nx \| x/)
  expect(pages[0]!.text.match(/^y$/gm)).toHaveLength(190_000)

  const merged = odfCell('x', 'table:number-rows-spanned="2"').repeat(20_000)
  const more = odfCell('z', 'table:number-columns-repeated="1000"').repeat(200)
  const rows = odfRow([merged + more]) + odfRow([`${'<table:covered-table-cell/>'.repeat(20_000)}${more}`])
  const read2 = await read('spreadsheet', sheet(rows))
  expect(read2.pages[0]!.text.match(/x/g)).toHaveLength(40_000)
})

test('reads a flat file, without the headers of its master pages in the text', async () => {
  const root = (kind: string, rest: string): string =>
    `<?xml version="1.0"?><office:document xmlns:office="o" xmlns:dc="d" xmlns:style="s" xmlns:text="t" xmlns:table="ta" xmlns:fo="f" office:mimetype="application/vnd.oasis.opendocument.${kind}"><office:meta><dc:title>Harbour rules</dc:title></office:meta>${rest}</office:document>`
  const styles =
    '<office:automatic-styles><style:style style:name="B" style:family="paragraph"><style:paragraph-properties fo:break-before="page"/></style:style></office:automatic-styles>' +
    '<office:master-styles><style:master-page><style:header><text:p>Harbour office</text:p></style:header></style:master-page></office:master-styles>'
  const text =
    '<office:body><office:text><text:p>one</text:p><text:p text:style-name="B">two</text:p></office:text></office:body>'
  const odt = await parseBytes(root('text', styles + text), 'a.fodt')
  expect(odt.title).toBe('Harbour rules')
  expect(odt.pages.map(({ text }) => text)).toEqual(['one', 'two\n\nHarbour office'])

  const sheet = `<office:body><office:spreadsheet><table:table table:name="Rents">${odfRow(['Town', 'Rent'])}</table:table></office:spreadsheet></office:body>`
  expect((await parseBytes(root('spreadsheet', sheet), 'a.fods')).pages[0]!.text).toBe('Rents\n\nTown | Rent')
  await expect(
    parseBytes(root('text', text.repeat(100)), 'a.fodt', { limits: { ...DEFAULT_LIMITS, xmlBytes: 5_000 } }),
  ).rejects.toMatchObject({ code: errorCode('too_much_xml') })
})

test('numbers the items of lists and the headings as the program shows them', async () => {
  const level = (element: string, number: number, rest: string) =>
    `<text:${element} text:level="${number}" style:num-format="1" ${rest}/>`
  const styles =
    `<text:list-style style:name="L">${level('list-level-style-number', 1, 'style:num-suffix="."')}` +
    '<text:list-level-style-number text:level="2" style:num-format="a" style:num-prefix="(" style:num-suffix=")"/></text:list-style>' +
    '<text:list-style style:name="B"><text:list-level-style-bullet text:level="1"/></text:list-style>' +
    `<text:list-style style:name="S">${level('list-level-style-number', 1, 'style:num-suffix="." text:start-value="5"')}</text:list-style>` +
    `<text:outline-style>${level('outline-level-style', 1, '')}${level('outline-level-style', 2, 'text:display-levels="2"')}</text:outline-style>`
  const item = (text: string, attributes = '') => `<text:list-item ${attributes}><text:p>${text}</text:p></text:list-item>`
  const list = (style: string, content: string, attributes = '') =>
    `<text:list text:style-name="${style}" ${attributes}>${content}</text:list>`
  const content = [
    '<text:h text:outline-level="1">Rent</text:h>',
    '<text:h text:outline-level="2">Due</text:h>',
    list(
      'L',
      `${item('Pay')}<text:list-item><text:p>Keep</text:p><text:p>more</text:p><text:list>${item('quiet')}${item('clean')}</text:list></text:list-item><text:list-header><text:p>by the way</text:p></text:list-header>${item('')}${item('Leave')}`,
      'xml:id="one"',
    ),
    list('B', item('a bullet')),
    list('S', item('five') + item('nine', 'text:start-value="9"')),
    list('L', item('goes on'), 'text:continue-list="one"'),
    list('L', item('anew')),
    '<text:h text:outline-level="2">Late</text:h>',
    '<text:h text:outline-level="1" text:is-list-header="true">No number</text:h>',
    '<text:h text:outline-level="1">Deposit</text:h>',
    '<text:h text:outline-level="2">Back</text:h>',
  ]
  const { pages } = await read('text', content.join(''), { styles })
  expect(blocksOf(pages[0]).map(([, text]) => text)).toEqual([
    '1 Rent',
    '1.1 Due',
    '1. Pay',
    '2. Keep',
    'more',
    '(a) quiet',
    '(b) clean',
    'by the way',
    '4. Leave',
    'a bullet',
    '5. five',
    '9. nine',
    '5. goes on',
    '1. anew',
    '1.2 Late',
    'No number',
    '2 Deposit',
    '2.1 Back',
  ])
})

test('reads an archive whose file names begin with a slash', async () => {
  const files = ['content.xml', 'meta.xml', 'META-INF/manifest.xml'].map((name) => ({ name: `/${name}`, data: '<a/>' }))
  const [first, ...rest] = files
  const content =
    '<office:body xmlns:office="o" xmlns:text="t"><office:text><text:p>At nine.</text:p></office:text></office:body>'
  const odt = makeZip([
    { name: 'mimetype', data: 'application/vnd.oasis.opendocument.text' },
    { ...first!, data: content },
    ...rest,
  ])
  expect((await parseBytes(odt, 'slash.odt')).pages[0]!.text).toBe('At nine.')
})

test('the placeholder for a slide number is not text', async () => {
  const notes = (number: string) =>
    `<presentation:notes><draw:frame><text:p>Say why. <text:page-number>${number}</text:page-number></text:p></draw:frame></presentation:notes>`
  const slides = ['&lt;Foliennummer&gt;', '7'].map(
    (number) => `<draw:page><draw:frame><text:p>Rent</text:p></draw:frame>${notes(number)}</draw:page>`,
  )
  const { pages } = await parseBytes(makeOdf('presentation', slides.join('')), 'a.odp')
  expect(pages.map(({ text }) => text.split('\n').at(-1))).toEqual(['Say why.', 'Say why. 7'])
})
