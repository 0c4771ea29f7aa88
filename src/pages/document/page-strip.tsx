import { capitalized } from '../../core/capitalized.ts'
import { countOf } from '../../core/count-of.ts'

/** One page, or several neighbouring pages of a long document. */
export interface StripCell {
  first: number
  last: number
  /** The name of a single sheet or chapter. */
  name: string | null
  /** Pages without text. */
  empty: number
  /** Pages that a warning is about. */
  warned: number
  hits: number
  /** True if the view shows one of these pages. */
  isCurrent: boolean
  address: string
}

/**
 * Shows all pages in one line: which of them have no text or a warning, and where the hits are.
 * @param word What a page of the document is called.
 */
export function PageStrip({ cells, word }: { cells: readonly StripCell[]; word: string }) {
  if (cells.length < 2) return null
  return (
    <nav class="page-strip" aria-label={`${capitalized(word)}s at a glance`}>
      <ol>
        {cells.map((cell) => (
          <li>
            <a
              class={classOf(cell)}
              href={cell.address}
              title={describe(cell, word)}
              aria-label={describe(cell, word)}
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

function describe({ first, last, name, empty, warned, hits }: StripCell, word: string): string {
  const isOne = first === last
  const facts = [
    capitalized(isOne ? `${word} ${first}` : `${word}s ${first} to ${last}`) + (name === null ? '' : `: ${name}`),
    hits > 0 ? countOf(hits, 'hit') : '',
    empty === 0 ? '' : isOne ? 'no text' : `${countOf(empty, word)} without text`,
    warned === 0 ? '' : isOne ? 'a warning' : `${countOf(warned, word)} with warnings`,
  ]
  return facts.filter((fact) => fact !== '').join(', ')
}
