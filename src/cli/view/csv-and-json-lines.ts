import type { SearchResult } from '../../contract/search.ts'
import { safeJson, safeText, Styled } from './safe.ts'
import type { Printable } from './safe.ts'

export function formatJsonLines(results: readonly SearchResult[]): string {
  return results.map((result) => safeJson(result) + '\n').join('')
}

const COLUMNS = ['rank', 'score', 'document_id', 'name', 'path', 'project', 'page_start', 'page_end', 'heading', 'text'] as const

/** CSV by RFC 4180 with a header. An apostrophe starts each cell that a spreadsheet would run as a formula. */
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

function field(value: string | number): string {
  const plain = safeText(String(value))
  // OWASP, "CSV Injection": a spreadsheet runs `=…`, and documents may come from anyone.
  const text = typeof value === 'string' && /^\s*[=+@-]/.test(plain) ? `'${plain}` : plain
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
