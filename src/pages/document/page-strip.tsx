import { countOf } from '../../core/count-of.ts'

/** One page, or several neighbouring pages of a long document. */
export interface StripCell {
  first: number
  last: number
  /** Pages without text. */
  empty: number
  /** Pages that a warning is about. */
  warned: number
  hits: number
  /** True if the view shows one of these pages. */
  isCurrent: boolean
  address: string
}

/** Shows all pages in one line: which of them have no text or a warning, and where the hits are. */
export function PageStrip({ cells }: { cells: readonly StripCell[] }) {
  if (cells.length < 2) return null
  return (
    <nav class="page-strip" aria-label="Pages at a glance">
      <ol>
        {cells.map((cell) => (
          <li>
            <a
              class={classOf(cell)}
              href={cell.address}
              title={describe(cell)}
              aria-label={describe(cell)}
              aria-current={cell.isCurrent ? 'page' : undefined}
            />
          </li>
        ))}
      </ol>
    </nav>
  )
}

function classOf({ empty, warned, hits }: StripCell): string {
  const health = warned > 0 ? 'warned' : empty > 0 ? 'no-text' : 'text'
  return hits > 0 ? `${health} has-hits` : health
}

function describe({ first, last, empty, warned, hits }: StripCell): string {
  const isOne = first === last
  const facts = [
    isOne ? `Page ${first}` : `Pages ${first} to ${last}`,
    hits > 0 ? countOf(hits, 'hit') : '',
    empty === 0 ? '' : isOne ? 'no text' : `${countOf(empty, 'page')} without text`,
    warned === 0 ? '' : isOne ? 'a warning' : `${countOf(warned, 'page')} with warnings`,
  ]
  return facts.filter((fact) => fact !== '').join(', ')
}
