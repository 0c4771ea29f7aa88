import { canBeginHeading, canBeHeading } from '../../core/headings.ts'
import type { Page } from '../../core/parsed.ts'
import { cleanText, PageBuilder } from '../blocks/page-builder.ts'
import type { Line, PageSource, Note } from './line.ts'
import { joinLines } from './text-fixes.ts'
import {
  beginsWithReference,
  figuresAtEnd,
  firstWord,
  isCaption,
  isContentsEntry,
  isListItem,
  isOfFigures,
  isRow,
  isYears,
  startsLikeContinuation,
} from './line-kinds.ts'
import { inReadingOrder } from './reading-order.ts'
import { type Running, usualAngle } from './running.ts'
import { tableRoles } from './table-lines.ts'
import type { Typography } from './typography.ts'

/** A gap this many times as large as usual separates paragraphs. */
const PARAGRAPH_GAP = 1.3
const DEFAULT_LEADING = 1.2
const MAX_TITLE_CHARS = 200
/** A line that fills this share of its column can be a full line of ragged text. */
const RAGGED = 0.85

/** The label of some rows has at most this many lines, and each line at most this many characters. */
const MAX_LABEL_LINES = 4
const MAX_LABEL_CHARS = 100

/** Pieces of one word are closer than this, in sizes of type. Not much more, because an f reaches over most of the blank after it. */
const TIGHT = 0.05

interface Group {
  kind: 'heading' | 'paragraph' | 'list_item' | 'row'
  level?: number
  /** Only the type of the lines says that they are a heading. */
  isGuessed?: boolean
  /** The row names the columns of its table. */
  header?: boolean
  /** The row names the rows below it. */
  label?: boolean
  /** Lines of the block. The lines of a flowing paragraph are joined into one. */
  texts: string[]
  last: Line
  first: Line
}

/** Counts the tables of a document across its pages. */
export interface TableCounter {
  tables: number
  /** The number of figures in the row at the end of the last page. 0 if the page did not end in a row. */
  figuresAtEnd: number
}

/**
 * Turns the lines of a page into blocks by their geometry and type: paragraphs, headings, list items and table rows. Running lines go
 * to `page.running`.
 */
export function layOut(
  number: number,
  source: PageSource,
  running: Running,
  typography: Typography,
  counter: TableCounter,
): Page {
  const aside = new Set([...running.header, ...running.footer])
  const body = aside.size === 0 ? source.lines : source.lines.filter((line) => !aside.has(line))
  const lines = placeNotes(mergeRows(inReadingOrder(body)), source.notes)
  const leading = usualLeading(lines)
  const edges = columnEdges(lines)
  const roles = tableRoles(lines, leading, (line) => typography.headingOf(line, source.outline) !== null)
  const groups: Group[] = []

  lines.forEach((line, index) => {
    const group = groups.at(-1)
    const previous = lines[index - 1]
    const heading = line.note ? null : typography.headingOf(line, source.outline)
    const role = roles[index] ?? null
    const [row, item] = [role !== null, isListItem(line.text)]
    const begins = heading !== null && (!heading.isGuessed || (canBeginHeading(line.text) && !row))
    const level = begins ? heading.level : null
    if (group !== undefined && previous !== undefined && !line.note && !previous.note) {
      const relation = relate(previous, line, leading, edges[index - 1]!)
      if (
        heading !== null &&
        group.kind === 'heading' &&
        group.level === heading.level &&
        relation !== 'apart' &&
        group.texts.join(' ').length < 200
      ) {
        group.texts = [joinLines(group.texts.join(' '), line.text)]
        group.isGuessed &&= heading.isGuessed
        group.last = line
        return
      }
      const flows = level === null && group.kind !== 'heading' && group.kind !== 'row' && !row && !item
      if (flows && relation === 'flows') {
        group.texts.push(joinLines(group.texts.pop() ?? '', line.text))
        group.last = line
        return
      }
      if (flows && relation === 'follows' && (group.kind === 'paragraph' || line.x > group.first.x + 0.3 * line.size)) {
        group.texts.push(line.text)
        group.last = line
        return
      }
    }
    const kind = level !== null ? 'heading' : line.note ? 'paragraph' : row ? 'row' : item ? 'list_item' : 'paragraph'
    groups.push({
      kind,
      texts: [line.text],
      first: line,
      last: line,
      ...(level === null ? {} : { level, isGuessed: heading!.isGuessed }),
      ...(kind === 'row' && role === 'header' ? { header: true } : {}),
      ...(kind === 'row' && role === 'label' ? { label: true } : {}),
    })
  })

  rejectFalseHeadings(groups, number)
  markBoldHeadings(groups, leading, typography)
  markLabelRows(groups, leading)
  markTableHeaders(groups, leading)
  return write(number, groups, running, counter)
}

/** Joins text on one baseline into one line, because files have lines in pieces (cells, superscripts). */
function mergeRows(lines: readonly Line[]): Line[] {
  const merged: Line[] = []
  for (const line of lines) {
    const last = merged.at(-1)
    if (last === undefined || !isOnBaseline(last, line)) {
      merged.push({ ...line })
      continue
    }
    const isTight = line.x - last.right < TIGHT * line.size || /^[,.;:)\]]/.test(line.text)
    last.text += (isTight ? '' : ' ') + line.text
    last.right = Math.max(last.right, line.right)
    last.endY = Math.max(last.endY, line.endY)
    if (line.text.length > last.text.length / 2) last.size = line.size
    last.bold &&= line.bold
  }
  return merged
}

function isOnBaseline(last: Line, line: Line): boolean {
  if (last.angle !== line.angle || line.x < last.right - line.size) return false
  // A superscript at the end of a line doesn't change its baseline.
  const apart = Math.min(
    Math.abs(last.endY - line.y),
    Math.abs(last.endY - last.y) < last.size ? Math.abs(last.y - line.y) : Infinity,
  )
  if (apart <= 0.3 * Math.min(last.size, line.size)) return true
  // A footnote's reference after a label, with the rest of the row behind it or as the next piece.
  const isRaised = line.size < 0.85 * last.size && line.y < last.endY && last.endY - line.y < 0.6 * last.size
  return isRaised && line.x - last.right < last.size && beginsWithReference(line.text)
}

/** Returns the usual distance from baseline to baseline on the page, in sizes of type. */
function usualLeading(lines: readonly Line[]): number {
  const ratios: number[] = []
  for (let i = 1; i < lines.length; i++) {
    const [a, b] = [lines[i - 1]!, lines[i]!]
    const ratio = (b.y - a.endY) / b.size
    if (a.angle === b.angle && ratio > 0.8 && ratio < 3) ratios.push(ratio)
  }
  if (ratios.length < 3) return DEFAULT_LEADING
  ratios.sort((a, b) => a - b)
  // Below the median, because a page of short paragraphs has as many gaps between them as within them.
  return ratios[Math.floor(ratios.length * 0.35)] ?? DEFAULT_LEADING
}

interface Edges {
  left: number
  right: number
}

/** Returns for each line how far the lines around it in the same column and size reach to both sides. */
function columnEdges(lines: readonly Line[]): Edges[] {
  const edges = new Array<Edges>(lines.length)
  let start = 0
  const close = (end: number): void => {
    const edge = { left: Infinity, right: -Infinity }
    for (let i = start; i < end; i++) {
      edge.left = Math.min(edge.left, lines[i]!.x)
      edge.right = Math.max(edge.right, lines[i]!.right)
    }
    edges.fill(edge, start, end)
    start = end
  }
  for (let i = 1; i < lines.length; i++) {
    const [a, b] = [lines[i - 1]!, lines[i]!]
    const isApart =
      b.y <= a.endY || b.y - a.endY > 4 * b.size || a.angle !== b.angle || b.x > a.right || b.right < a.x || !sameSize(a, b)
    if (isApart) close(i)
  }
  close(lines.length)
  return edges
}

function sameSize(a: Line, b: Line): boolean {
  return Math.abs(a.size - b.size) <= 0.12 * Math.max(a.size, b.size)
}

/**
 * Returns how a line relates to the one before: `flows` (the same paragraph, broken only by the margin), `follows` (the same block,
 * broken on purpose) or `apart` (another block).
 */
function relate(before: Line, line: Line, leading: number, edge: Edges): 'flows' | 'follows' | 'apart' {
  if (before.angle !== line.angle || !sameSize(before, line)) return 'apart'
  const gap = (line.y - before.endY) / line.size
  const isFull = before.right + firstWord(line.text).length * averageWidth(line) > edge.right - 0.5 * line.size
  // The next column, or the top of a page after a figure. Here a sentence can continue.
  if (gap <= 0.5) return isFull && startsLikeContinuation(before.text, line.text) ? 'flows' : 'apart'
  if (gap > leading * PARAGRAPH_GAP) return 'apart'
  const isEnd = /[.!?:;。！？]["'”’)\]]*$/.test(before.text)
  const isIndented = line.x - before.x > 0.8 * line.size
  if (isContentsEntry(before.text) && /^["“(]?[\p{Lu}\d]/u.test(line.text)) return 'follows'
  if (isFull && !(isEnd && isIndented)) return 'flows'
  // In ragged text, the next word would often have fitted into the line.
  if (!isEnd && before.right - edge.left > RAGGED * (edge.right - edge.left)) return 'flows'
  return isEnd ? 'apart' : 'follows'
}

function averageWidth(line: Line): number {
  return (line.right - line.x) / Math.max(line.text.length, 1)
}

/** Makes paragraphs of the headings that their text rules out. The title of a document may be longer than a line. */
function rejectFalseHeadings(groups: readonly Group[], page: number): void {
  for (const group of groups) {
    if (group.kind !== 'heading' || group.isGuessed !== true) continue
    const isTitle = page === 1 && group.level === 1
    if (!canBeHeading(group.texts.join(' '), isTitle ? MAX_TITLE_CHARS : undefined)) group.kind = 'paragraph'
  }
}

/** Makes separate bold lines in the size of the text headings. */
function markBoldHeadings(groups: Group[], leading: number, typography: Typography): void {
  groups.forEach((group, index) => {
    if (group.kind !== 'paragraph' || group.texts.length !== 1 || !group.first.bold || !group.last.bold) return
    const text = group.texts[0] ?? ''
    const before = groups[index - 1]
    const next = groups[index + 1]
    if (
      !canBeHeading(text) ||
      isRow(text) ||
      next === undefined ||
      (next.kind === 'row' && gapBetween(group, next) < leading * PARAGRAPH_GAP) ||
      (next.first.bold && next.kind === 'paragraph')
    )
      return
    const gap = before === undefined ? Infinity : gapBetween(before, group)
    if (gap > 0 && gap < leading * 0.9) return
    group.kind = 'heading'
    group.level = typography.boldLevel
  })
}

/** Makes the short lines between two rows of a table rows, too: they are the label of the rows below. */
function markLabelRows(groups: Group[], leading: number): void {
  for (let from = 1; from < groups.length - 1; from++) {
    const before = groups[from - 1]!
    if (before.kind !== 'row') continue
    let next = from
    while (next < groups.length && next - from < MAX_LABEL_LINES && groups[next]!.kind === 'paragraph') next++
    const labels = groups.slice(from, next)
    const below = groups[next]
    if (labels.length === 0 || below?.kind !== 'row' || !areLabels(before, labels, below, leading)) continue
    // Above a row without words, the lines are the beginning of that row. A line that ends in a figure is a row by itself.
    const isBeginning = isOfFigures(below.texts[0]!)
    for (const group of labels)
      Object.assign(group, { kind: 'row', label: !isBeginning && figuresAtEnd(group.texts.at(-1)!) === 0 })
  }
}

/** Further from the row above, only lines between rows with the same number of figures are labels: others are the caption of another table. */
function areLabels(before: Group, labels: readonly Group[], below: Group, leading: number): boolean {
  const isShort = ({ first, texts }: Group) =>
    !first.note && texts.every((text) => text.length <= MAX_LABEL_CHARS) && !/[.;!?]$/.test(texts.at(-1)!)
  const lines = labels.reduce((sum, { texts }) => sum + texts.length, 0)
  if (lines > MAX_LABEL_LINES || !labels.every(isShort)) return false
  const gaps = [...labels, below].map((group, i) => gapBetween(i === 0 ? before : labels[i - 1]!, group))
  if (gaps.some((gap) => gap <= 0)) return false
  const widest = Math.max(...gaps)
  if (widest < leading * 2) return true
  const figures = figuresAtEnd(before.texts.at(-1)!)
  const isSameTable = figures > 0 && figures === figuresAtEnd(below.texts[0]!) && !isYears(below.texts[0]!)
  return isSameTable && widest < leading * 4 && !isCaption(labels[0]!.texts[0]!)
}

/** Returns the distance from baseline to baseline, in sizes of type; negative if the second group is higher. */
function gapBetween(before: Group, group: Group): number {
  return (group.first.y - before.last.endY) / group.first.size
}

/** Marks the header of each table: its first row, or the short lines directly above it, if they have no figures except years. */
function markTableHeaders(groups: Group[], leading: number): void {
  groups.forEach((group, i) => {
    if (group.kind !== 'row' || groups[i - 1]?.kind === 'row') return
    if (isYears(group.texts[0] ?? '')) group.header = true
    for (let above = i - 1; above >= 0 && i - above <= 3; above--) {
      const line = groups[above]!
      const gap = gapBetween(line, groups[above + 1]!)
      if (line.kind !== 'paragraph' || line.first.note || gap <= 0 || gap > leading * PARAGRAPH_GAP) return
      if (line.texts.length > 2 || line.texts.some((text) => text.length > 120 || /[.:;]$/.test(text))) return
      line.kind = 'row'
      line.header = true
    }
  })
}

function write(number: number, groups: readonly Group[], running: Running, counter: TableCounter): Page {
  const page = new PageBuilder(number)
  const first = groups[0]
  // A table goes on at the top of the next page, unless its header does, too: then each page has its own.
  let inTable =
    first?.kind === 'row' &&
    first.header !== true &&
    counter.figuresAtEnd > 0 &&
    counter.figuresAtEnd === figuresAtEnd(first.texts[0]!)
  for (const [i, group] of groups.entries()) {
    const text = cleanText(group.texts.join('\n'))
    if (group.kind === 'row') {
      const isNew = !inTable || (group.header === true && groups[i - 1]?.header !== true)
      if (isNew) counter.tables++
      const { header, label } = group
      const extra = { table: counter.tables, ...(header && { header }), ...(label && { label }) }
      for (const row of text.split('\n')) page.add('table_row', row, extra)
    } else if (group.kind === 'heading') page.add('heading', text.replaceAll('\n', ' '), { level: group.level ?? 6 })
    else page.add(group.kind, group.first.note ? text.trim() : text, group.kind === 'list_item' ? { level: 1 } : {})
    inTable = group.kind === 'row'
  }
  const last = groups.at(-1)
  counter.figuresAtEnd = last?.kind === 'row' ? figuresAtEnd(last.texts.at(-1)!) : 0
  const apart = mergeRows([...running.header, ...running.footer]).map((line) => cleanText(line.text))
  return { ...page.build(), ...(apart.length === 0 ? {} : { running: apart }) }
}

/** Puts each field and note after the line that it belongs to: its label on the left, else the nearest line above. */
function placeNotes(lines: readonly Line[], notes: readonly Note[]): Line[] {
  if (notes.length === 0) return [...lines]
  const angle = usualAngle(lines)
  const placed = notes.map((note) => lineOf(note, angle)).toSorted((a, b) => a.y - b.y || a.x - b.x)
  const after = new Map<number, Line[]>()
  for (const note of placed) {
    const label = labelOf(note, lines)
    after.set(label, [...(after.get(label) ?? []), note])
  }
  return [...(after.get(-1) ?? []), ...lines.flatMap((line, i) => [line, ...(after.get(i) ?? [])])]
}

/** Converts a note to a line in the coordinates of lines with this angle. `y` is the upper edge of the note, `endY` the lower one. */
function lineOf({ text, left, right, top, bottom }: Note, angle: number): Line {
  const radians = (angle * Math.PI) / 180
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)]
  const corners = [
    [left, top],
    [right, top],
    [left, bottom],
    [right, bottom],
  ] as const
  const xs = corners.map(([x, y]) => x * cos + y * sin)
  const ys = corners.map(([x, y]) => x * sin - y * cos)
  return {
    text,
    x: Math.min(...xs),
    right: Math.max(...xs),
    y: Math.min(...ys),
    endY: Math.max(...ys),
    size: 10,
    bold: false,
    angle,
    note: true,
  }
}

/** Returns the index of the line that a note belongs to; -1 if there is none on the left or above. */
function labelOf(note: Line, lines: readonly Line[]): number {
  let best = -1
  let least = Infinity
  lines.forEach((line, i) => {
    if (line.angle !== note.angle) return
    const isLeft = line.y > note.y && line.y - line.size < note.endY && line.x < note.x + line.size
    const distance = isLeft
      ? Math.max(0, note.x - line.right) / 4
      : note.y - line.endY + Math.max(0, line.x - note.right, note.x - line.right)
    if ((isLeft || line.y <= note.y + line.size) && distance <= least) [best, least] = [i, distance]
  })
  return best
}
