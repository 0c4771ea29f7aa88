import type { SearchResult } from '../../contract/search.ts'
import { safeJson, safeText, Styled } from './safe.ts'
import type { Printable } from './safe.ts'

export function formatJsonLines(results: readonly SearchResult[]): string {
  return results.map((result) => safeJson(result) + '\n').join('')
}

const COLUMNS = ['rank', 'score', 'document_id', 'name', 'path', 'project', 'page_start', 'page_end', 'heading', 'text'] as const

/** CSV by RFC 4180 with a header. An apostrophe precedes everything that a spreadsheet could run as a formula. */
export function formatCsv(results: readonly SearchResult[]): Styled {
  const rows = results.map(({ rank, score, document, chunk, text }) => [
    rank,
    score,
    document.id,
    document.name,
    document.path,
    document.project.name,
    chunk.page_start,
    chunk.page_end,
    chunk.heading,
    text,
  ])
  return lines([COLUMNS, ...rows].map((row) => row.map(field).join(',')))
}

/** A list of single values, such as paths, with the header `name` in CSV. */
export function formatList(name: string, values: readonly string[], format: 'jsonl' | 'csv'): Printable {
  if (format === 'jsonl') return values.map((value) => safeJson(value) + '\n').join('')
  return lines([name, ...values].map(field))
}

/** Ends each line with CRLF, as RFC 4180 requires. The caller has escaped the cells. */
function lines(escaped: readonly string[]): Styled {
  return new Styled(escaped.map((line) => `${line}\r\n`).join(''))
}

/**
 * Where a spreadsheet can begin a cell with a formula: also after a semicolon, a tab or a line break, at which some split lines whatever the
 * quotes, and with the full-width forms of the signs (OWASP, "CSV Injection"). A spreadsheet ignores the quotes and spaces before it.
 */
const FORMULA = /(^|[;\t\n\u2028\u2029])(["\p{Zs}\ufeff]*)(?=[=+@\-＝＋－＠])/gu

function field(value: string | number): string {
  const plain = safeText(String(value))
  // Documents may come from anyone.
  const text = typeof value === 'string' ? plain.replace(FORMULA, "$1'$2") : plain
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
