import type { Pdfium } from './pdfium-module.ts'

/** An f within a word or at its end. */
const LAST_F = /(?<=\p{L})f(?!f)( (?=[-\p{Ll}]))?/gu
const TEXT_OBJECT = 1
/** Of two like letters side by side the second is shifted by so much of a width at least; less is one letter printed twice, for boldness. */
const LEAST_SHIFT = 0.2

/** To the next letter of the same word it is no further than from the first to the second, or hardly. */
const SAME_WORD = 1.5

interface ObjectExports {
  FPDFText_GetCharOrigin(text: number, index: number, x: number, y: number): number
  FPDFText_IsGenerated(text: number, index: number): number
  FPDFText_GetTextObject(text: number, index: number): number
  FPDFPage_CountObjects(page: number): number
  FPDFPage_GetObject(page: number, index: number): number
  FPDFPageObj_GetType(object: number): number
  FPDFPageObj_GetBounds(object: number, left: number, bottom: number, right: number, top: number): number
}

/**
 * Puts back the second f of "effects". Where each letter is an object of its own and letters reach over one another, as in slanted type, PDFium takes
 * the second f for another printing of the first, leaves it out and has a blank in its place. The object is still there: right after the
 * first, of the same size, beside it.
 * @param indexOf From an offset in the text to PDFium's index of the character.
 */
export function restoreDropped(
  pdfium: Pdfium,
  page: number,
  text: number,
): (part: string, indexOf: (offset: number) => number) => string {
  const api = pdfium.exports as unknown as ObjectExports
  let order: Map<number, number> | null = null
  /** How far the second is from the first; 0 where there is none. */
  const shiftAfter = (index: number, next: number): number => {
    const first = api.FPDFText_GetTextObject(text, index)
    const following = api.FPDFText_GetTextObject(text, next)
    if (first === 0 || first === following) return 0
    order ??= objectsOf(api, page)
    const place = order.get(first)
    const second = place === undefined ? 0 : api.FPDFPage_GetObject(page, place + 1)
    if (second === 0 || second === following || api.FPDFPageObj_GetType(second) !== TEXT_OBJECT) return 0
    const [a, b] = [boundsOf(pdfium, api, first), boundsOf(pdfium, api, second)]
    if (a === null || b === null) return 0
    const [width, height] = [a.right - a.left, a.top - a.bottom]
    const like = Math.abs(b.right - b.left - width) < 0.02 * width && Math.abs(b.top - b.bottom - height) < 0.02 * height
    const shift = Math.hypot(b.left - a.left, b.bottom - a.bottom)
    return like && shift > LEAST_SHIFT * width && shift < Math.max(width, height) ? shift : 0
  }
  return (part, indexOf) =>
    part.replace(LAST_F, (all, blank: string | undefined, offset: number) => {
      const index = indexOf(offset)
      const generated = blank !== undefined && api.FPDFText_IsGenerated(text, index + 1) === 1
      const next = generated ? index + 2 : index + 1
      const shift = shiftAfter(index, next)
      if (shift === 0) return all
      return generated && distance(pdfium, api, text, index, next) < (1 + SAME_WORD) * shift ? 'ff' : `ff${blank ?? ''}`
    })
}

function distance(pdfium: Pdfium, api: ObjectExports, text: number, from: number, to: number): number {
  const scratch = pdfium.malloc(32)
  try {
    api.FPDFText_GetCharOrigin(text, from, scratch, scratch + 8)
    api.FPDFText_GetCharOrigin(text, to, scratch + 16, scratch + 24)
    const [ax, ay, bx, by] = pdfium.doubles().subarray(scratch / 8, scratch / 8 + 4)
    return Math.hypot(bx! - ax!, by! - ay!)
  } finally {
    pdfium.free(scratch)
  }
}

function objectsOf(api: ObjectExports, page: number): Map<number, number> {
  const order = new Map<number, number>()
  const count = api.FPDFPage_CountObjects(page)
  for (let i = 0; i < count; i++) order.set(api.FPDFPage_GetObject(page, i), i)
  return order
}

function boundsOf(
  pdfium: Pdfium,
  api: ObjectExports,
  object: number,
): { left: number; bottom: number; right: number; top: number } | null {
  const scratch = pdfium.malloc(16)
  try {
    if (api.FPDFPageObj_GetBounds(object, scratch, scratch + 4, scratch + 8, scratch + 12) === 0) return null
    const [left, bottom, right, top] = pdfium.floats().subarray(scratch / 4, scratch / 4 + 4)
    return { left: left!, bottom: bottom!, right: right!, top: top! }
  } finally {
    pdfium.free(scratch)
  }
}
