import { makeEpub } from '../support/make-epub.ts'
import { makeZip } from '../support/make-zip.ts'
import { parserConformance } from './parser.ts'

const container = { name: 'META-INF/container.xml', data: '<c><rootfile full-path="a.opf"/></c>' }

parserConformance('epub', async () => ({
  bytes: makeEpub(
    [
      ['one.xhtml', '<p>The gatekeeper keeps the lantern.</p><ul><li>by night</li></ul>'],
      [
        'two three.xhtml',
        '<h1>The ferry</h1><p>It leaves at noon.</p><table><tr><th>Day</th></tr><tr><td>Monday</td></tr></table>',
      ],
    ],
    { toc: [['text/one.xhtml', 'The gate']] },
  ),
  fileName: 'harbour.epub',
  mediaType: 'application/epub+zip',
  expected: {
    engine: 'epub',
    title: 'The harbour',
    pageCount: 2,
    texts: ['The gate', 'The gatekeeper', 'by night', 'The ferry', 'It leaves', 'Day', 'Monday'],
    kinds: ['heading', 'paragraph', 'list_item', 'table_row'],
  },
  broken: {
    'no package document': makeZip([{ name: 'mimetype', data: 'application/epub+zip' }, container]),
    'no container': makeZip([{ name: 'mimetype', data: 'application/epub+zip' }]),
    'no chapters': makeEpub([]),
    'a chapter that is no HTML': makeEpub([['one.xhtml', '\u0001<<</p><![CDATA[']]),
    'entities in the package document': makeZip([
      container,
      { name: 'a.opf', data: '<!DOCTYPE p [<!ENTITY a "aaaa"><!ENTITY b SYSTEM "file:///etc/passwd">]><p>&a;&b;</p>' },
    ]),
    'twenty thousand open elements': makeEpub([['one.xhtml', '<div><table><tr><td>'.repeat(5_000)]]),
  },
}))
