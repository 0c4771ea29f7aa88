import type { Pdfium } from './pdfium-module.ts'
import type { Place } from './visible-area.ts'

const BOLD_WEIGHT = 600
const BOLD_NAME = /bold|black|heavy|demi/i

/** The place and the type of a character. Lengths are in points. */
export interface Glyph {
  /** The left and right edge, along the direction of the line. */
  x: number
  right: number
  /** The baseline, across the direction of the line, growing downwards. */
  y: number
  size: number
  bold: boolean
  /** See Line. */
  angle: number
  /** The beginning of its baseline on the page. */
  origin: Place
}

/** The C functions that are called for every line. They are called directly, because the package's wrappers cost more than the calls. */
interface TextExports {
  FPDFText_GetCharOrigin(page: number, index: number, x: number, y: number): number
  FPDFText_GetMatrix(page: number, index: number, matrix: number): number
  FPDFText_GetFontSize(page: number, index: number): number
  FPDFText_GetLooseCharBox(page: number, index: number, rectangle: number): number
  FPDFText_GetTextObject(page: number, index: number): number
  FPDFTextObj_GetFont(object: number): number
  FPDFText_GetFontWeight(page: number, index: number): number
  FPDFText_GetFontInfo(page: number, index: number, buffer: number, bytes: number, flags: number): number
}

/** Creates a reader for the glyphs of a text page. `close` frees its memory. */
export function glyphReader(pdfium: Pdfium, page: number): { read(index: number): Glyph; close(): void } {
  const api = pdfium.exports as unknown as TextExports
  // Doubles must be at multiples of 8. The addresses of malloc are.
  const scratch = pdfium.malloc(128)
  const origin = scratch / 8
  const matrix = scratch / 4 + 4
  const box = scratch / 4 + 10
  const fonts = new Map<number, boolean>()

  const isBold = (index: number): boolean => {
    const object = api.FPDFText_GetTextObject(page, index)
    const font = object === 0 ? 0 : api.FPDFTextObj_GetFont(object)
    const known = fonts.get(font)
    if (known !== undefined) return known
    const bold = api.FPDFText_GetFontWeight(page, index) >= BOLD_WEIGHT || BOLD_NAME.test(fontName(index))
    if (font !== 0) fonts.set(font, bold)
    return bold
  }
  /** Returns the font's name, which can say that the font is bold even if the weight, a guess from the stems, doesn't. */
  const fontName = (index: number): string => {
    const length = api.FPDFText_GetFontInfo(page, index, scratch, 64, scratch + 64)
    return length === 0 || length > 64
      ? ''
      : Buffer.from(pdfium.bytes().subarray(scratch, scratch + length - 1)).toString('latin1')
  }

  return {
    read(index) {
      const known = api.FPDFText_GetCharOrigin(page, index, scratch, scratch + 8) !== 0
      const upright = api.FPDFText_GetMatrix(page, index, matrix * 4) === 0
      const boxed = api.FPDFText_GetLooseCharBox(page, index, box * 4) !== 0
      const floats = pdfium.floats()
      const originX = known ? pdfium.doubles()[origin]! : 0
      const originY = known ? pdfium.doubles()[origin + 1]! : 0
      const [a, b, c, d] = upright
        ? [1, 0, 0, 1]
        : [floats[matrix]!, floats[matrix + 1]!, floats[matrix + 2]!, floats[matrix + 3]!]
      const size = Math.max(api.FPDFText_GetFontSize(page, index) * (Math.hypot(c, d) || 1), 0.1)
      const length = Math.hypot(a, b) || 1
      const [alongX, alongY] = [a / length, b / length]
      // Mirrored text runs to the left but stands upright.
      const isMirrored = a * d - b * c < 0
      const side = isMirrored ? -1 : 1
      const along = (x: number, y: number): number => x * alongX + y * alongY
      const x = along(originX, originY)
      // left, top, right, bottom
      const right = boxed
        ? Math.max(
            along(floats[box]!, floats[box + 1]!),
            along(floats[box + 2]!, floats[box + 1]!),
            along(floats[box]!, floats[box + 3]!),
            along(floats[box + 2]!, floats[box + 3]!),
          )
        : x + size * 0.5
      const angle = Math.round((Math.atan2(alongY, alongX) * 180) / Math.PI)
      return {
        x,
        right,
        y: side * (originX * alongY - originY * alongX),
        size,
        bold: isBold(index),
        angle: ((angle + 360) % 360) + (isMirrored ? 360 : 0),
        origin: { x: originX, y: originY },
      }
    },
    close: () => pdfium.free(scratch),
  }
}
