import type { PageMarks, Rectangle, TextToMark } from '../../../core/page-image.ts'
import type { Pdfium } from '../pdfium-module.ts'
import { readText } from '../pdfium-lines.ts'
import { fixText } from '../text-fixes.ts'

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

/** Characters that the layout adds or removes where it joins two lines. */
const NOT_COMPARED = /[\s\uFFFE\u00AD\u200B\u2060-]/
/** The pieces of a page as PDFium breaks them. It writes U+FFFE for a hyphen at the end of a line. */
const PIECE = /[^\r\n\uFFFE]+/g
const WORD = /\S+/g
/** A shorter piece, such as a number in a table, can be in many places. Longer pieces are placed first. */
const LONG = 12

/** A text without the characters that are not compared, and the offset of each of its units in the whole text. */
interface Squeezed {
  text: string
  offsets: number[]
}

/** A part of the text from PDFium, and where it begins in the squeezed text of the page. */
interface Placed extends Squeezed {
  at: number
}

/**
 * Finds each piece of PDFium's text of a page in the text that the parser made of it. The parser moves and leaves out lines, and joins
 * words over lines, but it keeps the characters within a piece. Returns for each piece the pairs of its offsets in both texts.
 */
export function align(raw: string, text: string): { raw: number; text: number }[][] {
  const page = squeeze(text, 0)
  const free = new FreePlaces(page.text)
  const pieces = [...raw.matchAll(PIECE)].map(({ 0: piece, index }) => squeeze(piece, index))
  const placed = new Map<Squeezed, Placed>()
  const place = (piece: Squeezed, near: number): boolean => {
    const at = free.take(piece.text, near)
    if (at !== null) placed.set(piece, { ...piece, at })
    return at !== null
  }
  // Of equal pieces, the first in the file is the first on the page.
  for (const piece of pieces.filter((one) => one.text.length >= LONG).toSorted((a, b) => b.text.length - a.text.length))
    place(piece, 0)
  const found: Placed[] = []
  let near = 0
  for (const piece of pieces) {
    const parts = placed.has(piece) || place(piece, near) ? [piece] : wordsOf(raw, piece)
    for (const part of parts) {
      if (part !== piece) place(part, near)
      const own = placed.get(part)
      if (own === undefined) continue
      found.push(own)
      near = own.at + own.text.length
    }
  }
  return found.map(({ at, offsets }) => offsets.map((offset, index) => ({ raw: offset, text: page.offsets[at + index]! })))
}

/** The parts of a text that no piece has taken yet. */
class FreePlaces {
  private readonly text: string
  private readonly isTaken: Uint8Array

  constructor(text: string) {
    this.text = text
    this.isTaken = new Uint8Array(text.length)
  }

  /** Takes the first free place of a piece from `near` on, or else the last one before. Returns null if there is none. */
  take(piece: string, near: number): number | null {
    if (piece === '') return null
    let at = this.text.indexOf(piece, near)
    while (at >= 0 && !this.isFree(at, piece.length)) at = this.text.indexOf(piece, at + 1)
    if (at < 0 && near > 0) {
      at = this.text.lastIndexOf(piece, near - 1)
      while (at > 0 && !this.isFree(at, piece.length)) at = this.text.lastIndexOf(piece, at - 1)
    }
    if (at < 0 || !this.isFree(at, piece.length)) return null
    this.isTaken.fill(1, at, at + piece.length)
    return at
  }

  private isFree(at: number, length: number): boolean {
    const end = at + length
    while (at < end) if (this.isTaken[at++] === 1) return false
    return true
  }
}

function wordsOf(raw: string, { offsets }: Squeezed): Squeezed[] {
  const start = offsets[0]
  if (start === undefined) return []
  const piece = raw.slice(start, offsets.at(-1)! + 1)
  return [...piece.matchAll(WORD)].map(({ 0: word, index }) => squeeze(word, start + index))
}

function squeeze(text: string, start: number): Squeezed {
  const offsets: number[] = []
  let squeezed = ''
  let offset = start
  for (const character of text) {
    if (!NOT_COMPARED.test(character)) {
      const fixed = fixText(character)
      if (!NOT_COMPARED.test(fixed)) {
        squeezed += fixed
        for (let unit = 0; unit < fixed.length; unit++) offsets.push(offset)
      }
    }
    offset += character.length
  }
  return { text: squeezed, offsets }
}
