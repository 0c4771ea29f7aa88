import { Parser } from 'htmlparser2'

/** Marks of a table that lists data. */
const OF_DATA = new Set(['th', 'caption', 'thead'])
/** Nobody puts them into a list of data. */
const OF_A_PAGE = new Set(['table', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'main', 'article', 'nav', 'form'])

/**
 * Which tables, by their number in order from 0, only lay a page out, as was done before there were style sheets: their cells are
 * parts of a page and not of a row.
 */
export function layoutTables(html: string): ReadonlySet<number> {
  const found = new Set<number>()
  if (!/<table/i.test(html)) return found
  const open: { number: number; ofData: boolean; ofPage: boolean; cells: number; widest: number }[] = []
  let count = 0
  const close = (): void => {
    const table = open.pop()
    if (table !== undefined && !table.ofData && (table.ofPage || table.widest <= 1)) found.add(table.number)
  }
  const parser = new Parser({
    onopentag(tag, { role }) {
      const around = open.at(-1)
      if (around !== undefined) {
        around.ofData ||= OF_DATA.has(tag)
        around.ofPage ||= OF_A_PAGE.has(tag)
        if (tag === 'tr') around.cells = 0
        if (tag === 'td') around.widest = Math.max(around.widest, ++around.cells)
      }
      if (tag === 'table')
        open.push({ number: count++, ofData: false, ofPage: role === 'presentation' || role === 'none', cells: 0, widest: 0 })
    },
    onclosetag(tag) {
      if (tag === 'table') close()
    },
  })
  parser.end(html)
  while (open.length > 0) close()
  return found
}
