import type { Line } from './line.ts'

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
/** In sizes of type. A narrower gap is none that anybody set. */
const MIN_BLANK = 0.12
/** The same after a mark without its letter, which can end in front of the letter's edge. */
const MIN_BLANK_AFTER_MARK = 0.25

/**
 * Joins lines that PDFium breaks at marks above and below the letters, as Thai and Lao have them, because a file can place each mark
 * by itself. Lines are in the order of the file.
 */
export function joinAtMarks(lines: readonly Line[]): Line[] {
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
export function removeBlanksAfterMarks(
  text: string,
  edgesAt: (offset: number) => { x: number; right: number; size: number },
): string {
  return text.replace(BLANK, (all: string, offset: number) => {
    const [before, after] = [edgesAt(offset), edgesAt(offset + all.length)]
    const minBlank = BEGINS.test(all) ? MIN_BLANK_AFTER_MARK : MIN_BLANK
    return after.x - before.right < minBlank * before.size ? all.slice(0, -1) : all
  })
}
