import type { Line } from './line.ts'
import type { Pdfium } from './pdfium-module.ts'
import { fixText } from './text-fixes.ts'

const BOLD_WEIGHT = 600
/** PDFium ends a line with U+FFFE instead of a hyphen and a line break; only before a small letter does the word go on. */
const LINE = /(?:[^\r\n\uFFFE]|\uFFFE(?=\p{Ll}))+\uFFFE?/gu
const BOLD_NAME = /bold|black|heavy|demi/i

/**
 * The lines of a text page, as PDFium breaks them. Geometry is asked for the first and last character of each only: that
 * keeps it cheap.
 */
export function readLines(pdfium: Pdfium, page: number): Line[] {
  const { api } = pdfium
  const count = api.FPDFText_CountChars(page)
  if (count <= 0) return []
  // Characters outside the basic plane take two units.
  const buffer = pdfium.malloc(count * 4 + 2)
  // Doubles must stand at multiples of 8; what malloc answers does.
  const scratch = pdfium.malloc(64)
  try {
    const units = api.FPDFText_GetText(page, 0, count, buffer)
    const raw = pdfium.text(buffer, Math.max(units - 1, 0))
    const indexOf = characterIndex(raw)
    const lines: Line[] = []
    for (const match of raw.matchAll(LINE)) {
      const text = fixText(match[0]).replace(/ {2,}/g, ' ').trim()
      if (text === '') continue
      const start = match.index + match[0].search(/\S/)
      const end = match.index + match[0].trimEnd().length - 1
      const first = glyph(pdfium, page, api.FPDFText_GetCharIndexFromTextIndex(page, indexOf(start)), scratch)
      const last = glyph(pdfium, page, api.FPDFText_GetCharIndexFromTextIndex(page, indexOf(end)), scratch)
      lines.push({
        text,
        x: first.x,
        right: last.right,
        y: first.y,
        endY: last.y,
        size: first.size,
        bold: first.bold && last.bold,
        angle: first.angle,
      })
    }
    return lines
  } finally {
    pdfium.free(scratch)
    pdfium.free(buffer)
  }
}

/** From offsets in UTF-16 to PDFium's, which counts characters; for offsets that grow. */
function characterIndex(raw: string): (offset: number) => number {
  // eslint-disable-next-line no-control-regex
  if (!/[\uD800-\uDBFF]/.test(raw)) return (offset) => offset
  let at = 0
  let pairs = 0
  return (offset) => {
    for (; at < offset; at++) {
      const unit = raw.charCodeAt(at)
      if (unit >= 0xd800 && unit < 0xdc00) pairs++
    }
    return offset - pairs
  }
}

interface Glyph {
  x: number
  right: number
  y: number
  size: number
  bold: boolean
  angle: number
}

function glyph(pdfium: Pdfium, page: number, index: number, scratch: number): Glyph {
  const { api } = pdfium
  api.FPDFText_GetCharOrigin(page, index, scratch, scratch + 8)
  const originX = pdfium.doubles()[scratch / 8] ?? 0
  const originY = pdfium.doubles()[scratch / 8 + 1] ?? 0
  const matrix = scratch + 16
  const scale = api.FPDFText_GetMatrix(page, index, matrix)
    ? Math.hypot(pdfium.floats()[matrix / 4 + 2] ?? 0, pdfium.floats()[matrix / 4 + 3] ?? 1)
    : 1
  const size = Math.max(api.FPDFText_GetFontSize(page, index) * (scale || 1), 0.1)
  const radians = Math.max(api.FPDFText_GetCharAngle(page, index), 0)
  const angle = Math.round((radians * 180) / Math.PI) % 360
  // Along the line to the right, across it downwards, whichever way it runs.
  const [cos, sin] = angle === 0 ? [1, 0] : [Math.cos(radians), Math.sin(radians)]
  let right = originX * cos + originY * sin + size * 0.5
  if (angle === 0 && api.FPDFText_GetLooseCharBox(page, index, scratch + 40))
    right = pdfium.floats()[(scratch + 40) / 4 + 2] ?? right
  return {
    x: originX * cos + originY * sin,
    right,
    y: originX * sin - originY * cos,
    size,
    bold: isBold(pdfium, page, index, scratch),
    angle,
  }
}

function isBold(pdfium: Pdfium, page: number, index: number, scratch: number): boolean {
  const { api } = pdfium
  if (api.FPDFText_GetFontWeight(page, index) >= BOLD_WEIGHT) return true
  // The weight is a guess from the stems; the name says it where they do not.
  const length = api.FPDFText_GetFontInfo(page, index, scratch, 64, scratch)
  if (length === 0 || length > 64) return false
  return BOLD_NAME.test(Buffer.from(pdfium.bytes().buffer as ArrayBuffer, scratch, length - 1).toString('latin1'))
}
