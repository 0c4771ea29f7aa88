import { countOf } from '../../../core/count-of.ts'
import { DocsearchError } from '../../../core/errors.ts'
import { corrupt } from '../../failures.ts'
import type { Pdfium } from '../pdfium-module.ts'
import { withDocument } from '../pdfium.ts'
import { findMarks } from './find-marks.ts'
import type { PageAnswer, PageQuestion } from './page-question.ts'
import { MAX_COLOURS, reduceColours, encodePng } from './png.ts'

/** Renders a page of a PDF, or finds marks on it. Throws `page_not_found`, `encrypted` and `corrupt`. */
export function answerPage(file: string, question: PageQuestion): Promise<PageAnswer> {
  return withDocument(file, (pdfium, document) => {
    const { api } = pdfium
    const pages = api.FPDF_GetPageCount(document)
    if (question.page > pages) throw pageNotFound(question.page, pages)
    const page = api.FPDF_LoadPage(document, question.page - 1)
    if (page === 0) throw corrupt(`Page ${question.page}`)
    try {
      if ('width' in question) return { png: renderPage(pdfium, document, page, question.width) }
      return { marks: findMarks(pdfium, page, question.toMark) }
    } finally {
      api.FPDF_ClosePage(page)
    }
  })
}

function pageNotFound(page: number, pages: number): DocsearchError {
  return new DocsearchError('page_not_found', `The document has ${countOf(pages, 'page')} and no page ${page}.`)
}

/** A page that is more than this many times as tall as wide gets a narrower image, so that no page takes more than 64 MB. */
const MAX_HEIGHT = 8_000
/** An image that takes more bytes than this, also for its size, gets half of the colours: a page full of small type. */
const LARGE_BYTES = 98_000
const LARGE_BYTES_PER_PIXEL = 0.07
const BGRX = 3
const WHITE = 0xff_ff_ff_ff
/** Shows notes and stamps. */
const FPDF_ANNOT = 1
/** Form fields of every type. */
const ALL_FIELDS = 0

/** Renders a page that is open in PDFium as a PNG, at most `width` pixels wide. */
function renderPage(pdfium: Pdfium, document: number, page: number, width: number): Buffer {
  const size = imageSize(pdfium.api.FPDF_GetPageWidthF(page), pdfium.api.FPDF_GetPageHeightF(page), width)
  const { api } = pdfium
  const bitmap = api.FPDFBitmap_CreateEx(size.width, size.height, BGRX, 0, 0)
  if (bitmap === 0) throw new RangeError('PDFium has no memory left')
  try {
    api.FPDFBitmap_FillRect(bitmap, 0, 0, size.width, size.height, WHITE)
    api.FPDF_RenderPageBitmap(bitmap, page, 0, 0, size.width, size.height, 0, FPDF_ANNOT)
    drawFields(pdfium, document, (form) => api.FPDF_FFLDraw(form, bitmap, page, 0, 0, size.width, size.height, 0, FPDF_ANNOT))
    const from = api.FPDFBitmap_GetBuffer(bitmap) / 4
    const pixels = new Uint32Array(pdfium.bytes().buffer).subarray(from, from + size.width * size.height)
    const encode = (colours: number): Buffer => encodePng(reduceColours(pixels, colours), size.width, size.height)
    const png = encode(MAX_COLOURS)
    const isLarge = png.length > LARGE_BYTES && png.length > LARGE_BYTES_PER_PIXEL * pixels.length
    return isLarge ? encode(MAX_COLOURS / 2) : png
  } finally {
    api.FPDFBitmap_Destroy(bitmap)
  }
}

/** PDFium shows the fields of a form, with what somebody has filled in, only within a form environment. */
function drawFields(pdfium: Pdfium, document: number, draw: (form: number) => void): void {
  const { api } = pdfium
  const info = api.PDFiumExt_OpenFormFillInfo()
  const form = api.PDFiumExt_InitFormFillEnvironment(document, info)
  if (form !== 0) {
    api.FPDF_SetFormFieldHighlightAlpha(form, ALL_FIELDS)
    draw(form)
    api.PDFiumExt_ExitFormFillEnvironment(form)
  }
  api.PDFiumExt_CloseFormFillInfo(info)
}

function imageSize(pageWidth: number, pageHeight: number, width: number): { width: number; height: number } {
  // A page of no size is as good as a square.
  const ratio = pageWidth > 0 && pageHeight > 0 ? pageHeight / pageWidth : 1
  const scale = Math.min(1, MAX_HEIGHT / (width * ratio))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(width * ratio * scale)) }
}
