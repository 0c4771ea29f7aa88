import type { SearchResult } from '../../contract/search.ts'
import { safeJson, safeText } from './safe.ts'

export function formatJsonLines(results: readonly SearchResult[]): string {
  return results.map((result) => safeJson(result) + '\n').join('')
}

const COLUMNS = ['rank', 'score', 'document_id', 'name', 'path', 'project', 'page_start', 'page_end', 'heading', 'text'] as const

/** CSV by RFC 4180 with a header. An apostrophe starts each cell that a spreadsheet would run as a formula. */
export function formatCsv(results: readonly SearchResult[]): string {
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
  return [COLUMNS, ...rows].map((row) => row.map(field).join(',') + '\r\n').join('')
}

/** Only the names of the documents. */
export function formatNames(names: readonly string[], format: 'jsonl' | 'csv'): string {
  if (format === 'jsonl') return names.map((name) => safeJson(name) + '\n').join('')
  return ['name', ...names].map((name) => field(name) + '\r\n').join('')
}

function field(value: string | number): string {
  const plain = safeText(String(value))
  // OWASP, "CSV Injection": a spreadsheet runs `=…`, and documents may come from anyone.
  const text = typeof value === 'string' && /^\s*[=+@-]/.test(plain) ? `'${plain}` : plain
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
