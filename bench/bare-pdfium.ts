// A process that reads PDF files with PDFium only, without layout and limits. It receives a path and returns the number of pages.
import { readFileSync } from 'node:fs'
import { loadPdfium } from '../src/parse/pdf/pdfium-module.ts'

const pdfium = await loadPdfium()

process.on('message', (file) => process.send!(read(String(file))))

/** Loads every page and its text in the shortest way that PDFium has. */
function read(file: string): number {
  const { api } = pdfium
  const bytes = readFileSync(file)
  const memory = pdfium.malloc(bytes.length)
  pdfium.bytes().set(bytes, memory)
  const document = api.FPDF_LoadMemDocument(memory, bytes.length, '')
  const pages = api.FPDF_GetPageCount(document)
  for (let i = 0; i < pages; i++) {
    const page = api.FPDF_LoadPage(document, i)
    const text = api.FPDFText_LoadPage(page)
    const count = api.FPDFText_CountChars(text)
    const buffer = pdfium.malloc(count * 4 + 2)
    pdfium.text(buffer, Math.max(0, api.FPDFText_GetText(text, 0, count, buffer) - 1))
    pdfium.free(buffer)
    api.FPDFText_ClosePage(text)
    api.FPDF_ClosePage(page)
  }
  api.FPDF_CloseDocument(document)
  pdfium.free(memory)
  return pages
}
