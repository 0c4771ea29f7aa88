import { oneLine } from './safe.ts'
import type { Style } from './style.ts'
import { padEnd, textWidth, truncate } from './width.ts'

export interface TableOptions {
  terminal: boolean
  width: number
  style: Style
}

/** On a terminal aligned, with a header, cut to its width (the widest column gives way, but ids stay whole: they are to be copied); on a pipe tab-separated and whole, without one. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[], options: TableOptions): string {
  const cells = rows.map((row) => row.map(oneLine))
  if (!options.terminal) return cells.map((row) => row.join('\t') + '\n').join('')
  const all = [[...header], ...cells]
  const widths = header.map((_, column) => Math.max(...all.map((row) => textWidth(row[column] ?? ''))))
  const gaps = 2 * (widths.length - 1)
  for (;;) {
    const excess = widths.reduce((sum, width) => sum + width, gaps) - options.width
    const given = widths.map((width, column) => (header[column] === 'ID' ? 0 : width))
    const widest = given.indexOf(Math.max(...given))
    if (excess <= 0 || given[widest]! <= 12) break
    widths[widest] = Math.max(12, widths[widest]! - excess)
  }
  return all
    .map((row, number) => {
      const line = row
        .map((cell, column) => padEnd(truncate(cell, widths[column]!), widths[column]!))
        .join('  ')
        .trimEnd()
      return (number === 0 ? options.style.dim(line) : line) + '\n'
    })
    .join('')
}

/** Names and values one below the other. */
export function formatFields(fields: readonly (readonly [string, string | null | undefined])[], options: TableOptions): string {
  const shown = fields.filter(
    (field): field is readonly [string, string] => field[1] !== null && field[1] !== undefined && field[1] !== '',
  )
  if (!options.terminal) return shown.map(([name, value]) => `${name}\t${oneLine(value)}\n`).join('')
  const width = Math.max(...shown.map(([name]) => textWidth(name)))
  return shown.map(([name, value]) => `${options.style.dim(padEnd(name, width))}  ${oneLine(value)}\n`).join('')
}
