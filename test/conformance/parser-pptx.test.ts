import { makePptx, tableShape, textShape } from '../support/make-pptx.ts'
import { makeZip } from '../support/make-zip.ts'
import { parserConformance } from './parser.ts'

const SLIDES = [
  { shapes: textShape('The lease', 'ctrTitle') + textShape('It begins on the first of May.', 'subTitle'), notes: 'Say why.' },
  {
    shapes:
      textShape('by transfer\n standing order', 'body') +
      textShape('Rent', 'title') +
      tableShape([
        ['Month', 'Rent'],
        ['May', '900'],
      ]),
  },
]
const bytes = makePptx(SLIDES)
const deep = (name: string, depth: number): string => `<p:${name}>`.repeat(depth) + `</p:${name}>`.repeat(depth)

parserConformance('pptx', async () => ({
  bytes,
  fileName: 'lease.pptx',
  mediaType: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  expected: {
    engine: 'pptx',
    title: 'The lease',
    pageCount: 2,
    texts: ['The lease', 'It begins', 'Notes', 'Say why.', 'Rent', 'by transfer', 'standing order', 'Month | Rent', 'May | 900'],
    kinds: ['heading', 'paragraph', 'list_item', 'table_row'],
  },
  broken: {
    'no slides': makePptx([]),
    'no main part': makeZip([{ name: 'ppt/slides/slide1.xml', data: '<p:sld/>' }]),
    'a slide that is no XML': makePptx([{ shapes: '</p:sp><<' }]),
    'groups within groups': makePptx([{ shapes: deep('grpSp', 3_000) }]),
    'shapes within shapes': makePptx([{ shapes: deep('sp', 1_500) }]),
    'elements out of place': makePptx([{ shapes: '<a:tc><a:tr><a:tbl><a:t>x</a:t></a:tbl></a:tr></a:tc><a:t>y</a:t><a:pPr/>' }]),
    'an external entity': makePptx(
      [],
      [{ name: 'ppt/presentation.xml', data: '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>' }],
    ),
  },
}))
