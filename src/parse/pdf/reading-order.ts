import type { Line } from './line.ts'

/** Lines that follow one another downwards in one place: a column, a heading, a cell. */
interface Run {
  lines: Line[]
  x: number
  right: number
  top: number
  bottom: number
}

/** A page with more runs is a drawing with labels, which have no reading order. */
const MAX_RUNS = 400
/** One line of a column is at most this many times as wide as another. */
const MAX_WIDTH_RATIO = 4
const NUMERIC = /^[\d\s.,:;/()[\]$€£¥%+–—-]+$/

/**
 * Returns the lines in reading order. It keeps the order of the file wherever that can be right, because the program that wrote the
 * file knew the columns and boxes. It moves lines that are below others behind them, and puts columns of figures into the rows of
 * their table.
 */
export function inReadingOrder(lines: readonly Line[]): Line[] {
  let runs = runsOf(joinPieces(lines))
  if (runs.length === 1 || runs.length > MAX_RUNS) return runs.flatMap((run) => run.lines)
  const sorted = sortDownwards(splitTangled(runs))
  // Lines that the file had from the bottom up are one run now.
  if (sorted !== runs) runs = runsOf(leftFirst(sorted.flatMap((run) => run.lines)))
  return joinColumns(runs).flatMap((run) => run.lines)
}

/** Joins the pieces of a line that the file has in reverse order. In scripts that run to the left, that order is right. */
function joinPieces(lines: readonly Line[]): Line[] {
  const joined: Line[] = []
  for (const line of lines) {
    const last = joined.at(-1)
    if (
      last !== undefined &&
      line.angle === last.angle &&
      Math.abs(line.y - last.y) <= 0.2 * line.size &&
      line.right <= last.x + 0.3 * line.size &&
      last.x - line.right < 0.6 * line.size &&
      !isRightToLeft(line, last)
    ) {
      const isTight = last.x - line.right < 0.15 * line.size
      joined[joined.length - 1] = {
        ...line,
        text: line.text + (isTight ? '' : ' ') + last.text,
        right: last.right,
        endY: last.endY,
      }
    } else joined.push(line)
  }
  return joined
}

function runsOf(lines: readonly Line[]): Run[] {
  const runs: Run[] = []
  let last: Line | undefined
  for (const line of lines) {
    const run = runs.at(-1)
    if (run === undefined || last === undefined || !continues(run, last, line)) runs.push(runOf(line))
    else {
      run.lines.push(line)
      run.x = Math.min(run.x, line.x)
      run.right = Math.max(run.right, line.right)
      run.bottom = Math.max(run.bottom, line.endY)
    }
    last = line
  }
  return runs
}

function continues(run: Run, last: Line, line: Line): boolean {
  if (line.angle !== last.angle) return false
  if (Math.abs(line.y - last.endY) <= 0.3 * line.size) return line.x >= last.right - line.size
  // A line of very different width can be the first of another column, or a row below one.
  const isSimilar = width(line) < MAX_WIDTH_RATIO * (run.right - run.x) && width(last) < MAX_WIDTH_RATIO * width(line)
  return isSimilar && line.y > last.endY && line.y - last.endY < 4 * line.size && line.x < run.right && line.right > run.x
}

function width(line: Line): number {
  return line.right - line.x
}

/** Splits runs that reach into each other into their lines, which are then sorted one by one. Returns the same array if there are none. */
function splitTangled(runs: Run[]): Run[] {
  const tangled = new Set<Run>()
  runs.forEach((run, i) => {
    for (const later of runs.slice(i + 1)) {
      if (run.lines.length + later.lines.length < 3 || !overlaps(run, later) || isAbove(run, later) || isAbove(later, run))
        continue
      if (isTangled(run, later)) tangled.add(run).add(later)
    }
  })
  return tangled.size === 0 ? runs : runs.flatMap((run) => (tangled.has(run) ? run.lines.map(runOf) : [run]))
}

/** True if lines of the later run belong above lines of the first. False if lines overlap, because one was then printed over the other. */
function isTangled(run: Run, later: Run): boolean {
  let isAny = false
  for (const line of later.lines) {
    for (const other of run.lines) {
      if (!overlaps(runOf(line), runOf(other))) continue
      const apart = other.y - line.y
      if (Math.abs(apart) < 0.75 * line.size) return false
      isAny ||= apart > 0
    }
  }
  return isAny
}

function runOf(line: Line): Run {
  return { lines: [line], x: line.x, right: line.right, top: line.y, bottom: line.endY }
}

/** Sorts runs so that each comes after the runs above it. Returns the same array if no run has to move. */
function sortDownwards(runs: Run[]): Run[] {
  const before: number[] = runs.map(() => 0)
  const after: number[][] = runs.map(() => [])
  let isWrong = false
  runs.forEach((run, i) => {
    runs.forEach((other, j) => {
      if (i === j || !(isAbove(run, other) || isLeftColumn(run, other))) return
      after[i]!.push(j)
      before[j]!++
      isWrong ||= i > j
    })
  })
  if (!isWrong) return runs
  const sorted: Run[] = []
  const done = runs.map(() => false)
  while (sorted.length < runs.length) {
    let next = before.findIndex((count, i) => count === 0 && !done[i])
    // A circle exists only if runs reach into each other. This breaks it.
    if (next < 0) next = done.indexOf(false)
    done[next] = true
    sorted.push(runs[next]!)
    for (const j of after[next]!) before[j]!--
  }
  return sorted
}

/** Swaps neighboring pieces of one row if the right one comes first. */
function leftFirst(lines: Line[]): Line[] {
  const ordered: Line[] = []
  for (const line of lines) {
    const last = ordered.at(-1)
    const isSwapped =
      last !== undefined &&
      last.angle === line.angle &&
      Math.abs(last.y - line.y) <= 0.3 * line.size &&
      line.right <= last.x &&
      !isRightToLeft(line, last)
    if (isSwapped) ordered.splice(-1, 0, line)
    else ordered.push(line)
  }
  return ordered
}

function isRightToLeft(...lines: Line[]): boolean {
  return lines.some(({ text }) => /[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(text))
}

function isAbove(run: Run, other: Run): boolean {
  const first = run.lines[0]!
  if (first.angle !== other.lines[0]!.angle) return false
  return overlaps(run, other) && run.bottom + 0.3 * first.size < other.top
}

/** True if `run` is the column on the left of `other`. */
function isLeftColumn(run: Run, other: Run): boolean {
  if (run.lines.length < 3 || other.lines.length < 3 || run.right > other.x) return false
  if (run.lines[0]!.angle !== other.lines[0]!.angle || isRightToLeft(...run.lines, ...other.lines)) return false
  const shared = Math.min(run.bottom, other.bottom) - Math.max(run.top, other.top)
  return shared > 0.5 * Math.min(run.bottom - run.top, other.bottom - other.top)
}

/** True if one is above or below the other. */
function overlaps(run: Run, other: Run): boolean {
  return Math.min(run.right, other.right) - Math.max(run.x, other.x) > 0.5 * run.lines[0]!.size
}

/** Joins columns of figures with the run next to them, if they share its baselines and so are columns of the same table. */
function joinColumns(runs: readonly Run[]): Run[] {
  const joined: Run[] = []
  for (const run of runs) {
    const table = joined.find((other) => isColumnOf(other, run) || isColumnOf(run, other))
    if (table === undefined) {
      joined.push(run)
      continue
    }
    table.lines = byRows([...table.lines, ...run.lines])
    table.x = Math.min(table.x, run.x)
    table.right = Math.max(table.right, run.right)
    table.top = Math.min(table.top, run.top)
    table.bottom = Math.max(table.bottom, run.bottom)
  }
  return joined
}

function isColumnOf(table: Run, column: Run): boolean {
  const { lines } = column
  if (lines.length < 5 || lines[0]!.angle !== table.lines[0]!.angle) return false
  if (lines.filter(({ text }) => NUMERIC.test(text)).length < 0.6 * lines.length) return false
  let aligned = 0
  for (const line of lines) {
    const row = table.lines.filter((other) => Math.abs(other.y - line.y) <= 0.15 * line.size)
    if (row.some((other) => other.x < line.right && other.right > line.x)) return false
    if (row.length > 0) aligned++
  }
  return aligned >= 0.8 * lines.length
}

function byRows(lines: Line[]): Line[] {
  lines.sort((a, b) => a.y - b.y)
  const rows: Line[][] = []
  for (const line of lines) {
    const row = rows.at(-1)
    if (row !== undefined && line.y - row[0]!.y <= 0.3 * line.size) row.push(line)
    else rows.push([line])
  }
  return rows.flatMap((row) => row.sort((a, b) => a.x - b.x))
}
