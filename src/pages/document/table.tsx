import type { Block } from '../../core/parsed.ts'
import { paths } from '../paths.ts'
import { beginsIn, PassageText, passageIn, type ShownPassage } from '../marked.tsx'
import type { Sheet } from './window.ts'
import type { Span } from '../../core/excerpt.ts'

interface TableProps {
  sheet: Sheet
  /** The rows of one table. */
  rows: readonly Block[]
  passage: ShownPassage | null
}

/** Header rows of a table that are shown again where a part of the text begins within it. */
const MAX_REPEATED_HEADERS = 3

/**
 * Shows rows as a table. Screen readers read the text of the document, without the separators of cells. The rows of a spreadsheet have numbers,
 * because results name them.
 */
export function Table({ sheet, rows, passage }: TableProps) {
  const again = headerAbove(sheet, rows[0]!)
  const lines = [...again, ...rows].map((block) => ({ block, ...cellsOf(sheet.page.text.slice(block.start, block.end)) }))
  const columns = lines.reduce((most, { cells }) => Math.max(most, cells.length), 1)
  const numbered = rows.some(({ row }) => row !== undefined)
  const bodyAt = lines.findIndex(({ block }) => block.header !== true)
  const head = bodyAt < 0 ? lines.length : bodyAt
  const shown = lines.map(({ block, ...line }, i) => (
    <Row
      sheet={sheet}
      block={block}
      passage={i < again.length ? null : passage}
      {...line}
      columns={columns}
      numbered={numbered}
    />
  ))
  return (
    // A wide table scrolls, and so that a keyboard can scroll it, it takes the focus.
    <div class="cells" role="group" aria-label={labelOf(sheet, rows[0]!)} tabIndex={0}>
      <table>
        {head > 0 ? <thead>{shown.slice(0, head)}</thead> : null}
        {head < shown.length ? <tbody>{shown.slice(head)}</tbody> : null}
      </table>
    </div>
  )
}

/** Returns the header of a table whose beginning is in the part of the text before this one. */
function headerAbove({ page }: Sheet, first: Block): Block[] {
  if (first.header === true) return []
  const headers: Block[] = []
  for (const block of page.blocks) {
    if (block.start >= first.start || headers.length === MAX_REPEATED_HEADERS) break
    if (block.table !== first.table || block.kind !== 'table_row') continue
    if (block.header !== true) break
    headers.push(block)
  }
  return headers
}

/** Names a table after the heading above it. */
function labelOf({ page }: Sheet, first: Block): string {
  const heading = page.blocks.findLast(({ kind, start }) => kind === 'heading' && start < first.start)
  return heading === undefined ? 'Table' : `Table in ${page.text.slice(heading.start, heading.end)}`
}

interface RowProps extends Pick<TableProps, 'sheet' | 'passage'>, Cells {
  block: Block
  columns: number
  /** Whether rows begin with their numbers. */
  numbered: boolean
}

function Row({ sheet, block, passage, cells: found, endsInFigures, columns, numbered }: RowProps) {
  const { start: top, end, header = false, label = false } = block
  // "Years ended December 31" above several columns is no figure in the last one.
  const cells: Cells['cells'] = header && endsInFigures && found.length < columns ? [[0, end - top]] : found
  const isHit = passageIn(sheet, passage, top, end) !== null
  const missing = columns - cells.length
  const isWhole = cells.length === 1
  return (
    <tr
      class={[isHit ? 'hit' : '', label ? 'label' : ''].filter(Boolean).join(' ') || undefined}
      {...(beginsIn(sheet, passage, top, end) ? { id: paths.passageAnchor } : {})}
    >
      {numbered ? (
        <th scope="row" class="row-number">
          {block.row}
        </th>
      ) : null}
      {cells.map(([start, last], i) => {
        const text = <PassageText sheet={sheet} start={top + start} end={top + last} passage={passage} hasAnchor={false} />
        const attributes = {
          dir: 'auto' as const,
          ...(isWhole && columns > 1 ? { colSpan: columns } : {}),
          ...(endsInFigures && i > 0 ? { class: 'figure' } : {}),
        }
        const cell =
          header && last > start ? (
            <th scope="col" {...attributes}>
              {text}
            </th>
          ) : (
            <td {...attributes}>{text}</td>
          )
        return (
          <>
            {cell}
            {missing > 0 && !isWhole && i === (endsInFigures ? 0 : cells.length - 1) ? <td colSpan={missing} /> : null}
          </>
        )
      })}
    </tr>
  )
}

/** Markdown, HTML and DOCX have this between two cells. Empty cells at the ends of a row leave it at the ends of the text. */
const SEPARATOR = /(?<=^| )\|(?= |$)/g
/** A figure of a PDF's table: `1,234.5`, `(12)`, `40%`, or a dash for an empty cell. */
const FIGURE = /^[([<~≈+−–—$€£¥-]*\d[\d.,:/]*[)%\]]*$|^[—–-]+$|^n\/?[am]$/i
/** Belongs to the figure after it. */
const CURRENCY = /^\(?[$€£¥]\(?$/
/** Belongs to the figure before it. */
const SIGN = /^[)%\]]+$/

/** The cells of a row. Offsets count UTF-16 code units in the text of the row. */
interface Cells {
  cells: readonly Span[]
  /** True if figures follow a label without separators, so that columns line up from the right. */
  endsInFigures: boolean
}

/** Returns the cells of a table row that its text shows. Cells do not overlap and can be empty. */
export function cellsOf(row: string): Cells {
  const separators = [...row.matchAll(SEPARATOR)].map(({ index }) => index)
  if (separators.length === 0) return { cells: figureCells(row), endsInFigures: true }
  const starts = [0, ...separators.map((at) => at + 1)]
  return { cells: starts.map((start, i) => trimmed(row, start, separators[i] ?? row.length)), endsInFigures: false }
}

/** Cuts a row of a PDF, whose columns have only spaces between them, into its label and the figures at its end. */
function figureCells(row: string): Span[] {
  const tokens = [...row.matchAll(/\S+/g)].map(({ 0: text, index }) => ({ text, start: index, end: index + text.length }))
  const figures: Span[] = []
  let left = tokens.length
  let end: number | null = null
  while (left > 0) {
    const { text, start, end: last } = tokens[left - 1]!
    if (SIGN.test(text)) end ??= last
    else if (FIGURE.test(text)) {
      const before = tokens[left - 2]
      const hasCurrency = before !== undefined && CURRENCY.test(before.text)
      figures.unshift([hasCurrency ? before.start : start, end ?? last])
      end = null
      if (hasCurrency) left--
    } else break
    left--
  }
  const label = trimmed(row, 0, figures[0]?.[0] ?? row.length)
  return [label, ...figures]
}

function trimmed(text: string, from: number, to: number): Span {
  const part = text.slice(from, to)
  const start = from + part.length - part.trimStart().length
  return [start, Math.max(start, from + part.trimEnd().length)]
}
