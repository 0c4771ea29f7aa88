import { oneLine } from './safe.ts'
import type { Style } from './style.ts'
import { padEnd, textWidth, truncate, truncatePath, wrapped } from './width.ts'

/** Columns give way down to this where a terminal is narrow. */
const NARROW = 8
const INDENT = '    '

export interface TableOptions {
  terminal: boolean
  width: number
  style: Style
}

/** On a terminal aligned, with a header, cut to its width (the widest column gives way, but ids stay whole: they are to be copied); on a pipe tab-separated and whole, without one. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[], options: TableOptions): string {
  const cells = rows.map((row) => row.map(oneLine))
  if (!options.terminal) return cells.map((row) => row.join('\t') + '\n').join('')
  return aligned(header, cells, options).join('')
}

/**
 * A table whose last column is sentences: on a terminal they stand below their row, broken between words, each on a line of its
 * own; on a pipe they are one column.
 */
export function formatReasons(
  header: readonly string[],
  rows: readonly { cells: readonly string[]; reasons: readonly string[] }[],
  options: TableOptions,
): string {
  if (!options.terminal) {
    const plain = rows.map(({ cells, reasons }) => [
      ...cells,
      reasons.length < 2 ? (reasons[0] ?? '') : reasons.map(sentence).join(' '),
    ])
    return formatTable(header, plain, options)
  }
  const [head = '', ...lines] = aligned(
    header,
    rows.map(({ cells }) => cells.map(oneLine)),
    options,
  )
  const below = (reason: string) =>
    wrapped(oneLine(reason), Math.max(20, options.width - INDENT.length)).map((line) => `${INDENT}${line}\n`)
  return head + lines.map((line, row) => line + rows[row]!.reasons.flatMap(below).join('')).join('')
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

function aligned(header: readonly string[], cells: readonly (readonly string[])[], options: TableOptions): string[] {
  const all = [header, ...cells]
  const widths = header.map((_, column) => Math.max(...all.map((row) => textWidth(row[column] ?? ''))))
  const gaps = 2 * (widths.length - 1)
  for (;;) {
    const excess = widths.reduce((sum, width) => sum + width, gaps) - options.width
    const given = widths.map((width, column) => (header[column] === 'ID' ? 0 : width))
    const widest = given.indexOf(Math.max(...given))
    if (excess <= 0 || given[widest]! <= NARROW) break
    widths[widest] = Math.max(NARROW, widths[widest]! - excess)
  }
  return all.map((row, number) => {
    const cut = (cell: string, column: number) => (header[column] === 'PATH' ? truncatePath : truncate)(cell, widths[column]!)
    const line = row
      .map((cell, column) => padEnd(cut(cell, column), widths[column]!))
      .join('  ')
      .trimEnd()
    return (number === 0 ? options.style.dim(line) : line) + '\n'
  })
}

/** Names and values one below the other. */
export function formatFields(fields: readonly (readonly [string, string | null | undefined])[], options: TableOptions): string {
  const shown = fields.filter(
    (field): field is readonly [string, string] => field[1] !== null && field[1] !== undefined && field[1] !== '',
  )
  if (!options.terminal) return shown.map(([name, value]) => `${name}\t${oneLine(value)}\n`).join('')
  const width = Math.max(...shown.map(([name]) => textWidth(name)))
  const label = (name: string) => `${options.style.dim(padEnd(name, width))}  `
  return shown
    .map(([name, value]) => {
      // What has no blank in it (an id, a hash, a path) is to be copied, and stays whole.
      const plain = oneLine(value)
      const lines = plain.includes(' ') ? wrapped(plain, Math.max(20, options.width - width - 2)) : [plain]
      return label(name) + lines.join(`\n${' '.repeat(width + 2)}`) + '\n'
    })
    .join('')
}
