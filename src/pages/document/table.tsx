import type { Block } from '../../core/parsed.ts'
import { paths } from '../paths.ts'
import { cellsOf, type Cells } from './cells.ts'
import { beginsIn, PassageText, passageIn, type ShownPassage } from './passage-text.tsx'
import type { Sheet } from './window.ts'

interface TableProps {
  sheet: Sheet
  /** The rows of one table. */
  rows: readonly Block[]
  passage: ShownPassage | null
}

/** Shows rows as a table. What it reads aloud is what the document says, without the separators of cells. */
export function Table({ sheet, rows, passage }: TableProps) {
  const lines = rows.map((block) => ({ block, ...cellsOf(sheet.page.text.slice(block.start, block.end)) }))
  const columns = lines.reduce((most, { cells }) => Math.max(most, cells.length), 1)
  return (
    // A wide table scrolls, and so that a keyboard can scroll it, it takes the focus.
    <div class="cells" role="group" aria-label="Table" tabIndex={0}>
      <table>
        {lines.map(({ block, ...line }) => (
          <Row sheet={sheet} block={block} passage={passage} {...line} columns={columns} />
        ))}
      </table>
    </div>
  )
}

interface RowProps extends Pick<TableProps, 'sheet' | 'passage'>, Cells {
  block: Block
  columns: number
}

function Row({ sheet, block, passage, cells: found, endsInFigures, columns }: RowProps) {
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
      {cells.map(([start, last], i) => {
        const text = <PassageText sheet={sheet} start={top + start} end={top + last} passage={passage} hasAnchor={false} />
        const attributes = {
          dir: 'auto' as const,
          ...(isWhole && columns > 1 ? { colSpan: columns } : {}),
          ...(endsInFigures && i > 0 ? { class: 'figure' } : {}),
        }
        const cell = header && last > start ? <th {...attributes}>{text}</th> : <td {...attributes}>{text}</td>
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
