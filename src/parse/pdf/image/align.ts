import { fixText } from '../text-fixes.ts'

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
