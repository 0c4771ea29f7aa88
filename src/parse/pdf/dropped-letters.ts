import type { Pdfium } from './pdfium-module.ts'

/** An f within a word with a blank after it. */
const GAP = /(?<=\p{L})f (?=\p{Ll})/gu
const TEXT_OBJECT = 1
/** Of two like letters side by side the second is shifted by so much of a width at least; less is one letter printed twice, for boldness. */
const LEAST_SHIFT = 0.2

interface ObjectExports {
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
  const isDropped = (index: number): boolean => {
    if (api.FPDFText_IsGenerated(text, index + 1) !== 1) return false
    const [first, next] = [api.FPDFText_GetTextObject(text, index), api.FPDFText_GetTextObject(text, index + 2)]
    if (first === 0 || next === 0 || first === next) return false
    order ??= objectsOf(api, page)
    const place = order.get(first)
    const second = place === undefined ? 0 : api.FPDFPage_GetObject(page, place + 1)
    if (second === 0 || second === next || api.FPDFPageObj_GetType(second) !== TEXT_OBJECT) return false
    const [a, b] = [boundsOf(pdfium, api, first), boundsOf(pdfium, api, second)]
    if (a === null || b === null) return false
    const width = Math.hypot(a.right - a.left, a.top - a.bottom)
    const like =
      Math.abs(b.right - b.left - (a.right - a.left)) < 0.02 * width &&
      Math.abs(b.top - b.bottom - (a.top - a.bottom)) < 0.02 * width
    const shift = Math.hypot(b.left - a.left, b.bottom - a.bottom)
    return like && shift > LEAST_SHIFT * (a.right - a.left) && shift < width
  }
  return (part, indexOf) => part.replace(GAP, (all, offset: number) => (isDropped(indexOf(offset)) ? 'ff' : all))
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
