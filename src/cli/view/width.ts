import fastStringWidth from 'fast-string-width'

/** A character as a terminal draws it (a grapheme cluster), and the columns it takes. */
interface Cell {
  start: number
  end: number
  width: number
}

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/
/** Format characters without a width that fast-string-width counts as one column. */
const INVISIBLE = /[\u200b\u2060\ufeff]/g

let segmenter: Intl.Segmenter | undefined

/** Columns that a text takes on a terminal. The text must not contain escape sequences or line breaks. */
export function textWidth(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length
  return fastStringWidth(text.replace(INVISIBLE, ''), { tabWidth: 1 })
}

/** Cuts a text to `width` columns and marks the cut with an ellipsis. */
export function truncate(text: string, width: number): string {
  return textWidth(text) <= width ? text : text.slice(0, fittingEnd(cellsOf(text), width - 1)) + '…'
}

/** Like `truncate`, but keeps the end of the path, because the file name matters as much as the first folder. */
export function truncatePath(path: string, width: number): string {
  if (textWidth(path) <= width) return path
  let start = path.length
  let used = 0
  for (const cell of [...cellsOf(path)].reverse()) {
    used += cell.width
    if (used > Math.floor(width / 2)) break
    start = cell.start
  }
  const tail = path.slice(start)
  return truncate(path, width - textWidth(tail)) + tail
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)))
}

/**
 * Breaks a text into lines of at most `width` columns, as spans [start, end) of the text, so that highlights can be laid over them.
 * Lines break at spaces and line breaks, and within a word only when the word is wider than a line.
 */
export function wrap(text: string, width: number): [number, number][] {
  const lines: [number, number][] = []
  let at = 0
  for (const paragraph of text.split('\n')) {
    for (const [start, end] of wrapParagraph(paragraph, width)) lines.push([at + start, at + end])
    at += paragraph.length + 1
  }
  return lines
}

function wrapParagraph(text: string, width: number): [number, number][] {
  const lines: [number, number][] = []
  let start = 0
  let used = 0
  let space = -1
  for (const cell of cellsOf(text)) {
    const isSpace = /^\s/.test(text.slice(cell.start, cell.end))
    if (isSpace) space = cell.start
    if (used + cell.width > width && !isSpace) {
      const breakAt = space > start ? space : cell.start
      lines.push([start, breakAt])
      start = breakAt === space ? space + 1 : cell.start
      space = -1
      used = textWidth(text.slice(start, cell.start))
    }
    used += cell.width
  }
  lines.push([start, text.length])
  return lines
}

/** The wrapped lines themselves, for a text without highlights. */
export function wrapped(text: string, width: number): string[] {
  return wrap(text, width).map(([from, to]) => text.slice(from, to).trimEnd())
}

function fittingEnd(cells: Iterable<Cell>, width: number): number {
  let end = 0
  let used = 0
  for (const cell of cells) {
    used += cell.width
    if (used > width) break
    end = cell.end
  }
  return end
}

function* cellsOf(text: string): Generator<Cell> {
  if (PRINTABLE_ASCII.test(text)) {
    for (let start = 0; start < text.length; start++) yield { start, end: start + 1, width: 1 }
    return
  }
  segmenter ??= new Intl.Segmenter()
  for (const { segment, index } of segmenter.segment(text))
    yield { start: index, end: index + segment.length, width: textWidth(segment) }
}
