import { docxParagraph, rawDocx } from './make-bombs.ts'
import { makeEpub } from './make-epub.ts'
import { makeMail, makeMbox, makeMsg } from './make-mail.ts'
import { makeOdf, odfCell, odfRow } from './make-odf.ts'
import { greyJpeg, greyPng, greyTiff } from './make-pictures.ts'
import { makePptx, tableShape, textShape } from './make-pptx.ts'
import { makeReport } from './make-report.ts'
import { makeScripts } from './make-scripts.ts'
import { makeXlsx, sheetRow } from './make-xlsx.ts'

const LEASE = [
  'The lease begins on the first of May and ends when one of the two gives notice in writing, three months beforehand.',
  'Rent is due on the third working day of a month. Whoever pays later owes interest from the day on which it was due.',
]

const MARKDOWN = `---
title: House rules
tags: [home, quiet hours]
---
# For everybody

${LEASE[0]}
It is kept by both.

## Quiet hours ##
- from ten in the evening
  until six
- from one to three
    1. on Sundays too

\`\`\`sh
ring --softly

ring --again
\`\`\`

| day | hours |
|-----|-------|
| Mon | 22–6  |

Later
-----
${LEASE[1]}

> As the neighbours said:
> > Quiet, please.

<div align="center"><h3>Kept by</h3><p>both of them</p></div>

<!-- to be signed -->
1. Sign:

    ~~~
    # name
      date
    ~~~
`

const HTML = `<!doctype html><html><head><title>Lease &amp; rent</title><style>p {color: red}</style></head><body>
<header role="banner">Logo</header><nav><a href="/">Home</a></nav>
<main><h1>The lease</h1><p>${LEASE[0]}</p>
<h2>Rent</h2><p>${LEASE[1]}<br>On a line of its own.</p>
<ul><li>by transfer<ul><li>standing order</li></ul></li><li>never in cash</li></ul>
<table><tr><th>Month</th><th>Rent</th></tr><tr><td>May</td><td>900 <b>euros</b></td></tr></table>
<pre>IBAN
  DE00</pre>
<table role="presentation"><tr><td><h2>Signed</h2><td>in two copies</table>
<template>not yet</template><noscript>Turn on scripts.</noscript><p style="display:none">draft</p></main>
<footer>Imprint</footer><script>track()</script></body></html>`

const TEXT = `THE LEASE\n\n${LEASE[0]}\n  (as amended)\n\n\n${LEASE[1]}\n\fSecond page.\n`

const run = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`
const styled = (style: string, text: string): string => `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr>${run(text)}</w:p>`
const item = (level: number, text: string): string =>
  `<w:p><w:pPr><w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="1"/></w:numPr></w:pPr>${run(text)}</w:p>`
const row = (cells: readonly string[], header = false): string =>
  `<w:tr>${header ? '<w:trPr><w:tblHeader/></w:trPr>' : ''}${cells.map((cell) => `<w:tc>${docxParagraph(cell)}</w:tc>`).join('')}</w:tr>`
const NAMESPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
const level = (number: number): string => `<w:lvl w:ilvl="${number}"><w:numFmt w:val="bullet"/></w:lvl>`

const DOCX = rawDocx(
  [
    styled('Heading1', 'The lease'),
    `<w:p>${run(LEASE[0]!)}<w:r><w:footnoteReference w:id="2"/></w:r></w:p>`,
    styled('Heading2', 'Rent'),
    `<w:p>${run('Rent is ')}<w:del><w:r><w:delText>800</w:delText></w:r></w:del><w:ins>${run('900')}</w:ins>${run(' euros, ')}<w:r><w:lastRenderedPageBreak/></w:r>${run('with heating.')}</w:p>`,
    item(0, 'by transfer'),
    item(1, 'standing order'),
    `<w:tbl>${row(['Month', 'Rent'], true)}${row(['May', '900'])}<w:tr><w:tc><w:tbl>${row(['In', 'a cell'])}</w:tbl><w:p/></w:tc><w:tc>${item(0, 'item')}</w:tc></w:tr></w:tbl>`,
    `<w:p>${run('Heated')}<w:r><w:endnoteReference w:id="3"/></w:r>${run('.')}</w:p>`,
    `<w:p><w:r><w:br w:type="page"/></w:r>${run(LEASE[1]!)}<w:r><w:pict><w:txbxContent>${docxParagraph('In a text box.')}</w:txbxContent></w:pict></w:r></w:p>`,
  ].join(''),
  {
    extra: [
      {
        name: 'word/styles.xml',
        data: `<w:styles ${NAMESPACE}><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style><w:style w:type="paragraph" w:styleId="Heading2"><w:name w:val="heading 2"/></w:style></w:styles>`,
      },
      {
        name: 'word/numbering.xml',
        data: `<w:numbering ${NAMESPACE}><w:abstractNum w:abstractNumId="0">${level(0)}${level(1)}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`,
      },
      {
        name: 'word/footnotes.xml',
        data: `<w:footnotes ${NAMESPACE}><w:footnote w:id="2">${docxParagraph('By registered letter.')}</w:footnote></w:footnotes>`,
      },
      {
        name: 'word/endnotes.xml',
        data: `<w:endnotes ${NAMESPACE}><w:endnote w:id="3">${docxParagraph('Since 2020.')}</w:endnote></w:endnotes>`,
      },
      { name: 'word/footer1.xml', data: `<w:ftr ${NAMESPACE}>${docxParagraph('Kept by both')}</w:ftr>` },
      { name: 'word/header1.xml', data: `<w:hdr ${NAMESPACE}>${docxParagraph('Lease of 1 May')}</w:hdr>` },
      {
        name: 'word/comments.xml',
        data: `<w:comments ${NAMESPACE}><w:comment w:id="0">${docxParagraph('Is this agreed?')}</w:comment></w:comments>`,
      },
      { name: 'docProps/core.xml', data: '<c:p xmlns:c="c" xmlns:d="d"><d:title>Lease of a flat</d:title></c:p>' },
    ],
  },
)

const SCRIPTS = makeScripts(
  [
    [
      ['T', 'h', 'e', ' ', 'o', 'ﬃ', 'c', 'e', ' ', 'o', 'f', ' ', 't', 'h', 'e', ' ', 'h', 'a', 'r', '-'],
      Array.from('bour opens at nine.'),
    ],
    [Array.from('賃貸借契約は五月一日に始まる。')],
    [Array.from('החוזה מתחיל במאי').toReversed()],
  ],
  'Is this agreed?',
)

const SLIDES = makePptx(
  [
    {
      shapes:
        textShape('Rent is due in May\n by transfer\n never in cash', 'body') +
        textShape('The lease', 'title') +
        tableShape([
          ['Month', 'Rent'],
          ['May', '900'],
        ]),
      notes: LEASE[0]!,
    },
    { shapes: textShape('Costs', 'title') + textShape(LEASE[1]!), isHidden: true },
  ],
  [{ name: 'docProps/core.xml', data: '<c xmlns:d="d"><d:title>Lease of a flat</d:title></c>' }],
)

const WORKBOOK = makeXlsx(
  [
    {
      name: 'Costs',
      data: [
        sheetRow(1, ['Costs of the pier']),
        sheetRow(3, ['Region', 'Due', 'Rent']),
        '<row r="4"><c r="A4" t="s"><v>0</v></c><c r="B4" s="1"><v>46143</v></c><c r="C4" s="2"><v>1234.5</v></c></row>',
        '<row r="5"><c r="B5" s="1"><v>46174</v></c><c r="C5" s="2"><f>C4*-1</f><v>-1234.5</v></c></row>',
        sheetRow(6, ['Total']),
      ].join(''),
      after: '<mergeCells><mergeCell ref="A4:A5"/></mergeCells>',
    },
    { name: 'Salaries', state: 'hidden', data: sheetRow(1, ['Ann', 5_000]) },
  ],
  { formats: ['General', 'd mmm yyyy', '#,##0.00 [$€-407];[Red]-#,##0.00 [$€-407]'], strings: ['<t>North</t>'] },
)

const CSV = 'Month;Rent\nMay;"1.234,50"\n\nJune;900\n'

const ODT = makeOdf(
  'text',
  [
    '<text:h text:outline-level="1">The lease</text:h>',
    `<text:p>${LEASE[0]}<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>By letter.</text:p></text:note-body></text:note></text:p>`,
    '<text:list><text:list-item><text:p>by transfer</text:p><text:list><text:list-item><text:p>standing order</text:p></text:list-item></text:list></text:list-item></text:list>',
    `<table:table><table:table-header-rows>${odfRow(['Month', 'Rent'])}</table:table-header-rows>${odfRow(['May', '900'])}</table:table>`,
    `<text:p><text:soft-page-break/>${LEASE[1]}</text:p>`,
  ].join(''),
)

const ODS = makeOdf(
  'spreadsheet',
  `<table:table table:name="Costs">${odfRow(['Month', 'Rent'])}${odfRow(['May', odfCell('900,00 €', 'office:value-type="currency"')])}</table:table>`,
)

const ODP = makeOdf(
  'presentation',
  `<draw:page><draw:frame presentation:class="title"><text:p>The lease</text:p></draw:frame><draw:frame><text:p>${LEASE[0]}</text:p></draw:frame><presentation:notes><draw:frame><text:p>Say why.</text:p></draw:frame></presentation:notes></draw:page>`,
)

const BOOK = makeEpub(
  [
    ['one.xhtml', `<p>${LEASE[0]}</p>`],
    ['two.xhtml', `<h1>Rent</h1><p>${LEASE[1]}</p><ul><li>by transfer</li></ul>`],
  ],
  { toc: [['text/one.xhtml', 'The lease']] },
)

const REPLY = {
  subject: 'Re: The lease',
  from: 'Bob <bob@example.org>',
  answers: ['one@example.org'],
  text: `Agreed.\n\nOn 3 May 2024, Ada Lovelace wrote:\n> ${LEASE[0]}\n`,
}

const RTF = String.raw`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Times;}{\f1\fcharset204 Cyr;}}{\stylesheet{\s1\outlinelevel0 heading 1;}}{\info{\title Lease of a flat}}
{\header Lease of 1 May\par}\pard\s1 The lease\par\pard\plain ${LEASE[0]!}{\footnote By letter.}\par
{\listtext\pard 1.\tab}\ls1\ilvl0 Gr\'fc\'dfe \f1\'cc\'e8\'f0\f0\par
\trowd\pard\intbl Month\cell Rent\cell\row\trowd\pard\intbl May\cell 900 {\v hidden}\u8364?\cell\row
\pard\page ${LEASE[1]!}\par}`

const RECORDS = [
  { name: 'Flat 1', rooms: [2, 3] },
  { name: 'Flat 2', terms: LEASE[1] },
]
const JSON_FILE = JSON.stringify({ house: { street: 'Hafenstraße', flats: RECORDS } }, null, 2).replace('ß', '\\u00df')
const JSON_LINES = RECORDS.map((record) => JSON.stringify(record)).join('\n')

const RST = `The lease
=========

.. not printed

${LEASE[0]}

Rent
----

- by \`\`transfer\`\`
- *never* in cash, see :ref:\`below <b>\`::

    IBAN DE00

=====  ====
Month  Rent
=====  ====
May    900
=====  ====
`

const ADOC = `= The lease
Ada Lovelace <ada@example.org>
:rent: 900 *euros*

// not printed
${LEASE[0]}footnote:[By letter.]

[[rent]]
== Rent

NOTE: The rent is {rent}, see <<rent>>.

. by \`transfer\`
.. standing order
. never in cash

[source]
----
IBAN <1>
----
<1> of the landlord

notice:: three months

[%header,cols="1,1"]
|===
|Month |Rent
|May |900
2+|and so on
|===
`

const TEX = String.raw`\documentclass{article}\title{The lease}% not printed
\begin{document}\maketitle
\section{Rent} ${LEASE[0]!} \emph{Always} $x^2$ --- \"uber.
\begin{itemize}\item by transfer\item[b)] never in cash\end{itemize}
\begin{tabular}{ll}Month & Rent \\ \hline May & 900 \\\end{tabular}
\begin{verbatim}
IBAN
\end{verbatim}
\input{secret}\end{document}`

const CODE = `"""Keeps the lease."""
import math

RENT = 900

class Lease:
    """A contract."""

    # Called each month.
    def rent_due(self, month):
        return RENT

    @property
    def ends(self): return None

def main():
    def inner():
        pass
    Lease().rent_due(5)
`

/** A small document of each format that docsearch reads, by its file name. */
export const FORMAT_SAMPLES: readonly (readonly [name: string, content: string | Buffer])[] = [
  ['lease.rtf', RTF],
  ['house.json', JSON_FILE],
  ['flats.jsonl', JSON_LINES],
  ['lease.rst', RST],
  ['lease.adoc', ADOC],
  ['lease.tex', TEX],
  ['lease.py', CODE],
  ['lease.eml', makeMail({ subject: 'The lease', html: HTML })],
  ['thread.mbox', makeMbox([makeMail({ subject: 'The lease', text: LEASE.join('\n\n') }), makeMail(REPLY)])],
  ['lease.msg', makeMsg({ subject: 'The lease', body: LEASE.join('\r\n\r\n') })],
  ['lease.pptx', SLIDES],
  ['costs.xlsx', WORKBOOK],
  ['rents.csv', CSV],
  ['lease.odt', ODT],
  ['costs.ods', ODS],
  ['lease.odp', ODP],
  ['lease.epub', BOOK],
  ['scripts.pdf', SCRIPTS],
  ['lease.docx', DOCX],
  ['rules.md', MARKDOWN],
  ['lease.html', HTML],
  ['lease.txt', TEXT],
  ['report.pdf', await makeReport()],
  ['scan.png', greyPng(40, 30)],
  ['scan.jpg', greyJpeg()],
  ['fax.tif', greyTiff(2)],
]
