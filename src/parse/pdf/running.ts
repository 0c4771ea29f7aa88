import type { Line, PageSource } from './line.ts'

/** A running line has the same place on at least this many of the compared pages. */
const MIN_REPEATS = 2
/** Further from the edge, more repetitions are needed, because a few pages can share a title. */
const MIN_REPEATS_WITHIN = 4
/** A document of at most this many pages hardly has two left and two right pages to compare. */
const FEW_PAGES = 6
/** Distance from the text to a running line, from baseline to baseline, in sizes of type. */
const MIN_DISTANCE = 1.35
/**
 * Many repeated rows, or long ones, can be text that is the same on each page. They must be further from the text than its own lines
 * are from each other.
 */
const MANY_ROWS = 3
const LONG_ROW_CHARS = 60
const MIN_DISTANCE_IN_STEPS = 1.25

export interface Running {
  header: Line[]
  footer: Line[]
}

type Side = 'fromTop' | 'fromBottom'

/**
 * Finds headers, footers and page numbers: lines at the top or bottom with some distance to the text, which other pages have in the
 * same place, except for numbers that grow with the pages. A page number directly below a text of changing length is recognized
 * because it counts the pages. A page that would be left without text keeps all lines.
 * @param others Pages to compare with, by number. The page itself may be among them.
 */
export function findRunning(
  number: number,
  source: PageSource,
  others: ReadonlyMap<number, PageSource>,
  pageCount: number,
): Running {
  const rows = rowsOf(source.lines)
  const within = Math.min(MIN_REPEATS_WITHIN, Math.max(MIN_REPEATS, pageCount - 1))
  const repeated =
    (side: Side) =>
    (row: Row, place: number): boolean =>
      row.lines.every((line) => isRepeated(line, side, place, place === 0 ? MIN_REPEATS : within))
  const isRepeated = (line: Line, side: Side, place: number, times: number): boolean => {
    const edge = edgeOf(line, place, place)
    let found = 0
    for (const [other, page] of others) {
      const pagesApart = other - number
      if (pagesApart === 0) continue
      const same = edges(page).find(
        (candidate) => matches(edge, candidate, pagesApart) || (place === 0 && follows(edge, candidate, pagesApart, side)),
      )
      if (same === undefined) continue
      found++
      // In a short document, one other page with a number that counts the pages is enough.
      const isFew = pageCount === 2 || (pageCount <= FEW_PAGES && pagesApart % 2 === 0)
      if (found >= times || (isFew && counts(edge, same, pagesApart))) return true
    }
    return false
  }
  const step = usualStep(rows)
  const apart = (row: Row, next: Row, found: number): boolean => {
    const gap = Math.abs(next.y - row.y)
    return (
      gap >= MIN_DISTANCE * Math.max(row.size, next.size) &&
      ((found < MANY_ROWS && !isProse(row)) || gap >= MIN_DISTANCE_IN_STEPS * step)
    )
  }
  const top = countRunning(rows, repeated('fromTop'), apart)
  const bottom = countRunning(rows.toReversed(), repeated('fromBottom'), apart)
  if (top + bottom >= rows.length) return { header: [], footer: [] }
  return {
    header: rows.slice(0, top).flatMap(({ lines }) => lines),
    footer: rows.slice(rows.length - bottom).flatMap(({ lines }) => lines),
  }
}

/** Returns how many rows at the edge are running lines: all are repeated, and the last has some distance to the next row. */
function countRunning(
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

function isProse({ lines }: Row): boolean {
  return lines.some(({ text }) => text.length > LONG_ROW_CHARS || /[.,;]$/.test(text))
}

/** Returns the median distance from row to row; 0 for too few rows. */
function usualStep(rows: readonly Row[]): number {
  if (rows.length < 6) return 0
  const steps = rows.slice(1).map((row, i) => row.y - rows[i]!.y)
  return steps.sort((a, b) => a - b)[Math.floor(steps.length / 2)]!
}

/** True for the same line in the same place, or with its number on the other side, as on left and right pages. */
function matches(a: Edge, b: Edge, pagesApart: number): boolean {
  if (Math.abs(a.y - b.y) > 2 || !sameSize(a, b)) return false
  if (a.key === b.key) return a.numbers.every((value, i) => b.numbers[i] === value || b.numbers[i] === value + pagesApart)
  return a.numbers.length > 0 && a.words === b.words && counts(sorted(a), sorted(b), pagesApart)
}

/**
 * True for the same line at the same edge, at any height, with a number that counts the pages. At the top only a number alone counts,
 * because a line with words can be a title.
 */
function follows(a: Edge, b: Edge, pagesApart: number, side: Side): boolean {
  if (b[side] > 1 || a.key !== b.key || !sameSize(a, b)) return false
  return (side === 'fromBottom' || a.words === '') && counts(a, b, pagesApart)
}

/** True if at least one number grows with the pages and the others are equal. */
function counts(a: Edge, b: Edge, pagesApart: number): boolean {
  return (
    a.numbers.length === b.numbers.length &&
    a.numbers.every((value, i) => b.numbers[i] === value || b.numbers[i] === value + pagesApart) &&
    a.numbers.some((value, i) => b.numbers[i] === value + pagesApart)
  )
}

function sorted(edge: Edge): Edge {
  return { ...edge, numbers: edge.numbers.toSorted((a, b) => a - b) }
}

function sameSize(a: Edge, b: Edge): boolean {
  return Math.abs(a.size - b.size) <= 0.1 * a.size
}

/** Rows at the top and at the bottom of a page that can be running lines. */
const MAX_ROWS = 4

interface Row {
  lines: Line[]
  y: number
  size: number
}

/** A line near the edge of a page. */
interface Edge {
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
function edges(source: PageSource): Edge[] {
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

function edgeOf({ text, y, size }: Line, fromTop: number, fromBottom: number): Edge {
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

/** Returns the direction of most lines. */
export function usualAngle(lines: readonly Line[]): number {
  const counts = new Map<number, number>()
  for (const { angle } of lines) counts.set(angle, (counts.get(angle) ?? 0) + 1)
  return [...counts].reduce((best, entry) => (entry[1] > best[1] ? entry : best), [0, 0])[0]
}
