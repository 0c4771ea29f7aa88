import type { Line } from './line.ts'
import { endsInFigure, isListItem, isRow, isSentence, isYears, withoutLeaders } from './line-kinds.ts'

/** A head of columns, a row, or a label of the rows below it, such as `Current assets:`. */
export type TableRole = 'header' | 'row' | 'label'

/** A distance in usual distances between baselines: lines of one cell, and rows of one table, are not further apart. */
const CELL_GAP = 1.3
const ROW_GAP = 2
/** Figures of one column end within this distance, in sizes of type, because a bracket or `%` hangs over. */
const ALIGNED = 1.2
/** A line with wider characters, in sizes of type, has a gap in it: a label and a figure, or the heads of several columns. */
const GAPPED = 0.72
const MAX_LABEL_CHARS = 100
const MAX_HEADER_LINES = 16
const MAX_HEADER_CHARS = 400
const MAX_CELL_CHARS = 120
/** A row's label begins in this share of its width. What begins further right is above the columns of figures. */
const LABEL_SHARE = 0.25
const UNITS = /\b(?:millions?|thousands?|billions?|percent)\b|^\p{Sc}|%/iu

/**
 * Finds the tables among the lines of a page, in reading order: the rows, and above them the heads of the columns and a first
 * label. Returns null for other lines, also for labels between rows.
 * @param leading Usual distance from baseline to baseline, in sizes of type.
 * @param isHeading True for a line that is a heading because of its type.
 */
export function tableRoles(lines: readonly Line[], leading: number, isHeading: (line: Line) => boolean): (TableRole | null)[] {
  const roles = lines.map((line): TableRole | null => (line.note === undefined && isRow(line.text) ? 'row' : null))
  const table = new TableFinder(lines, roles, leading, isHeading)
  table.addSingleFigures()
  if (!roles.includes('row')) return roles
  table.addHeaders()
  return roles
}

class TableFinder {
  private readonly lines: readonly Line[]
  private readonly roles: (TableRole | null)[]
  private readonly leading: number
  private readonly isHeading: (line: Line) => boolean

  constructor(lines: readonly Line[], roles: (TableRole | null)[], leading: number, isHeading: (line: Line) => boolean) {
    this.lines = lines
    this.roles = roles
    this.leading = leading
    this.isHeading = isHeading
  }

  /** Adds rows with one figure: next to other rows whose last column is above or below it, or next to each other with gaps within. */
  addSingleFigures(): void {
    const { lines, roles } = this
    const isCandidate = lines.map((line, i) => roles[i] === null && line.note === undefined && endsInFigure(line.text))
    if (!isCandidate.includes(true)) return
    const join = (i: number, neighbour: number, isBetween = false): void => {
      if (!isCandidate[i] || roles[i] !== null || !this.isInColumn(i, neighbour)) return
      if (
        isBetween ||
        roles[neighbour] === 'row' ||
        (isCandidate[neighbour] && isGapped(lines[i]!) && isGapped(lines[neighbour]!))
      )
        roles[i] = 'row'
    }
    // A long label can fill the gap of a row between two others.
    for (let i = 1; i + 1 < lines.length; i++) {
      if (
        isCandidate[i - 1] &&
        isGapped(lines[i - 1]!) &&
        isCandidate[i + 1] &&
        isGapped(lines[i + 1]!) &&
        this.isInColumn(i - 1, i + 1)
      )
        join(i, i - 1, true)
    }
    for (let i = 1; i < lines.length; i++) join(i, i - 1)
    for (let i = lines.length - 2; i >= 0; i--) join(i, i + 1)
  }

  /** Finds the heads of the columns of each table, and further ones between its rows. */
  addHeaders(): void {
    const { lines, roles } = this
    for (let i = 0; i < lines.length; i++) {
      if (roles[i] !== 'row' && roles[i] !== 'label') continue
      const isFirst = roles[i - 1] == null
      if (isYears(lines[i]!.text) && (isFirst || this.beginsHeader(i))) roles[i] = 'header'
      // What stands between the years and the first row is the second line of the head, unless it is a label.
      else if (roles[i - 1] === 'header' && roles[i] === 'label' && !this.isAboveLabels(i)) roles[i] = 'header'
      if (isFirst) this.addHeaderAbove(i)
    }
  }

  /** True for years between two rows: they have no label, or only the unit. */
  private beginsHeader(i: number): boolean {
    return this.lines[i]!.x - this.leftOf(i) > 2 * this.lines[i]!.size || UNITS.test(this.lines[i]!.text)
  }

  /** Marks the lines above the first row of a table that are heads of its columns, several cells next to each other included. */
  private addHeaderAbove(first: number): void {
    const { lines, roles } = this
    let top = lines[first]!.y
    let characters = 0
    let at = first - 1
    for (; at >= 0 && first - at <= MAX_HEADER_LINES && roles[at] === null; at--) {
      const line = lines[at]!
      const isClear = isYears(line.text) || isGapped(line) || this.isOverColumns(line, first)
      const isAbove = this.isBelow(at + 1, at, isClear ? ROW_GAP : CELL_GAP) || this.isNextTo(at, top, first)
      characters += line.text.length
      if (!isAbove || characters > MAX_HEADER_CHARS || !this.isHead(at, first)) break
      top = Math.min(top, line.y)
      roles[at] = this.isAboveLabels(at, first) ? 'label' : 'header'
    }
    // Labels without a head are left to the rules for labels between rows.
    if (this.isWithinTable(at, first) || !roles.slice(at + 1, first).includes('header')) {
      for (let i = at + 1; i < first; i++) roles[i] = null
      return
    }
    this.returnToParagraph(at, first)
    // Labels are below the heads. A line above a head is part of it.
    for (let i = at + 1, isHead = false; i < first; i++) {
      const last = first - 1 - (i - at - 1)
      if (roles[last] === 'header') isHead = true
      else if (isHead && roles[last] === 'label') roles[last] = 'header'
    }
  }

  /** True if the lines between are labels, or cells of several lines, because a row is directly above them. */
  private isWithinTable(above: number, first: number): boolean {
    const isInRow = this.roles[above] === 'row' || this.roles[above] === 'label'
    if (!isInRow || above + 1 >= first) return false
    const [row, topmost] = [this.lines[above]!, this.lines[above + 1]!]
    return (
      topmost.y - row.endY <= ROW_GAP * this.leading * row.size &&
      !this.lines.slice(above + 1, first).some(({ text }) => isYears(text))
    )
  }

  /** The last line of a paragraph above the table is no head, and neither is a line that only it connects with the table. */
  private returnToParagraph(above: number, first: number): void {
    const { lines, roles } = this
    const [before, topmost] = [lines[above], lines[above + 1]!]
    if (before === undefined || above + 1 >= first || roles[above] !== null || !this.isBelow(above + 1, above, CELL_GAP)) return
    const isProse = before.text.length > MAX_LABEL_CHARS / 2 && !isGapped(before) && before.right > 0.8 * lines[first]!.right
    if (isProse && !isGapped(topmost) && !this.isOverColumns(topmost, first) && !isYears(topmost.text)) roles[above + 1] = null
  }

  private isHead(i: number, first: number): boolean {
    const line = this.lines[i]!
    if (line.note !== undefined || line.angle !== this.lines[first]!.angle || this.isHeading(line)) return false
    if (isSentence(line.text) || isListItem(line.text)) return false
    if (isYears(line.text) || this.isOverColumns(line, first)) return line.text.length <= MAX_CELL_CHARS
    if (isGapped(line)) return line.text.length <= 2 * MAX_CELL_CHARS
    const left = this.leftOf(first)
    if (line.right - left > 0.8 * (this.rightOf(first) - left)) return false
    if (this.roles[first + 1] == null && !isGapped(this.lines[first]!)) return false
    return line.text.length <= MAX_CELL_CHARS && (!/[.:;：；]$/.test(line.text) || this.isAboveLabels(i, first))
  }

  /** True for a short line that begins where the labels of the rows begin, and names no unit. */
  private isAboveLabels(i: number, first = i): boolean {
    const line = this.lines[i]!
    const left = this.leftOf(first)
    return (
      line.x - left < 1.2 * line.size &&
      line.right - left < 0.6 * (this.rightOf(first) - left) &&
      line.text.length <= MAX_LABEL_CHARS &&
      !isGapped(line) &&
      !UNITS.test(line.text) &&
      !isYears(line.text)
    )
  }

  private isOverColumns(line: Line, first: number): boolean {
    const left = this.leftOf(first)
    return line.x - left > LABEL_SHARE * (this.rightOf(first) - left)
  }

  /** True for a cell that is left of the cells already found and at the same height. */
  private isNextTo(i: number, top: number, first: number): boolean {
    const [line, after] = [this.lines[i]!, this.lines[i + 1]!]
    return line.right <= after.x + line.size && line.endY >= top - 0.5 * line.size && line.endY < this.lines[first]!.y
  }

  /** True if the line is below the other one and at most this many usual distances away. */
  private isBelow(i: number, above: number, distances: number): boolean {
    const [line, before] = [this.lines[i], this.lines[above]]
    if (line === undefined || before === undefined || line.angle !== before.angle) return false
    const gap = (line.y - before.endY) / line.size
    return gap > 0.3 && gap <= this.leading * distances
  }

  private isInColumn(i: number, neighbour: number): boolean {
    const [line, other] = [this.lines[i]!, this.lines[neighbour]!]
    const distances = ROW_GAP * Math.abs(i - neighbour)
    const isNear = i > neighbour ? this.isBelow(i, neighbour, distances) : this.isBelow(neighbour, i, distances)
    return isNear && Math.abs(line.right - other.right) <= ALIGNED * line.size && line.x < other.right && other.x < line.right
  }

  /** The left edge of the rows around this one. */
  private leftOf(i: number): number {
    return this.edge(i, (line) => line.x, Math.min)
  }

  private rightOf(i: number): number {
    return this.edge(i, (line) => line.right, Math.max)
  }

  private edge(i: number, of: (line: Line) => number, best: (a: number, b: number) => number): number {
    let edge = of(this.lines[i]!)
    for (let at = Math.max(0, i - 3); at <= Math.min(i + 5, this.lines.length - 1); at++) {
      if (this.roles[at] === 'row') edge = best(edge, of(this.lines[at]!))
    }
    return edge
  }
}

function isGapped(line: Line): boolean {
  const text = withoutLeaders(line.text)
  // Characters of some scripts are twice as wide.
  return (text !== line.text || line.right - line.x > GAPPED * line.size * text.length) && !/[\u2E80-\uFFEF]/.test(text)
}
