import type { Page } from '../../core/parsed.ts'
import { cleanText, PageBuilder } from '../blocks/page-builder.ts'
import type { Line, PageSource } from './line.ts'
import { joinLines } from './text-fixes.ts'
import { firstWord, isContentsEntry, isHeadingLike, isListItem, isRow, startsLikeContinuation } from './line-kinds.ts'
import { placeNotes } from './place-notes.ts'
import { inReadingOrder } from './reading-order.ts'
import type { Running } from './running.ts'
import type { Typography } from './typography.ts'

/** A gap this much larger than the usual one parts paragraphs. */
const PARAGRAPH_GAP = 1.3
const DEFAULT_LEADING = 1.2
/** A line that fills so much of its column is no short line. */
const RAGGED = 0.85

/** So close together are pieces of one word: an f reaches over most of the blank after it. */
const TIGHT = 0.05

interface Group {
  kind: 'heading' | 'paragraph' | 'list_item' | 'row'
  level?: number
  /** Of a row: it names the columns. */
  header?: boolean
  /** Lines of the block; those of a flowing paragraph are joined into one. */
  texts: string[]
  last: Line
  first: Line
}

/** Numbers the tables of a document, for its rows carry the number across pages. */
export interface TableCounter {
  tables: number
}

/**
 * Makes a page of blocks from its lines, by their geometry and type: paragraphs, headings, list items, rows of tables; what
 * runs through the document is apart.
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
  const groups: Group[] = []

  lines.forEach((line, index) => {
    const group = groups.at(-1)
    const level = line.note ? null : typography.headingLevel(line, source.outline)
    const previous = lines[index - 1]
    const [row, item] = [isRow(line.text), isListItem(line.text)]
    if (group !== undefined && previous !== undefined && !line.note && !previous.note) {
      const relation = relate(previous, line, leading, edges[index - 1]!)
      if (
        level !== null &&
        group.kind === 'heading' &&
        group.level === level &&
        relation !== 'apart' &&
        group.texts.join(' ').length < 200
      ) {
        group.texts = [joinLines(group.texts.join(' '), line.text)]
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
    groups.push({ kind, texts: [line.text], first: line, last: line, ...(level === null ? {} : { level }) })
  })

  headBold(groups, leading, typography)
  labelRows(groups, leading)
  headTables(groups, leading)
  return write(number, groups, running, counter)
}

/** Text on one baseline is one line, even where the file sets it in pieces (cells, superscripts). */
function mergeRows(lines: readonly Line[]): Line[] {
  const merged: Line[] = []
  for (const line of lines) {
    const last = merged.at(-1)
    if (last === undefined || !onBaseline(last, line)) {
      merged.push({ ...line })
      continue
    }
    const tight = line.x - last.right < TIGHT * line.size || /^[,.;:)\]]/.test(line.text)
    last.text += (tight ? '' : ' ') + line.text
    last.right = Math.max(last.right, line.right)
    last.endY = Math.max(last.endY, line.endY)
    if (line.text.length > last.text.length / 2) last.size = line.size
    last.bold &&= line.bold
  }
  return merged
}

function onBaseline(last: Line, line: Line): boolean {
  if (last.angle !== line.angle || line.x < last.right - line.size) return false
  // A superscript at its end does not lift the line.
  const apart = Math.min(
    Math.abs(last.endY - line.y),
    Math.abs(last.endY - last.y) < last.size ? Math.abs(last.y - line.y) : Infinity,
  )
  return apart <= 0.3 * Math.min(last.size, line.size)
}

/** Baseline to baseline in sizes of type, as most lines of the page have it. */
function usualLeading(lines: readonly Line[]): number {
  const ratios: number[] = []
  for (let i = 1; i < lines.length; i++) {
    const [a, b] = [lines[i - 1]!, lines[i]!]
    const ratio = (b.y - a.endY) / b.size
    if (a.angle === b.angle && ratio > 0.8 && ratio < 3) ratios.push(ratio)
  }
  if (ratios.length < 3) return DEFAULT_LEADING
  ratios.sort((a, b) => a - b)
  // Below the median: a page of short paragraphs has as many gaps between them as within.
  return ratios[Math.floor(ratios.length * 0.35)] ?? DEFAULT_LEADING
}

interface Edges {
  left: number
  right: number
}

/** For each line how far the lines around it, in the same column and size, reach to either side. */
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
    const apart =
      b.y <= a.endY || b.y - a.endY > 4 * b.size || a.angle !== b.angle || b.x > a.right || b.right < a.x || !sameSize(a, b)
    if (apart) close(i)
  }
  close(lines.length)
  return edges
}

function sameSize(a: Line, b: Line): boolean {
  return Math.abs(a.size - b.size) <= 0.12 * Math.max(a.size, b.size)
}

/**
 * How a line stands to the one before: `flows` (the same paragraph, broken only by the margin), `follows` (the same block,
 * broken on purpose), `apart` (something new).
 */
function relate(before: Line, line: Line, leading: number, edge: Edges): 'flows' | 'follows' | 'apart' {
  if (before.angle !== line.angle || !sameSize(before, line)) return 'apart'
  const gap = (line.y - before.endY) / line.size
  const full = before.right + firstWord(line.text).length * averageWidth(line) > edge.right - 0.5 * line.size
  // The next column, or the top of a page after a figure: a sentence goes on where it would.
  if (gap <= 0.5) return full && startsLikeContinuation(before.text, line.text) ? 'flows' : 'apart'
  if (gap > leading * PARAGRAPH_GAP) return 'apart'
  const ended = /[.!?:;。！？]["'”’)\]]*$/.test(before.text)
  const indented = line.x - before.x > 0.8 * line.size
  if (isContentsEntry(before.text) && /^["“(]?[\p{Lu}\d]/u.test(line.text)) return 'follows'
  if (full && !(ended && indented)) return 'flows'
  // Ragged setting leaves room that the next word would have fitted into.
  if (!ended && before.right - edge.left > RAGGED * (edge.right - edge.left)) return 'flows'
  return ended ? 'apart' : 'follows'
}

function averageWidth(line: Line): number {
  return (line.right - line.x) / Math.max(line.text.length, 1)
}

/** A bold line that stands alone is a heading, though no larger than the text. */
function headBold(groups: Group[], leading: number, typography: Typography): void {
  groups.forEach((group, index) => {
    if (group.kind !== 'paragraph' || group.texts.length !== 1 || !group.first.bold || !group.last.bold) return
    const text = group.texts[0] ?? ''
    const before = groups[index - 1]
    const next = groups[index + 1]
    if (
      !isHeadingLike(text) ||
      next === undefined ||
      (next.kind === 'row' && below(group, next) < leading * PARAGRAPH_GAP) ||
      (next.first.bold && next.kind === 'paragraph')
    )
      return
    const gap = before === undefined ? Infinity : below(before, group)
    if (gap > 0 && gap < leading * 0.9) return
    group.kind = 'heading'
    group.level = typography.boldLevel
  })
}

/** A short line between two rows of a table is a row too: it labels those below it. */
function labelRows(groups: Group[], leading: number): void {
  for (let i = 1; i < groups.length - 1; i++) {
    const group = groups[i]!
    const gap = below(groups[i - 1]!, group)
    if (
      group.kind === 'paragraph' &&
      groups[i - 1]!.kind === 'row' &&
      groups[i + 1]!.kind === 'row' &&
      gap > 0 &&
      gap < leading * 2 &&
      group.texts.every((text) => text.length <= 80)
    )
      group.kind = 'row'
  }
}

/** From baseline to baseline, in sizes of type; negative where the second stands higher. */
function below(before: Group, group: Group): number {
  return (group.first.y - before.last.endY) / group.first.size
}

/** Years, or dates: what heads the columns of figures. */
const YEARS = /^(?:\D*(?:\d{1,2}, )?(?:19|20)\d\d)+\D*$/

/** The first row of a table, or the short lines right above it, where they hold no figures but years, name its columns. */
function headTables(groups: Group[], leading: number): void {
  groups.forEach((group, i) => {
    if (group.kind !== 'row' || groups[i - 1]?.kind === 'row') return
    if (YEARS.test(group.texts[0] ?? '')) group.header = true
    for (let above = i - 1; above >= 0 && i - above <= 3; above--) {
      const line = groups[above]!
      const gap = below(line, groups[above + 1]!)
      // Between two rows it is the label of those below it.
      if (groups[above - 1]?.kind === 'row') return
      if (line.kind !== 'paragraph' || line.first.note || gap <= 0 || gap > leading * PARAGRAPH_GAP) return
      if (line.texts.length > 2 || line.texts.some((text) => text.length > 120 || /[.:;]$/.test(text))) return
      line.kind = 'row'
      line.header = true
    }
  })
}

function write(number: number, groups: readonly Group[], running: Running, counter: TableCounter): Page {
  const page = new PageBuilder(number)
  let inTable = false
  for (const group of groups) {
    const text = cleanText(group.texts.join('\n'))
    if (group.kind === 'row') {
      if (!inTable) counter.tables++
      const header = group.header ? { header: true } : {}
      for (const row of text.split('\n')) page.add('table_row', row, { table: counter.tables, ...header })
    } else if (group.kind === 'heading') page.add('heading', text.replaceAll('\n', ' '), { level: group.level ?? 6 })
    else page.add(group.kind, group.first.note ? text.trim() : text, group.kind === 'list_item' ? { level: 1 } : {})
    inTable = group.kind === 'row'
  }
  const apart = mergeRows([...running.header, ...running.footer]).map((line) => cleanText(line.text))
  return { ...page.build(), ...(apart.length === 0 ? {} : { running: apart }) }
}
