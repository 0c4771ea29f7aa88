import { expect, test } from 'vitest'
import { DEFAULT_LIMITS } from '../../../../src/config/config.ts'
import { errorCode } from '../../../support/codes.ts'
import { makePptx, relationships, RELATIONSHIPS, tableShape, textShape } from '../../../support/make-pptx.ts'
import { makeZip } from '../../../support/make-zip.ts'
import { blocksOf, parseBytes } from '../../../support/parse-file.ts'

const read = (bytes: Buffer, limits = DEFAULT_LIMITS) => parseBytes(bytes, 'talk.pptx', { limits })
const slide = async (shapes: string) => blocksOf((await read(makePptx([{ shapes }]))).pages[0])

test('reads hidden slides and says so', async () => {
  const { pages } = await read(
    makePptx([
      { shapes: textShape('Costs', 'title'), isHidden: true },
      { shapes: textShape('12 percent, mind you, of it all.'), isHidden: true },
    ]),
  )
  expect(blocksOf(pages[0])).toEqual([['heading1', 'Costs (hidden)']])
  expect(blocksOf(pages[1])).toEqual([
    ['heading1', 'Slide (hidden)'],
    ['paragraph', '12 percent, mind you, of it all.'],
  ])
})

test('reads groups and one of two alternatives, and skips numbers, dates and footers', async () => {
  const shapes = [
    textShape('Plan', 'title'),
    `<p:grpSp><p:grpSp>${textShape('In two groups.')}</p:grpSp></p:grpSp>`,
    `<mc:AlternateContent xmlns:mc="m"><mc:Choice>${textShape('New.')}</mc:Choice><mc:Fallback>${textShape('Old.')}</mc:Fallback></mc:AlternateContent>`,
    ...['dt', 'ftr', 'sldNum'].map((type) => textShape('12', type)),
    '<p:sp><p:txBody><a:p><a:fld type="slidenum"><a:t>3</a:t></a:fld><a:r><a:t>of many</a:t></a:r></a:p></p:txBody></p:sp>',
    '<p:pic><p:nvPicPr><p:cNvPr id="1" name="x" descr="A pier in fog"/></p:nvPicPr></p:pic>',
    '<p:pic><p:nvPicPr><p:cNvPr id="1" name="x" descr="image1.png"/></p:nvPicPr></p:pic>',
  ]
  expect((await slide(shapes.join(''))).map(([, text]) => text)).toEqual([
    'Plan',
    'In two groups.',
    'New.',
    'of many',
    'A pier in fog',
  ])
})

test('takes a line of the first text as heading if a slide has no title', async () => {
  expect(await slide(textShape('Opening hours\nFrom nine to five.'))).toEqual([
    ['heading1', 'Opening hours'],
    ['paragraph', 'From nine to five.'],
  ])
  expect(await slide(textShape('We open at nine, and we close at five.'))).toEqual([
    ['paragraph', 'We open at nine, and we close at five.'],
  ])
})

test('keeps the columns of a table, also where cells are merged', async () => {
  const table = tableShape([
    ['Month', 'Rent', ''],
    ['May', '', '900'],
  ])
  expect(await slide(table)).toEqual([
    ['table_row', 'Month | Rent | '],
    ['table_row', 'May |  | 900'],
  ])
})

test('reads the titles and labels of charts, the texts of diagrams, and comments', async () => {
  const frame = (inner: string): string =>
    `<p:graphicFrame xmlns:c="c" xmlns:d="d"><a:graphic><a:graphicData>${inner}</a:graphicData></a:graphic></p:graphicFrame>`
  const text = (words: string): string => `<a:p><a:r><a:t>${words}</a:t></a:r></a:p>`
  const bytes = makePptx(
    [
      {
        shapes: frame('<c:chart r:id="rel1"/>') + frame('<d:relIds r:dm="rel2"/>'),
        related: [
          ['chart', '../charts/chart1.xml'],
          ['diagramData', '/ppt/diagrams/data1.xml'],
          ['comments', '../comments/comment1.xml'],
        ],
      },
    ],
    [
      {
        name: 'ppt/charts/chart1.xml',
        data: `<c:chartSpace xmlns:c="c" xmlns:a="a"><c:title>${text('Rents')}</c:title><c:ser><c:tx><c:strCache><c:pt><c:v>Berlin</c:v></c:pt></c:strCache></c:tx><c:val><c:numCache><c:v>17</c:v></c:numCache></c:val></c:ser></c:chartSpace>`,
      },
      { name: 'ppt/diagrams/data1.xml', data: `<d xmlns:a="a">${text('Ask')}${text('Wait')}</d>` },
      { name: 'ppt/comments/comment1.xml', data: '<p:cmLst xmlns:p="p"><p:cm><p:text>Too short?</p:text></p:cm></p:cmLst>' },
    ],
  )
  expect(blocksOf((await read(bytes)).pages[0])).toEqual([
    ['paragraph', 'Rents | Berlin'],
    ['list_item', 'Ask'],
    ['list_item', 'Wait'],
    ['heading2', 'Comments'],
    ['paragraph', 'Too short?'],
  ])
})

test('finds its parts wherever the relationships say, and a missing slide leaves an empty page', async () => {
  const bytes = makeZip([
    { name: '_rels/.rels', data: relationships([['officeDocument', '/deck/main.xml']]) },
    {
      name: '[Content_Types].xml',
      data: '<T><O ContentType="application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml"/></T>',
    },
    { name: 'deck/main.xml', data: `<m xmlns:r="${RELATIONSHIPS}"><sldId r:id="rel1"/><sldId r:id="rel2"/></m>` },
    {
      name: 'deck/_rels/main.xml.rels',
      data: relationships([
        ['slide', 'ONE.xml'],
        ['slide', 'gone.xml'],
      ]),
    },
    { name: 'deck/one.xml', data: `<sld xmlns:a="a">${textShape('Here', 'title').replaceAll('p:', '')}</sld>` },
  ])
  const { pages, mediaType } = await read(bytes)
  expect(pages.map(({ text }) => text)).toEqual(['Here', ''])
  expect(mediaType).toContain('presentationml')
})

test('refuses a presentation whose slide list repeats a large slide without end, and a bomb', async () => {
  const large = textShape('word '.repeat(200_000))
  const list = Array.from({ length: 200 }, () => `<p:sldId xmlns:p="p" xmlns:r="${RELATIONSHIPS}" r:id="rel1"/>`).join('')
  const bytes = makeZip([
    { name: 'ppt/presentation.xml', data: `<p>${list}</p>` },
    { name: 'ppt/_rels/presentation.xml.rels', data: relationships([['slide', 'slides/slide1.xml']]) },
    { name: 'ppt/slides/slide1.xml', data: `<p:sld xmlns:p="p" xmlns:a="a">${large}</p:sld>` },
  ])
  await expect(read(bytes, { ...DEFAULT_LIMITS, textBytes: 1e9 })).rejects.toMatchObject({ code: errorCode('too_much_xml') })
  await expect(read(makePptx([{ shapes: textShape('a'.repeat(70_000_000)) }]))).rejects.toMatchObject({
    code: errorCode('too_much_xml'),
  })
})
