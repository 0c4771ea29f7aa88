import { type Edge, edgeOf, edges, MAX_ROWS, type Row, rowsOf } from './edges.ts'
import type { Line, PageSource } from './line.ts'

/** A running line stands in the same place on so many of the pages it is compared with. */
const REPEATED = 2
/** Further in, it may also be a title that a few pages share. */
const REPEATED_WITHIN = 4
/** So few pages have hardly two left and two right ones to compare. */
const FEW_PAGES = 6
/** From the text to what is not of it, baseline to baseline: at least so many sizes of type. */
const APART = 1.35
/** A text that is the same on each page has many such rows, or long ones: those must be further apart than its own lines. */
const MANY = 3
const LONG = 60
const STEPS_APART = 1.25

export interface Running {
  header: Line[]
  footer: Line[]
}

type Side = 'fromTop' | 'fromBottom'

/**
 * Headers, footers and page numbers: lines at the top or bottom that stand in the same place on other pages, the same but for numbers that grow with
 * the pages, and apart from the text. Where text ends higher on some pages than on others, and the number right below it, the number
 * tells by its counting. A page that would be left without text keeps its lines.
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
  const repeated =
    (side: Side) =>
    (row: Row, place: number): boolean =>
      row.lines.every((line) => isRepeated(line, side, place, place === 0 ? REPEATED : within))
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
      // A number that counts the pages says enough by itself.
      const few = pageCount === 2 || (pageCount <= FEW_PAGES && pagesApart % 2 === 0)
      if (found >= times || (few && counts(edge, same, pagesApart))) return true
    }
    return false
  }
  const step = usualStep(rows)
  const apart = (row: Row, next: Row, found: number): boolean => {
    const gap = Math.abs(next.y - row.y)
    return gap >= APART * Math.max(row.size, next.size) && ((found < MANY && !isProse(row)) || gap >= STEPS_APART * step)
  }
  const top = peel(rows, repeated('fromTop'), apart)
  const bottom = peel(rows.toReversed(), repeated('fromBottom'), apart)
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

function isProse({ lines }: Row): boolean {
  return lines.some(({ text }) => text.length > LONG || /[.,;]$/.test(text))
}

/** Median of the steps from row to row; 0 where there are too few to tell. */
function usualStep(rows: readonly Row[]): number {
  if (rows.length < 6) return 0
  const steps = rows.slice(1).map((row, i) => row.y - rows[i]!.y)
  return steps.sort((a, b) => a - b)[Math.floor(steps.length / 2)]!
}

/** In the same place the same, or with the number on the other side, as left and right pages have it. */
function matches(a: Edge, b: Edge, pagesApart: number): boolean {
  if (Math.abs(a.y - b.y) > 2 || !sameSize(a, b)) return false
  if (a.key === b.key) return a.numbers.every((value, i) => b.numbers[i] === value || b.numbers[i] === value + pagesApart)
  return a.numbers.length > 0 && a.words === b.words && counts(sorted(a), sorted(b), pagesApart)
}

/** At the same edge of the page, at whatever height, the same with a number that counts the pages; at the top it is a number alone, or else a title. */
function follows(a: Edge, b: Edge, pagesApart: number, side: Side): boolean {
  if (b[side] > 1 || a.key !== b.key || !sameSize(a, b)) return false
  return (side === 'fromBottom' || a.words === '') && counts(a, b, pagesApart)
}

/** All numbers are the same but for those that grow with the pages, and there are such. */
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
