import { Document, HeadingLevel, Packer, Paragraph, Table, TableCell, TableRow, TextRun } from 'docx'
import PDFDocument from 'pdfkit'

/** A part of a generated document. Its kind decides the layout. */
export type Part =
  | { heading: string }
  | { bold: string }
  | { text: string }
  | { rows: string[][] }
  | { items: string[] }
  | { image: string }

export interface MakePdfOptions {
  title?: string
  /** The password that the file needs to open. */
  password?: string
  /** The password for permissions. The file opens without it. */
  ownerPassword?: string
}

/** Returns a PDF with one page for each list of parts. An empty list makes a page without text. */
export async function makePdf(pages: readonly (readonly Part[])[], options: MakePdfOptions = {}): Promise<Buffer> {
  const pdf = new PDFDocument({
    autoFirstPage: false,
    info: options.title === undefined ? {} : { Title: options.title },
    ...(options.password === undefined ? {} : { userPassword: options.password }),
    ...(options.ownerPassword === undefined ? {} : { ownerPassword: options.ownerPassword }),
  })
  const chunks: Buffer[] = []
  const done = new Promise<Buffer>((resolve, reject) => {
    pdf.on('data', (chunk: Buffer) => chunks.push(chunk))
    pdf.on('end', () => resolve(Buffer.concat(chunks)))
    pdf.on('error', reject)
  })
  for (const parts of pages) {
    pdf.addPage({ size: 'A4', margin: 72 })
    for (const part of parts) {
      if ('image' in part) pdf.image(part.image, 0, 0, { width: pdf.page.width })
      else if ('heading' in part) pdf.font('Helvetica-Bold').fontSize(20).text(part.heading).moveDown()
      else if ('bold' in part) pdf.font('Helvetica-Bold').fontSize(11).text(part.bold).moveDown(0.5)
      else if ('text' in part) pdf.font('Helvetica').fontSize(11).text(part.text).moveDown()
      else if ('items' in part) {
        for (const item of part.items) pdf.font('Helvetica').fontSize(11).text(`• ${item}`)
        pdf.moveDown()
      } else {
        for (const row of part.rows) {
          const y = pdf.y
          row.forEach((cell, column) =>
            pdf
              .font('Helvetica')
              .fontSize(11)
              .text(cell, 72 + column * 130, y, { lineBreak: false }),
          )
          pdf.text('', 72, y + 14)
        }
        pdf.moveDown()
      }
    }
  }
  pdf.end()
  return done
}

/** Returns a DOCX as Word would write it. */
export async function makeDocx(parts: readonly Part[], options: { title?: string } = {}): Promise<Buffer> {
  const children = parts.flatMap((part): (Paragraph | Table)[] => {
    if ('image' in part) return []
    if ('heading' in part) return [new Paragraph({ text: part.heading, heading: HeadingLevel.HEADING_1 })]
    if ('bold' in part) return [new Paragraph({ text: part.bold, heading: HeadingLevel.HEADING_2 })]
    if ('text' in part) return [new Paragraph({ children: [new TextRun(part.text)] })]
    if ('items' in part) return part.items.map((text) => new Paragraph({ text, bullet: { level: 0 } }))
    return [
      new Table({
        rows: part.rows.map(
          (row, index) =>
            new TableRow({
              tableHeader: index === 0,
              children: row.map((cell) => new TableCell({ children: [new Paragraph(cell)] })),
            }),
        ),
      }),
    ]
  })
  return Packer.toBuffer(
    new Document({ ...(options.title === undefined ? {} : { title: options.title }), sections: [{ children }] }),
  )
}
