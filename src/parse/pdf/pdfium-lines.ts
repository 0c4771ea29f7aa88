import type { Line } from './line.ts'
import { glyphReader } from './pdfium-glyphs.ts'
import type { Pdfium } from './pdfium-module.ts'
import { fixText } from './text-fixes.ts'

/** PDFium ends a line with U+FFFE instead of a hyphen and a line break; only before a small letter does the word go on. */
const LINE = /(?:[^\r\n\uFFFE]|\uFFFE(?=\p{Ll}))+\uFFFE?/gu
const PLAIN_LINE = /[^\r\n]+/g
// eslint-disable-next-line no-control-regex
const PAIRED = /[\uD800-\uDBFF]/

/** Less than this share of the size of type a letter, and a line cannot have run all the way in one direction. */
const NARROW = 0.25

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
  const glyphs = glyphReader(pdfium, page)
  try {
    const units = api.FPDFText_GetText(page, 0, count, buffer)
    const raw = pdfium.text(buffer, Math.max(units - 1, 0))
    const indexOf = characterIndex(raw)
    const glyphAt = (offset: number) => glyphs.read(api.FPDFText_GetCharIndexFromTextIndex(page, indexOf(offset)))
    const lines: Line[] = []
    const add = (part: string, start: number): void => {
      const text = fixText(part).replace(/ {2,}/g, ' ').trim()
      if (text === '') return
      const first = glyphAt(start + part.search(/\S/))
      const last = glyphAt(start + part.trimEnd().length - 1)
      if (first.angle >= 180 && last.x - first.x < NARROW * first.size * text.length && text.includes(' ')) {
        const cut = whereItTurnsBack(part, (offset) => glyphAt(start + offset).x)
        if (cut !== null) {
          add(part.slice(0, cut), start)
          add(part.slice(cut), start + cut)
          return
        }
      }
      lines.push({
        text,
        // A line in a script that runs to the left begins at its right.
        x: Math.min(first.x, last.x),
        right: Math.max(first.right, last.right),
        y: first.y,
        endY: last.y,
        size: first.size,
        bold: first.bold && last.bold,
        angle: first.angle,
      })
    }
    for (const match of raw.matchAll(raw.includes('\uFFFE') ? LINE : PLAIN_LINE)) add(match[0], match.index)
    return lines
  } finally {
    glyphs.close()
    pdfium.free(buffer)
  }
}

/**
 * Print that stands on its head or is mirrored, and was set in pieces, PDFium puts together from the wrong side: the place
 * where a second piece begins, left of the first; null where there is none.
 */
function whereItTurnsBack(part: string, xOf: (offset: number) => number): number | null {
  let last = -Infinity
  for (let offset = 0; offset < part.length; offset++) {
    if (part[offset] === ' ') continue
    const x = xOf(offset)
    if (x < last) return offset
    last = x
  }
  return null
}

/** From offsets in UTF-16 to PDFium's, which counts characters; cheap for offsets that grow. */
function characterIndex(raw: string): (offset: number) => number {
  if (!PAIRED.test(raw)) return (offset) => offset
  let at = 0
  let pairs = 0
  return (offset) => {
    if (offset < at) [at, pairs] = [0, 0]
    for (; at < offset; at++) {
      const unit = raw.charCodeAt(at)
      if (unit >= 0xd800 && unit < 0xdc00) pairs++
    }
    return offset - pairs
  }
}
