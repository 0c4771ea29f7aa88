import type { Pdfium } from './pdfium-module.ts'

/** An f within a word or at its end. */
const LAST_F = /(?<=\p{L})f(?!f)( (?=[-\p{Ll}]))?/gu
const TEXT_OBJECT = 1
/** The second of two equal letters is at least this share of a width further to the right. A smaller shift is one letter printed twice to look bold. */
const MIN_SHIFT = 0.2

/** One f is narrower than this share of its height (0.25 to 0.3 in common fonts), and two of them are wider, even in a narrow font. */
const ONE_WIDE = 0.32
/** The next letter of the same word is at most this many times as far from the second f as the second from the first. */
const SAME_WORD = 1.5

interface ObjectExports {
  FPDFText_GetCharOrigin(text: number, index: number, x: number, y: number): number
  FPDFText_GetLooseCharBox(text: number, index: number, rectangle: number): number
  FPDFText_IsGenerated(text: number, index: number): number
  FPDFText_GetTextObject(text: number, index: number): number
  FPDFPage_CountObjects(page: number): number
  FPDFPage_GetObject(page: number, index: number): number
  FPDFPageObj_GetType(object: number): number
  FPDFPageObj_GetBounds(object: number, left: number, bottom: number, right: number, top: number): number
}

/**
 * Returns a function that restores the second f of words like "effects".
 *
 * If each letter is a separate object and letters overlap, as in slanted type, PDFium takes the second f for a second print of the
 * first. It drops the letter and puts a blank in its place. The object still exists: it follows the first one, has the same size and
 * is next to it.
 * The `indexOf` of the function converts an offset in the text to PDFium's index of the character.
 */
export function restoreDropped(
  pdfium: Pdfium,
  page: number,
  text: number,
): (part: string, indexOf: (offset: number) => number) => string {
  const api = pdfium.exports as unknown as ObjectExports
  const objectAfter = objectsInOrder(api, page)
  const distance = (from: number, to: number): number =>
    withScratch(pdfium, (scratch) => {
      api.FPDFText_GetCharOrigin(text, from, scratch, scratch + 8)
      api.FPDFText_GetCharOrigin(text, to, scratch + 16, scratch + 24)
      const [ax, ay, bx, by] = pdfium.doubles().subarray(scratch / 8, scratch / 8 + 4)
      return Math.hypot(bx! - ax!, by! - ay!)
    })
  /** Returns the height of the letter's line, from the font's ascent and descent. */
  const heightOf = (index: number): number =>
    withScratch(pdfium, (scratch) => {
      if (api.FPDFText_GetLooseCharBox(text, index, scratch) === 0) return 0
      const [left, top, right, bottom] = pdfium.floats().subarray(scratch / 4, scratch / 4 + 4)
      // In text that runs upwards, the height is the horizontal side.
      return Math.max(Math.abs(right! - left!), Math.abs(top! - bottom!))
    })
  /** Returns the distance of the second f from the first; 0 if there is no second f. */
  const shiftAfter = (index: number, next: number): number => {
    const first = api.FPDFText_GetTextObject(text, index)
    const following = api.FPDFText_GetTextObject(text, next)
    if (first === 0 || first === following) return 0
    // If the next letter is where one f ends, PDFium dropped nothing. This avoids a search through the objects of the page.
    const isNext = next === index + 1 && api.FPDFText_IsGenerated(text, next) === 0
    if (isNext && distance(index, next) < ONE_WIDE * heightOf(index)) return 0
    const second = objectAfter(first)
    if (second === 0 || second === following || api.FPDFPageObj_GetType(second) !== TEXT_OBJECT) return 0
    const [a, b] = [boundsOf(pdfium, api, first), boundsOf(pdfium, api, second)]
    if (a === null || b === null) return 0
    const [width, height] = [a.right - a.left, a.top - a.bottom]
    const isEqual = Math.abs(b.right - b.left - width) < 0.02 * width && Math.abs(b.top - b.bottom - height) < 0.02 * height
    const shift = Math.hypot(b.left - a.left, b.bottom - a.bottom)
    return isEqual && shift > MIN_SHIFT * width && shift < Math.max(width, height) ? shift : 0
  }
  return (part, indexOf) =>
    part.replace(LAST_F, (all, blank: string | undefined, offset: number) => {
      const index = indexOf(offset)
      const generated = blank !== undefined && api.FPDFText_IsGenerated(text, index + 1) === 1
      const next = generated ? index + 2 : index + 1
      const shift = shiftAfter(index, next)
      if (shift === 0) return all
      return generated && distance(index, next) < (1 + SAME_WORD) * shift ? 'ff' : `ff${blank ?? ''}`
    })
}

/**
 * Returns a function from an object to the next one, 0 if there is none. Text is read from the top of the page to its end, and its
 * objects are mostly in the same order, so that one pass finds them all. Only if they are not, it builds a map of their places.
 */
function objectsInOrder(api: ObjectExports, page: number): (object: number) => number {
  let at = 0
  let places: Map<number, number> | null = null
  const allPlaces = (): Map<number, number> =>
    new Map(Array.from({ length: api.FPDFPage_CountObjects(page) }, (_, i) => [api.FPDFPage_GetObject(page, i), i]))
  const placeOf = (object: number): number | undefined => {
    if (places === null) {
      const count = api.FPDFPage_CountObjects(page)
      for (; at < count; at++) if (api.FPDFPage_GetObject(page, at) === object) return at
      places = allPlaces()
    }
    return places.get(object)
  }
  return (object) => {
    const place = placeOf(object)
    // PDFium returns 0 after the last object.
    return place === undefined ? 0 : api.FPDFPage_GetObject(page, place + 1)
  }
}

function boundsOf(
  pdfium: Pdfium,
  api: ObjectExports,
  object: number,
): { left: number; bottom: number; right: number; top: number } | null {
  return withScratch(pdfium, (scratch) => {
    if (api.FPDFPageObj_GetBounds(object, scratch, scratch + 4, scratch + 8, scratch + 12) === 0) return null
    const [left, bottom, right, top] = pdfium.floats().subarray(scratch / 4, scratch / 4 + 4)
    return { left: left!, bottom: bottom!, right: right!, top: top! }
  })
}

/** Provides 32 bytes of memory for numbers that PDFium returns through pointers. */
function withScratch<T>(pdfium: Pdfium, work: (scratch: number) => T): T {
  const scratch = pdfium.malloc(32)
  try {
    return work(scratch)
  } finally {
    pdfium.free(scratch)
  }
}
