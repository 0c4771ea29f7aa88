// `npm run samples`: renders scripts/samples/*.md to the PDF and DOCX files in samples/. The TXT and MD files there are written by hand.
import { createWriteStream, readFileSync, writeFileSync } from 'node:fs'
import { finished } from 'node:stream/promises'
import {
  Document,
  Footer,
  HeadingLevel,
  Packer,
  PageNumber,
  Paragraph,
  Table,
  TableCell,
  TableRow,
  TextRun,
  WidthType,
} from 'docx'
import PDFDocument from 'pdfkit'

const source = (name) => new URL(`samples/${name}.md`, import.meta.url)
const target = (name) => new URL(`../samples/${name}`, import.meta.url)
// A fixed date makes each run produce the same bytes.
const written = new Date('2025-01-01T00:00:00Z')

/** Reads the Markdown that these texts use: #, ##, ###, tables and paragraphs. */
function blocks(name) {
  return readFileSync(source(name), 'utf8')
    .trim()
    .split(/\n{2,}/)
    .map((block) => {
      const heading = /^(#{1,3}) (.*)$/.exec(block)
      if (heading) return { kind: 'heading', level: heading[1].length, text: heading[2] }
      if (!block.startsWith('|')) return { kind: 'paragraph', text: block }
      const rows = block.split('\n').map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      )
      return { kind: 'table', rows: [rows[0], ...rows.slice(2)] }
    })
}

async function pdf(name, file, { author, font = 'Times', size = 'A4' }) {
  const all = blocks(name)
  const info = { Title: all[0].text, Author: author, CreationDate: written, ModDate: written }
  const doc = new PDFDocument({
    size,
    margins: size === 'A4' ? { top: 90, bottom: 90, left: 95, right: 95 } : { top: 60, bottom: 60, left: 55, right: 55 },
    info,
    bufferPages: true,
  })
  const faces = font === 'Times' ? ['Times-Roman', 'Times-Bold'] : ['Helvetica', 'Helvetica-Bold']
  const done = finished(doc.pipe(createWriteStream(target(file))))
  for (const block of all) {
    if (block.kind === 'heading') {
      const points = [20, 14, 12][block.level - 1]
      // No heading at the end of a page.
      if (doc.y > doc.page.height - 160) doc.addPage()
      if (block.level > 1) doc.moveDown(0.8)
      doc.font(faces[1]).fontSize(points).text(block.text).moveDown(0.4)
    } else if (block.kind === 'paragraph') {
      doc.font(faces[0]).fontSize(12).text(block.text, { lineGap: 5.5 }).moveDown(0.7)
    } else {
      doc.font(faces[0]).fontSize(10.5)
      doc
        .table({
          data: block.rows,
          defaultStyle: { padding: 4 },
          rowStyles: (row) => (row === 0 ? { backgroundColor: '#eeeeee' } : {}),
        })
        .moveDown(1)
    }
  }
  const pages = doc.bufferedPageRange().count
  for (let page = 0; page < pages; page++) {
    doc.switchToPage(page)
    doc.page.margins.bottom = 0
    doc
      .font(faces[0])
      .fontSize(9)
      .text(`${page + 1} / ${pages}`, doc.page.margins.left, doc.page.height - 45, { align: 'center' })
  }
  doc.end()
  await done
  return pages
}

async function docx(name, file, author) {
  const all = blocks(name)
  const levels = [HeadingLevel.TITLE, HeadingLevel.HEADING_1, HeadingLevel.HEADING_2]
  const cell = (text, bold) => new TableCell({ children: [new Paragraph({ children: [new TextRun({ text, bold })] })] })
  const children = all.map((block) => {
    if (block.kind === 'heading') return new Paragraph({ text: block.text, heading: levels[block.level - 1] })
    if (block.kind === 'paragraph') return new Paragraph({ text: block.text, spacing: { after: 160 } })
    const rows = block.rows.map((row, index) => new TableRow({ children: row.map((text) => cell(text, index === 0)) }))
    return new Table({ rows, width: { size: 100, type: WidthType.PERCENTAGE } })
  })
  const footer = new Footer({ children: [new Paragraph({ children: [new TextRun({ children: [PageNumber.CURRENT] })] })] })
  const doc = new Document({ title: all[0].text, creator: author, sections: [{ children, footers: { default: footer } }] })
  writeFileSync(target(file), await Packer.toBuffer(doc))
}

console.log(`lease.pdf: ${await pdf('lease', 'lease.pdf', { author: 'Harriet Lindqvist' })} pages`)
console.log(
  `street-trees.pdf: ${await pdf('street-trees', 'street-trees.pdf', { author: 'Odile Marchetti, Bram Okafor' })} pages`,
)
console.log(
  `coffee-machine.pdf: ${await pdf('coffee-machine', 'coffee-machine.pdf', { author: 'Corvina', font: 'Helvetica', size: 'A5' })} pages`,
)
await docx('travel-policy', 'travel-policy.docx', 'Marrow & Finch Instruments')
await docx('board-minutes', 'board-minutes.docx', 'Sunniva Dahl')
