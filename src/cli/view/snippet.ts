import type { Span } from '../../core/excerpt.ts'
import { wrap } from './width.ts'

/** A line of this many characters was most likely broken because it was full, as in a PDF. */
const FULL_LINE = 40
/** The beginning of an item or a row, which keeps its own line. */
const OWN_LINE = /^[^\S\n]*(?:[-*•‣▪|#>]|\(?\w{1,3}[.)]\s)/

/** Replaces the line breaks within paragraphs by blanks, so that the text can be wrapped again. Keeps its length. */
export function unwrapped(text: string): string {
  const lines = text.split('\n')
  return lines.reduce((all, line, i) => {
    const before = lines[i - 1]!
    const continues = before.trimEnd().length >= FULL_LINE && line.trim() !== '' && !OWN_LINE.test(line)
    return all + (continues ? ' ' : '\n') + line
  })
}

/**
 * Returns the lines to show of a passage, as spans of the text: the `count` neighbouring lines with the most different words of the question
 * and `around` more on each side. Blank lines don't count.
 */
export function snippetOf(
  text: string,
  marks: readonly Span[],
  { width, count, around }: { width: number; count: number; around: number },
): Span[] {
  const lines = wrap(text, width).filter(([from, to]) => text.slice(from, to).trim() !== '')
  if (lines.length <= count) return lines
  const words = lines.map(([from, to]) =>
    marks.filter(([start, end]) => start < to && end > from).map(([start, end]) => text.slice(start, end).toLowerCase()),
  )
  let best = { first: 0, last: 0, score: -1 }
  for (let at = 0; at + count <= lines.length; at++) {
    const inside = words.slice(at, at + count).flat()
    const score = new Set(inside).size + inside.length / 1000
    if (score > best.score) best = { first: at, last: at, score }
    else if (score === best.score && at === best.last + 1) best.last = at
  }
  // Among equal places the middle one, so that there is some text before the words and after them.
  const from = Math.floor((best.first + best.last) / 2)
  return lines.slice(Math.max(0, from - around), from + count + around)
}
