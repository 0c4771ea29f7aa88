import type { SearchResult } from '../../contract/search.ts'
import type { Browsed, Size } from '../browse.ts'
import { headerOf, passage } from './results.ts'
import { joined, oneLine, type Printable, safe, type Styled } from './safe.ts'
import { count, type Style } from './style.ts'
import { truncate, wrapped } from './width.ts'

const HINT = 'Type to search · ↑↓ move · Enter opens · Esc ends'
const SHORT_HINT = '↑↓ move · Enter opens · Esc ends'
const MARKER = '❯ '
/** Remarks and errors are cut after as many lines. */
const MAX_STATUS_ROWS = 3
/** At most this share of the other rows goes to the list. The selected passage has the rest. */
const LIST_SHARE = 0.5

/** Formats the results of a search while the user types: a list, and the passage of the selected result with its marks. */
export function formatBrowsedResults(browsed: Browsed<SearchResult>, { columns, rows }: Size, style: Style): Styled {
  const { items, selected } = browsed
  const lines = statusOf(browsed, columns, style)
  // An empty line is between list and passage.
  const room = Math.max(2, rows - lines.length - 1)
  const listed = Math.min(items.length, Math.max(1, Math.floor(room * LIST_SHARE)))
  const result = items[selected]
  if (result !== undefined) {
    lines.push(...listOf(items, { selected, listed, columns, style }), '')
    lines.push(...passage(result, { width: columns, style, count: room - listed, around: 0 }))
  }
  return joined(lines.slice(0, Math.max(1, rows)), '\n')
}

function statusOf({ items, note, isError, isEmpty }: Browsed<SearchResult>, columns: number, style: Style): Printable[] {
  const show = isError ? style.bad : style.dim
  if (note !== '') return wrapped(oneLine(note), columns).slice(0, MAX_STATUS_ROWS).map(show)
  const hint = isEmpty ? HINT : `${count(items.length, 'result')} · ${SHORT_HINT}`
  return [style.dim(truncate(hint, columns))]
}

/** The part of the list around the selected result. */
function listOf(
  items: readonly SearchResult[],
  { selected, listed, columns, style }: { selected: number; listed: number; columns: number; style: Style },
): Printable[] {
  const first = Math.max(0, Math.min(selected - Math.floor(listed / 2), items.length - listed))
  const showsProject = new Set(items.map(({ document }) => document.project.id)).size > 1
  const indent = ' '.repeat(`${items.length}. `.length)
  return items.slice(first, first + listed).map((item, i) => {
    const width = columns - MARKER.length
    const line = headerOf(item, { width, style, links: false, showsProject, indent })
    return safe`${first + i === selected ? style.good(MARKER) : ' '.repeat(MARKER.length)}${line}`
  })
}
