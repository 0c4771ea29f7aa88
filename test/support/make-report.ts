import PDFDocument from 'pdfkit'

const FIRST =
  'The harbour was dredged in spring, and the larger ships came back before the summer had ended. Their captains pay by the length of the hull, which brings more than the weight of the cargo did.'
const SECOND =
  'Of the three cranes two were renewed. The third is older than the quay on which it stands, and it is kept for the visitors, who are shown its steam engine on the first Sunday of a month.'
const WIDTH = 595
const HEIGHT = 842

/**
 * A report as an office would make it: a head and a numbered foot on each page, a title, two columns of which the right one is written first, a table of two
 * years, a field that was filled in, and an outline.
 */
export async function makeReport(): Promise<Buffer> {
  const pdf = new PDFDocument({ autoFirstPage: false, info: { Title: 'Harbour report' } })
  const chunks: Buffer[] = []
  const done = new Promise<Buffer>((resolve) => {
    pdf.on('data', (chunk: Buffer) => chunks.push(chunk))
    pdf.on('end', () => resolve(Buffer.concat(chunks)))
  })
  const { outline } = pdf
  const page = (number: number): void => {
    pdf.addPage({ size: [WIDTH, HEIGHT], margin: 0 })
    pdf.font('Helvetica').fontSize(9)
    pdf.text('Port Authority', 72, 36, { lineBreak: false }).text('Confidential', 460, 36, { lineBreak: false })
    pdf.text(`Page ${number} of 3`, 270, 800, { lineBreak: false })
  }

  page(1)
  outline.addItem('The year at the quays')
  pdf.font('Helvetica-Bold').fontSize(20).text('The year at the quays', 72, 80, { lineBreak: false })
  pdf.font('Helvetica').fontSize(10)
  pdf.text(SECOND, 310, 130, { width: 200 })
  pdf.text(FIRST, 72, 130, { width: 200 })

  page(2)
  outline.addItem('Figures')
  pdf.font('Helvetica-Bold').fontSize(20).text('Figures', 72, 80, { lineBreak: false })
  pdf.font('Helvetica').fontSize(10).text('In thousands', 72, 130, { lineBreak: false })
  const rows = [
    ['', '2024', '2023'],
    ['Dues', '1,240', '1,115'],
    ['Cranes', '310', '(45)'],
    ['Sum', '1,550', '1,070'],
  ]
  rows.forEach((row, i) => row.forEach((cell, j) => pdf.text(cell, 72 + j * 150, 145 + i * 14, { lineBreak: false })))
  pdf.text('A sentence that began on this page and is not at its end yet goes on to', 72, 240, { lineBreak: false })

  page(3)
  pdf.font('Helvetica').fontSize(10).text('the page that follows, where it ends.', 72, 80, { lineBreak: false })
  pdf.text('Harbour master', 72, 140, { lineBreak: false })
  pdf.text('Date of signature', 72, 170, { lineBreak: false })
  pdf.initForm()
  pdf.formText('master', 200, 136, 200, 16, { value: 'Ada Lund' })
  pdf.formText('date', 200, 166, 200, 16, { value: '3 May 2025' })
  pdf.end()
  return done
}
