import { readFile } from 'node:fs/promises'
import { corrupt, encrypted } from '../failures.ts'
import { asPdf } from '../picture/picture.ts'
import { readLines, isOutside, readVisibleArea } from './pdfium-lines.ts'
import { loadPdfium, type Pdfium } from './pdfium-module.ts'
import type { PageSource, Note } from './line.ts'
import { fixText } from './text-fixes.ts'

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

const FREE_TEXT = 3
const WIDGET = 20
const MAX_ANNOTATIONS = 2_000
const MAX_CHARACTERS = 100_000

/**
 * Returns the text of form fields and free text notes, which a page shows but doesn't have in its own text. The same text twice in
 * one place is one note.
 */
function readNotes(pdfium: Pdfium, page: number): Note[] {
  const { api } = pdfium
  const count = Math.min(api.FPDFPage_GetAnnotCount(page), MAX_ANNOTATIONS)
  if (count === 0) return []
  const notes = new Map<string, Note>()
  const area = readVisibleArea(pdfium, page)
  const rectangle = pdfium.malloc(16)
  let characters = 0
  for (let i = 0; i < count && characters < MAX_CHARACTERS; i++) {
    const annotation = api.FPDFPage_GetAnnot(page, i)
    if (annotation === 0) continue
    const subtype = api.FPDFAnnot_GetSubtype(annotation)
    const key = subtype === FREE_TEXT ? 'Contents' : subtype === WIDGET ? 'V' : null
    if (key !== null) {
      const text = fixText(pdfium.utf16((buffer, size) => api.FPDFAnnot_GetStringValue(annotation, key, buffer, size))).trim()
      if (/[\p{L}\p{N}]/u.test(text) && text !== 'Off') {
        const hasRectangle = api.FPDFAnnot_GetRect(annotation, rectangle)
        const [left, top, right, bottom] = hasRectangle ? pdfium.floats().slice(rectangle / 4, rectangle / 4 + 4) : [0, 0, 0, 0]
        const note = { text, left: left ?? 0, top: top ?? 0, right: right ?? 0, bottom: bottom ?? 0 }
        const isHidden =
          area !== null && hasRectangle && isOutside(area, { x: note.left, y: note.bottom }, { x: note.right, y: note.top })
        if (!isHidden) {
          notes.set(`${text} ${Math.round(note.left / 4)} ${Math.round(note.top / 4)}`, note)
          characters += text.length
        }
      }
    }
    api.FPDFPage_CloseAnnot(annotation)
  }
  pdfium.free(rectangle)
  return [...notes.values()]
}

/** A hostile outline can be endless or circular. */
const MAX_ENTRIES = 5_000
const MAX_DEPTH = 6

interface OutlineEntry {
  title: string
  /** From 1. */
  level: number
}

/** Returns the bookmarks by their page (from 0), and the depth of the deepest one. */
function readOutline(pdfium: Pdfium, document: number): { byPage: Map<number, OutlineEntry[]>; depth: number } {
  const { api } = pdfium
  const byPage = new Map<number, OutlineEntry[]>()
  const seen = new Set<number>()
  let depth = 0

  const visit = (parent: number, level: number): void => {
    for (
      let mark = api.FPDFBookmark_GetFirstChild(document, parent);
      mark !== 0 && !seen.has(mark) && seen.size < MAX_ENTRIES;
      mark = api.FPDFBookmark_GetNextSibling(document, mark)
    ) {
      seen.add(mark)
      const title = pdfium.utf16((buffer, size) => api.FPDFBookmark_GetTitle(mark, buffer, size), 2_000).trim()
      const destination = api.FPDFBookmark_GetDest(document, mark)
      const page = destination === 0 ? -1 : api.FPDFDest_GetDestPageIndex(document, destination)
      if (title !== '' && page >= 0) {
        const entries = byPage.get(page) ?? []
        entries.push({ title, level })
        byPage.set(page, entries)
        depth = Math.max(depth, level)
      }
      if (level < MAX_DEPTH) visit(mark, level + 1)
    }
  }
  visit(0, 1)
  return { byPage, depth }
}
