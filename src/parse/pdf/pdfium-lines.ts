import { restoreDropped } from './dropped-letters.ts'
import type { Line } from './line.ts'
import type { Pdfium } from './pdfium-module.ts'
import { fixText } from './text-fixes.ts'

/** PDFium writes U+FFFE instead of a hyphen and a line break. The word continues only if a small letter follows. */
const LINE = /(?:[^\r\n\uFFFE]|\uFFFE(?=\p{Ll}))+\uFFFE?/gu
const PLAIN_LINE = /[^\r\n]+/g
// eslint-disable-next-line no-control-regex
const PAIRED = /[\uD800-\uDBFF]/

/** Called directly, because the package's wrappers cost more than the calls. */
interface TextExports {
  FPDFText_CountChars(text: number): number
  FPDFText_GetText(text: number, start: number, count: number, buffer: number): number
  FPDFText_GetCharIndexFromTextIndex(text: number, index: number): number
}

/** A character this far from the baseline, in sizes of type, is on another line and no superscript. */
const OTHER_LINE = 0.75
const WORD = /\S+/g
const CHARACTER = /\S/gu

/** If the letters of a line were narrower than this share of the size of type, the line turns back somewhere. */
const NARROW = 0.25

/** Returns the text of a text page as PDFium has it, and the function that finds the number of the character at an offset. */
export function readText(pdfium: Pdfium, textPage: number): { raw: string; charAt: (offset: number) => number } {
  const api = pdfium.exports as unknown as TextExports
  const count = Math.max(0, api.FPDFText_CountChars(textPage))
  // Characters outside the Basic Multilingual Plane take two units.
  const buffer = pdfium.malloc(count * 4 + 2)
  try {
    const units = count === 0 ? 0 : api.FPDFText_GetText(textPage, 0, count, buffer)
    const raw = pdfium.text(buffer, Math.max(units - 1, 0))
    const indexOf = characterIndex(raw)
    return { raw, charAt: (offset) => api.FPDFText_GetCharIndexFromTextIndex(textPage, indexOf(offset)) }
  } finally {
    pdfium.free(buffer)
  }
}

/**
 * Returns the visible lines of a text page, as PDFium breaks them. To keep this fast, it asks for the geometry of only the first and last
 * character of each line.
 */
export function readLines(pdfium: Pdfium, page: number, textPage: number): Line[] {
  const { raw, charAt } = readText(pdfium, textPage)
  if (raw === '') return []
  const glyphs = glyphReader(pdfium, textPage)
  try {
    const glyphAt = (offset: number) => glyphs.read(charAt(offset))
    const restore = restoreDropped(pdfium, page, textPage)
    const area = readVisibleArea(pdfium, page)
    const lines: Line[] = []
    const push = (part: string, start: number, first: Glyph, last: Glyph): void => {
      const restored = part.includes('f') ? restore(part, (offset) => charAt(start + offset)) : part
      const unbroken = restored === part ? removeBlanksAfterMarks(part, (offset) => glyphAt(start + offset)) : restored
      const text = fixText(unbroken).replace(/ {2,}/g, ' ').trim()
      if (text === '') return
      lines.push({
        text,
        // A line in a script that runs to the left begins at the right.
        x: Math.min(first.x, last.x),
        right: Math.max(first.right, last.right),
        y: first.y,
        endY: last.y,
        size: first.size,
        bold: first.bold && last.bold,
        angle: first.angle,
      })
    }
    const isHidden = ({ origin }: Glyph): boolean => area !== null && isOutside(area, origin, origin)
    const add = (part: string, start: number, isClipped = false): void => {
      for (let from = 0; ;) {
        const rest = part.slice(from)
        const first = rest.search(/\S/)
        if (first < 0) return
        const at = (offset: number): Glyph => glyphAt(start + from + offset)
        const [left, right] = [at(first), at(rest.trimEnd().length - 1)]
        if (area !== null && !isClipped && (isHidden(left) || isHidden(right))) {
          const [begin, end] = visiblePart(area, rest, at)
          add(rest.slice(begin, end), start + from + begin, true)
          return
        }
        const cut = cutOf(rest, left, right, at)
        if (cut === null) {
          push(rest, start + from, left, right)
          return
        }
        const piece = rest.slice(0, cut)
        push(piece, start + from, left, at(piece.trimEnd().length - 1))
        from += cut
      }
    }
    for (const match of raw.matchAll(raw.includes('\uFFFE') ? LINE : PLAIN_LINE)) add(match[0], match.index)
    return joinAtMarks(lines)
  } finally {
    glyphs.close()
  }
}

/**
 * Returns where to cut a line of PDFium that is really several lines; null for a single line. PDFium joins the pieces of mirrored
 * text, or of text that is upside down, from the wrong side, and it doesn't separate the rows of some tables.
 */
function cutOf(part: string, first: Glyph, last: Glyph, glyphAt: (offset: number) => Glyph): number | null {
  const text = part.trim()
  if (first.angle >= 180 && last.x - first.x < NARROW * first.size * text.length && text.includes(' '))
    return whereItTurnsBack(part, (offset) => glyphAt(offset).x)
  // A line with a hyphen at its end and the rest of the word on the next line is fine.
  if (Math.abs(last.y - first.y) > OTHER_LINE * first.size && !part.includes('\uFFFE')) {
    const isOther = ({ y, size }: Glyph): boolean => Math.abs(y - first.y) > OTHER_LINE * Math.max(first.size, size)
    for (const { index } of part.matchAll(WORD)) if (isOther(glyphAt(index))) return index
    // All in one word: the figures at a vertical axis.
    for (const { index } of part.matchAll(CHARACTER)) if (isOther(glyphAt(index))) return index
  }
  return null
}

/** Returns the offsets of the part between the first and the last visible word of a line. */
function visiblePart(area: VisibleArea, line: string, glyphAt: (offset: number) => Glyph): [from: number, to: number] {
  const words = [...line.matchAll(WORD)].map(({ 0: word, index }): [number, number] => [index, index + word.length])
  const visible = words.filter(([from, to]) => !isOutside(area, glyphAt(from).origin, glyphAt(to - 1).origin))
  return [visible[0]?.[0] ?? 0, visible.at(-1)?.[1] ?? 0]
}

/** Returns where a second piece begins, left of the first; null if there is none. */
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

/** Converts offsets in UTF-16 to those of PDFium, which counts characters. Fast for growing offsets. */
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

/** Vowels and tones of Thai and Lao that stand above or below a letter. Fonts of Windows have lower variants in the private use area. */
const MARKS = '\\u0E31\\u0E34-\\u0E3A\\u0E47-\\u0E4E\\u0EB1\\u0EB4-\\u0EBC\\u0EC8-\\u0ECE\\uF701-\\uF70E\\uF710-\\uF71A'
const BEGINS = new RegExp(`^[${MARKS}]`)
const ENDS = new RegExp(`[${MARKS}]$`)
const ONLY = new RegExp(`^[${MARKS}]+$`)
/** A blank between a mark and a letter. */
const BLANK = new RegExp(`(?:^|[^${MARKS}\\s])[${MARKS}]+ (?=[\\u0E00-\\u0EFF])`, 'g')

/** In sizes of type: how far a mark is above or below its letter, and from it along the line. */
const MAX_RISE = 1.2
const MAX_DISTANCE = 1
/** In sizes of type. A narrower gap is not intended. */
const MIN_BLANK = 0.12
/** The same after a mark without its letter, which can end in front of the letter's edge. */
const MIN_BLANK_AFTER_MARK = 0.25

/**
 * Joins lines that PDFium breaks at marks above and below the letters, as Thai and Lao have them, because a file can place each mark
 * by itself. Lines are in the order of the file.
 */
function joinAtMarks(lines: readonly Line[]): Line[] {
  const joined: Line[] = []
  for (const line of lines) {
    const last = joined.at(-1)
    if (last === undefined || !isTorn(last, line)) {
      joined.push(line)
      continue
    }
    const letters = ONLY.test(last.text) ? line : last
    const hasBlank = !BEGINS.test(line.text) && line.x - last.right >= MIN_BLANK_AFTER_MARK * letters.size
    joined[joined.length - 1] = {
      ...letters,
      text: `${last.text}${hasBlank ? ' ' : ''}${line.text}`,
      x: Math.min(last.x, line.x),
      right: Math.max(last.right, line.right),
      endY: ONLY.test(line.text) ? last.endY : line.endY,
    }
  }
  return joined
}

function isTorn(first: Line, second: Line): boolean {
  if (first.angle !== second.angle || !(BEGINS.test(second.text) || ENDS.test(first.text))) return false
  const size = Math.max(first.size, second.size)
  return (
    Math.min(Math.abs(second.y - first.endY), Math.abs(second.y - first.y)) <= MAX_RISE * size &&
    Math.abs(second.x - first.right) <= MAX_DISTANCE * size
  )
}

/**
 * Removes the blanks that PDFium adds after a mark, which has no width. A real blank is a gap between two letters.
 * @param edgesAt The left and right edge of a character, and its size of type.
 */
function removeBlanksAfterMarks(text: string, edgesAt: (offset: number) => { x: number; right: number; size: number }): string {
  return text.replace(BLANK, (all: string, offset: number) => {
    const [before, after] = [edgesAt(offset), edgesAt(offset + all.length)]
    const minBlank = BEGINS.test(all) ? MIN_BLANK_AFTER_MARK : MIN_BLANK
    return after.x - before.right < minBlank * before.size ? all.slice(0, -1) : all
  })
}

const BOLD_WEIGHT = 600
const BOLD_NAME = /bold|black|heavy|demi/i

/** The place and the type of a character. Lengths are in points. */
interface Glyph {
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
  origin: PagePoint
}

/** The C functions that are called for every line. They are called directly, because the package's wrappers cost more than the calls. */
interface GlyphExports {
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
function glyphReader(pdfium: Pdfium, page: number): { read(index: number): Glyph; close(): void } {
  const api = pdfium.exports as unknown as GlyphExports
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

/** The part of a page that is shown: its crop box within its media box. In points of the page before any rotation. */
interface VisibleArea {
  left: number
  bottom: number
  right: number
  top: number
}

/** A point of a page, in the same units. */
interface PagePoint {
  x: number
  y: number
}

/** A character begins left of its ink, and a line at the edge is still seen. */
const TOLERANCE = 2

/** Returns null if the file doesn't say. */
export function readVisibleArea(pdfium: Pdfium, page: number): VisibleArea | null {
  // A structure of left, top, right and bottom.
  const rectangle = pdfium.malloc(16)
  try {
    if (!pdfium.api.FPDF_GetPageBoundingBox(page, rectangle)) return null
    const [left = 0, top = 0, right = 0, bottom = 0] = pdfium.floats().slice(rectangle / 4, rectangle / 4 + 4)
    return right > left && top > bottom ? { left, bottom, right, top } : null
  } finally {
    pdfium.free(rectangle)
  }
}

/** True if nothing between the two places can be seen. A line that crosses the area can be seen though both its ends are outside. */
export function isOutside(area: VisibleArea, from: PagePoint, to: PagePoint): boolean {
  return (
    Math.max(from.x, to.x) < area.left - TOLERANCE ||
    Math.min(from.x, to.x) > area.right + TOLERANCE ||
    Math.max(from.y, to.y) < area.bottom - TOLERANCE ||
    Math.min(from.y, to.y) > area.top + TOLERANCE
  )
}
