import type { Pdfium } from './pdfium-module.ts'

const BOLD_WEIGHT = 600
const BOLD_NAME = /bold|black|heavy|demi/i

/** Where a character stands and how it is set; lengths in points. */
export interface Glyph {
  /** Along the line's direction: its left edge and its right one. */
  x: number
  right: number
  /** Across it, growing downwards: its baseline. */
  y: number
  size: number
  bold: boolean
  /** As Line has it. */
  angle: number
}

/** The functions of the C interface that are called for every line: as they are, for the package's wrappers cost more than they do. */
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

/** Reads the glyphs of one text page. `close` frees its scratch memory. */
export function glyphReader(pdfium: Pdfium, page: number): { read(index: number): Glyph; close(): void } {
  const api = pdfium.exports as unknown as TextExports
  // Doubles must stand at multiples of 8; what malloc answers does.
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
  /** The weight is a guess from the stems; the name says it where they do not. */
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
      // Print that is mirrored runs to the left and yet stands upright.
      const mirrored = a * d - b * c < 0
      const side = mirrored ? -1 : 1
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
        angle: ((angle + 360) % 360) + (mirrored ? 360 : 0),
      }
    },
    close: () => pdfium.free(scratch),
  }
}
