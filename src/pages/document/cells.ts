import type { Span } from '../../core/excerpt.ts'

/** Markdown, HTML and DOCX have this between two cells. Empty cells at the ends of a row leave it at the ends of the text. */
const SEPARATOR = /(?<=^| )\|(?= |$)/g
/** A figure of a PDF's table: `1,234.5`, `(12)`, `40%`, or a dash for an empty cell. */
const FIGURE = /^[([<~≈+−–—$€£¥-]*\d[\d.,:/]*[)%\]]*$|^[—–-]+$|^n\/?[am]$/i
/** Belongs to the figure after it. */
const CURRENCY = /^\(?[$€£¥]\(?$/
/** Belongs to the figure before it. */
const SIGN = /^[)%\]]+$/

/** The cells of a row. Offsets count UTF-16 code units in the text of the row. */
export interface Cells {
  cells: readonly Span[]
  /** True if figures follow a label without separators, so that columns line up from the right. */
  endsInFigures: boolean
}

/** Returns the cells of a row of a table, as far as its text shows them. Cells do not overlap and can be empty. */
export function cellsOf(row: string): Cells {
  const separators = [...row.matchAll(SEPARATOR)].map(({ index }) => index)
  if (separators.length === 0) return { cells: figureCells(row), endsInFigures: true }
  const starts = [0, ...separators.map((at) => at + 1)]
  return { cells: starts.map((start, i) => trimmed(row, start, separators[i] ?? row.length)), endsInFigures: false }
}

/** Cuts a row of a PDF, whose columns have only spaces between them, into its label and the figures at its end. */
function figureCells(row: string): Span[] {
  const tokens = [...row.matchAll(/\S+/g)].map(({ 0: text, index }) => ({ text, start: index, end: index + text.length }))
  const figures: Span[] = []
  let left = tokens.length
  let end: number | null = null
  while (left > 0) {
    const { text, start, end: last } = tokens[left - 1]!
    if (SIGN.test(text)) end ??= last
    else if (FIGURE.test(text)) {
      const before = tokens[left - 2]
      const hasCurrency = before !== undefined && CURRENCY.test(before.text)
      figures.unshift([hasCurrency ? before.start : start, end ?? last])
      end = null
      if (hasCurrency) left--
    } else break
    left--
  }
  const label = trimmed(row, 0, figures[0]?.[0] ?? row.length)
  return [label, ...figures]
}

function trimmed(text: string, from: number, to: number): Span {
  const part = text.slice(from, to)
  const start = from + part.length - part.trimStart().length
  return [start, Math.max(start, from + part.trimEnd().length)]
}
