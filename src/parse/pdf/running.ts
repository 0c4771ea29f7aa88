import type { Line, PageSource } from './line.ts'

/** Rows at the top and at the bottom that may be running ones. */
const MAX_ROWS = 4
/** A running line stands in the same place on so many of the pages it is compared with. */
const REPEATED = 2
/** Further in, it may also be a title that a few pages share. */
const REPEATED_WITHIN = 4
/** From the text to what is not of it, baseline to baseline: at least so many sizes of type. */
const APART = 1.35
/** Many rows might be a text that is the same on each page: they must be further apart than its own lines. */
const MANY = 3
const STEPS_APART = 1.25

export interface Running {
  header: Line[]
  footer: Line[]
}

interface Row {
  lines: Line[]
  y: number
  size: number
}

interface Edge {
  y: number
  size: number
  /** The text with a sign in the place of every number. */
  key: string
  numbers: number[]
}

/** What a page has at its edges; null where it has too little to compare. */
const edgesOf = new WeakMap<PageSource, Edge[]>()

/**
 * Headers, footers and page numbers: lines at the top or bottom that stand in the same place on other pages, the same but for numbers that grow with
 * the pages, and apart from the text. A page that would be left without text keeps its lines.
 * @param others Pages to compare with, by number; it may be among them.
 */
export function findRunning(
  number: number,
  source: PageSource,
  others: ReadonlyMap<number, PageSource>,
  pageCount: number,
): Running {
  const rows = rowsOf(source.lines)
  const within = Math.min(REPEATED_WITHIN, Math.max(REPEATED, pageCount - 1))
  const repeated = (row: Row, place: number): boolean =>
    row.lines.every((line) => isRepeated(number, line, others, pageCount, place === 0 ? REPEATED : within))
  const step = usualStep(rows)
  const apart = (row: Row, next: Row, found: number): boolean => {
    const gap = Math.abs(next.y - row.y)
    return gap >= APART * Math.max(row.size, next.size) && (found < MANY || gap >= STEPS_APART * step)
  }
  const top = peel(rows, repeated, apart)
  const bottom = peel(rows.toReversed(), repeated, apart)
  if (top + bottom >= rows.length) return { header: [], footer: [] }
  return {
    header: rows.slice(0, top).flatMap(({ lines }) => lines),
    footer: rows.slice(rows.length - bottom).flatMap(({ lines }) => lines),
  }
}

/** How many rows from the edge are running ones: all repeated, and the last of them apart from what follows. */
function peel(
  rows: readonly Row[],
  repeated: (row: Row, place: number) => boolean,
  apart: (row: Row, next: Row, found: number) => boolean,
): number {
  let count = 0
  while (count < Math.min(MAX_ROWS, rows.length) && repeated(rows[count]!, count)) count++
  const found = count
  while (count > 0 && rows[count] !== undefined && !apart(rows[count - 1]!, rows[count]!, found)) count--
  return count
}

/** Median of the steps from row to row; 0 where there are too few to tell. */
function usualStep(rows: readonly Row[]): number {
  if (rows.length < 6) return 0
  const steps = rows.slice(1).map((row, i) => row.y - rows[i]!.y)
  return steps.sort((a, b) => a - b)[Math.floor(steps.length / 2)]!
}

/** Rows from top to bottom, of the lines that run in the direction that most do. */
function rowsOf(lines: readonly Line[]): Row[] {
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

/** The direction in which most lines run. */
export function usualAngle(lines: readonly Line[]): number {
  const counts = new Map<number, number>()
  for (const { angle } of lines) counts.set(angle, (counts.get(angle) ?? 0) + 1)
  return [...counts].reduce((best, entry) => (entry[1] > best[1] ? entry : best), [0, 0])[0]
}

function isRepeated(
  number: number,
  line: Line,
  others: ReadonlyMap<number, PageSource>,
  pageCount: number,
  times: number,
): boolean {
  const edge = edgeOf(line)
  let found = 0
  for (const [other, source] of others) {
    if (other === number) continue
    const same = edges(source).find((candidate) => matches(edge, candidate, other - number))
    if (same === undefined) continue
    found++
    // A number that counts the pages says enough by itself.
    if (found >= times || (pageCount === 2 && edge.numbers.some((value, i) => same.numbers[i] === value + other - number)))
      return true
  }
  return false
}

function matches(a: Edge, b: Edge, pagesApart: number): boolean {
  return (
    a.key === b.key &&
    Math.abs(a.y - b.y) <= 2 &&
    Math.abs(a.size - b.size) <= 0.1 * a.size &&
    a.numbers.every((value, i) => b.numbers[i] === value || b.numbers[i] === value + pagesApart)
  )
}

function edges(source: PageSource): Edge[] {
  let found = edgesOf.get(source)
  if (found === undefined) {
    const rows = rowsOf(source.lines)
    const outer = rows.length <= 2 * MAX_ROWS ? rows : [...rows.slice(0, MAX_ROWS), ...rows.slice(-MAX_ROWS)]
    found = outer.flatMap(({ lines }) => lines.map(edgeOf))
    edgesOf.set(source, found)
  }
  return found
}

const ROMAN = /^[ivxlc]+$/i
const DIGITS: Record<string, number> = { i: 1, v: 5, x: 10, l: 50, c: 100 }

function edgeOf({ text, y, size }: Line): Edge {
  if (ROMAN.test(text)) return { y, size, key: '#', numbers: [roman(text)] }
  return { y, size, key: text.replace(/\d+/g, '#'), numbers: (text.match(/\d+/g) ?? []).map(Number) }
}

function roman(text: string): number {
  const values = [...text.toLowerCase()].map((letter) => DIGITS[letter] ?? 0)
  return values.reduce((sum, value, i) => sum + (value < (values[i + 1] ?? 0) ? -value : value), 0)
}
