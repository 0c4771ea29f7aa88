import type { Line, PageSource } from './line.ts'

/** Rows at the top and at the bottom of a page that can be running lines. */
export const MAX_ROWS = 4

export interface Row {
  lines: Line[]
  y: number
  size: number
}

/** A line near the edge of a page. */
export interface Edge {
  y: number
  size: number
  /** The text with `#` in place of every number. */
  key: string
  /** Only the words of the text. */
  words: string
  numbers: number[]
  /** Rows between the line and the edge of the page. */
  fromTop: number
  fromBottom: number
}

const edgesOf = new WeakMap<PageSource, Edge[]>()

/** Returns the lines of the outer rows of a page. The result is cached as long as the page exists. */
export function edges(source: PageSource): Edge[] {
  let found = edgesOf.get(source)
  if (found === undefined) {
    const rows = rowsOf(source.lines)
    found = rows.flatMap(({ lines }, i) => {
      const fromBottom = rows.length - 1 - i
      return i < MAX_ROWS || fromBottom < MAX_ROWS ? lines.map((line) => edgeOf(line, i, fromBottom)) : []
    })
    edgesOf.set(source, found)
  }
  return found
}

const NO_LETTERS = /[^\p{L}]+/gu
/** Digits, and Roman numbers up to the hundreds as separate words. */
const NUMBERS = /\d+|(?<![\p{L}\p{N}])[ivxlc]{1,7}(?![\p{L}\p{N}])/giu

export function edgeOf({ text, y, size }: Line, fromTop: number, fromBottom: number): Edge {
  const numbers: number[] = []
  const key = text.replace(NUMBERS, (number) => {
    numbers.push(/\d/.test(number) ? Number(number) : roman(number))
    return '#'
  })
  return { y, size, key, words: key.replace(NO_LETTERS, ' ').trim(), numbers, fromTop, fromBottom }
}

const DIGITS: Record<string, number> = { i: 1, v: 5, x: 10, l: 50, c: 100 }

function roman(text: string): number {
  const values = [...text.toLowerCase()].map((letter) => DIGITS[letter] ?? 0)
  return values.reduce((sum, value, i) => sum + (value < (values[i + 1] ?? 0) ? -value : value), 0)
}

/** Returns the rows from top to bottom. Lines that don't run in the usual direction are left out. */
export function rowsOf(lines: readonly Line[]): Row[] {
  const rows: Row[] = []
  for (const line of upright(lines).toSorted((a, b) => a.y - b.y)) {
    const row = rows.at(-1)
    if (row !== undefined && line.y - row.y <= 0.3 * line.size) row.lines.push(line)
    else rows.push({ lines: [line], y: line.y, size: line.size })
  }
  return rows
}

function upright(lines: readonly Line[]): readonly Line[] {
  const angle = usualAngle(lines)
  return lines.every((line) => line.angle === angle) ? lines : lines.filter((line) => line.angle === angle)
}

/** Returns the direction of most lines. */
export function usualAngle(lines: readonly Line[]): number {
  const counts = new Map<number, number>()
  for (const { angle } of lines) counts.set(angle, (counts.get(angle) ?? 0) + 1)
  return [...counts].reduce((best, entry) => (entry[1] > best[1] ? entry : best), [0, 0])[0]
}
