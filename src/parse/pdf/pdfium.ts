import { readFile } from 'node:fs/promises'
import { corrupt, encrypted } from '../failures.ts'
import { asPdf } from '../picture/picture.ts'
import { readNotes } from './annotations.ts'
import { readLines } from './pdfium-lines.ts'
import { loadPdfium, type Pdfium } from './pdfium-module.ts'
import { type OutlineEntry, readOutline } from './outline.ts'
import type { PageSource } from './line.ts'

// Error numbers of PDFium.
const PASSWORD = 4
const SECURITY = 5

/** A PDF that is open in one of the engines. Pages are numbered from 0. */
export interface OpenPdf {
  pageCount: number
  title: string
  outlineDepth: number
  /** Pages come in the order of the calls. */
  read(index: number): Promise<PageSource>
  close(): void
}

/** A PDF that is open in this thread. */
export type OpenedPdf = Omit<OpenPdf, 'read'> & { read(index: number): PageSource }

/** Opens a PDF with PDFium, with the empty password. Throws `encrypted` and `corrupt`. */
export async function openWithPdfium(file: string): Promise<OpenedPdf> {
  const pdfium = await loadPdfium()
  const { api } = pdfium
  const { pointer, document } = await openDocument(pdfium, file)
  const pageCount = api.FPDF_GetPageCount(document)
  const outline = readOutline(pdfium, document)
  return {
    pageCount,
    title: pdfium.utf16((buffer, size) => api.FPDF_GetMetaText(document, 'Title', buffer, size)),
    outlineDepth: outline.depth,
    read: (index) => readPage(pdfium, document, index, outline.byPage.get(index) ?? []),
    close() {
      api.FPDF_CloseDocument(document)
      pdfium.free(pointer)
    },
  }
}

/** Throws `encrypted` if the PDF needs a password. Throws nothing else. */
export async function checkPassword(file: string): Promise<void> {
  try {
    await withDocument(file, () => {})
  } catch (error) {
    if ((error as { code?: unknown }).code === 'encrypted') throw error
    // The parser reports damage later, because the second engine may be able to read the file.
  }
}

/** Opens a PDF with the empty password while `work` runs. Throws `encrypted` and `corrupt`. */
export async function withDocument<T>(file: string, work: (pdfium: Pdfium, document: number) => T): Promise<T> {
  const pdfium = await loadPdfium()
  const { pointer, document } = await openDocument(pdfium, file)
  try {
    return work(pdfium, document)
  } finally {
    pdfium.api.FPDF_CloseDocument(document)
    pdfium.free(pointer)
  }
}

async function openDocument(pdfium: Pdfium, file: string): Promise<{ pointer: number; document: number }> {
  const bytes = asPdf(await readFile(file))
  const pointer = pdfium.malloc(bytes.length)
  pdfium.bytes().set(bytes, pointer)
  const document = pdfium.api.FPDF_LoadMemDocument(pointer, bytes.length, '')
  if (document !== 0) return { pointer, document }
  const error = pdfium.api.FPDF_GetLastError()
  pdfium.free(pointer)
  throw error === PASSWORD || error === SECURITY ? encrypted() : corrupt('The PDF', new Error(`PDFium error ${error}`))
}

/** Reads a page. A page that can't be loaded counts as a page without text, so that the others can be read. */
function readPage(pdfium: Pdfium, document: number, index: number, outline: OutlineEntry[]): PageSource {
  const { api } = pdfium
  const page = api.FPDF_LoadPage(document, index)
  if (page === 0) return { lines: [], notes: [], outline }
  try {
    const text = api.FPDFText_LoadPage(page)
    if (text === 0) return { lines: [], notes: [], outline }
    try {
      return { lines: readLines(pdfium, page, text), notes: readNotes(pdfium, page), outline }
    } finally {
      api.FPDFText_ClosePage(text)
    }
  } finally {
    api.FPDF_ClosePage(page)
  }
}
