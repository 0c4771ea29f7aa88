import { HtmlParser } from './html-parser.ts'

/** Elements that only a table of data has. */
const DATA_PARTS = new Set(['th', 'caption', 'thead'])
/** Elements that only a layout table has. */
const PAGE_PARTS = new Set(['table', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'main', 'article', 'nav', 'form'])

/**
 * Returns the numbers of the tables, in order from 0, that only lay out the page, as was common before style sheets. Their cells
 * are parts of the page.
 */
export function layoutTables(html: string): ReadonlySet<number> {
  const found = new Set<number>()
  if (!/<table/i.test(html)) return found
  const open: { number: number; hasDataParts: boolean; hasPageParts: boolean; cells: number; widest: number }[] = []
  let count = 0
  const close = (): void => {
    const table = open.pop()
    if (table !== undefined && !table.hasDataParts && (table.hasPageParts || table.widest <= 1)) found.add(table.number)
  }
  const parser = new HtmlParser({
    onopentag(tag, { role }) {
      const around = open.at(-1)
      if (around !== undefined) {
        around.hasDataParts ||= DATA_PARTS.has(tag)
        around.hasPageParts ||= PAGE_PARTS.has(tag)
        if (tag === 'tr') around.cells = 0
        if (tag === 'td') around.widest = Math.max(around.widest, ++around.cells)
      }
      if (tag === 'table')
        open.push({
          number: count++,
          hasDataParts: false,
          hasPageParts: role === 'presentation' || role === 'none',
          cells: 0,
          widest: 0,
        })
    },
    onclosetag(tag) {
      if (tag === 'table') close()
    },
  })
  parser.end(html)
  while (open.length > 0) close()
  return found
}
