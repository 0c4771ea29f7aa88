import type { PageMarks, Rectangle, TextToMark } from '../../../core/page-image.ts'
import type { Pdfium } from '../pdfium-module.ts'
import { readText } from '../pdfium-lines.ts'
import { align } from './align.ts'

/** Enough for any passage. A hostile page gets no more. */
const MAX_RECTANGLES = 500
/** Characters that share this much of the smaller one's height or width are in one line. */
const SAME_LINE = 0.5
/** The page in whole numbers, which PDFium returns for a device. */
const DEVICE = 100_000
const DIGITS = 4

interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

interface TextExports {
  FPDFText_GetLooseCharBox(textPage: number, index: number, rectangle: number): number
  FPDF_PageToDevice(
    page: number,
    left: number,
    top: number,
    width: number,
    height: number,
    rotation: number,
    x: number,
    y: number,
    deviceX: number,
    deviceY: number,
  ): number
}

/** Returns where a passage and its words are on a page. Lines that the page no longer has in this form are missing. */
export function findMarks(pdfium: Pdfium, page: number, { text, passage, words }: TextToMark): PageMarks {
  const { api } = pdfium
  const [width, height] = [api.FPDF_GetPageWidthF(page), api.FPDF_GetPageHeightF(page)]
  const marks: PageMarks = { ratio: width > 0 && height > 0 ? height / width : 1, passage: [], words: [] }
  const textPage = passage === null ? 0 : api.FPDFText_LoadPage(page)
  if (passage === null || textPage === 0) return marks
  try {
    const { raw, charAt } = readText(pdfium, textPage)
    const boxOf = boxReader(pdfium, page, textPage)
    const spans = [passage, ...words]
    const rectangles = spans.map((): Rectangle[] => [])
    for (const piece of align(raw, text)) {
      spans.forEach(([from, to], index) => {
        const own = piece.filter((pair) => pair.text >= from && pair.text < to)
        if (own.length === 0 || rectangles[index]!.length >= MAX_RECTANGLES) return
        rectangles[index]!.push(...join(own.flatMap((pair) => boxOf(charAt(pair.raw)) ?? [])).map(toRectangle))
      })
    }
    const [first = [], ...others] = rectangles
    return { ...marks, passage: first.slice(0, MAX_RECTANGLES), words: others.flat().slice(0, MAX_RECTANGLES) }
  } finally {
    api.FPDFText_ClosePage(textPage)
  }
}

/** Joins the boxes of characters to boxes of lines. */
function join(boxes: readonly Box[]): Box[] {
  const lines: Box[] = []
  let last: Box | null = null
  for (const box of boxes) {
    const line = lines.at(-1)
    if (line !== undefined && last !== null && isOneLine(last, box)) {
      line.left = Math.min(line.left, box.left)
      line.top = Math.min(line.top, box.top)
      line.right = Math.max(line.right, box.right)
      line.bottom = Math.max(line.bottom, box.bottom)
    } else lines.push({ ...box })
    last = box
  }
  return lines
}

function isOneLine(a: Box, b: Box): boolean {
  const shared = (from: 'left' | 'top', to: 'right' | 'bottom'): number =>
    (Math.min(a[to], b[to]) - Math.max(a[from], b[from])) / Math.max(1, Math.min(a[to] - a[from], b[to] - b[from]))
  return shared('top', 'bottom') >= SAME_LINE || shared('left', 'right') >= SAME_LINE
}

/** Returns a function that returns the box of a character on the page as a reader sees it; null if nothing of it can be seen. */
function boxReader(pdfium: Pdfium, page: number, textPage: number): (index: number) => Box | null {
  const api = pdfium.exports as unknown as TextExports
  const toDevice = (x: number, y: number, scratch: number): [number, number] => {
    api.FPDF_PageToDevice(page, 0, 0, DEVICE, DEVICE, 0, x, y, scratch, scratch + 4)
    const view = new DataView(pdfium.bytes().buffer, scratch, 8)
    return [view.getInt32(0, true), view.getInt32(4, true)]
  }
  return (index) => {
    const scratch = pdfium.malloc(16)
    try {
      if (api.FPDFText_GetLooseCharBox(textPage, index, scratch) === 0) return null
      const [left = 0, top = 0, right = 0, bottom = 0] = pdfium.floats().slice(scratch / 4, scratch / 4 + 4)
      const [a, b] = [toDevice(left, top, scratch), toDevice(right, bottom, scratch)]
      const within = (value: number): number => Math.min(DEVICE, Math.max(0, value))
      const box: Box = {
        left: within(Math.min(a[0], b[0])),
        top: within(Math.min(a[1], b[1])),
        right: within(Math.max(a[0], b[0])),
        bottom: within(Math.max(a[1], b[1])),
      }
      return box.right > box.left && box.bottom > box.top ? box : null
    } finally {
      pdfium.free(scratch)
    }
  }
}

function toRectangle({ left, top, right, bottom }: Box): Rectangle {
  const share = (value: number): number => Number((value / DEVICE).toFixed(DIGITS))
  return { x: share(left), y: share(top), width: share(right - left), height: share(bottom - top) }
}
