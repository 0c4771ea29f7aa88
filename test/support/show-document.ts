import { chunkDocument } from '../../src/chunk/chunk.ts'
import { formatHeading } from '../../src/core/chunk.ts'
import type { Page } from '../../src/core/parsed.ts'
import type { ParseSummary } from '../../src/parse/parser.ts'

const words = (text: string): number => text.match(/\S+/g)?.length ?? 0

/**
 * Shows the output of the parser and the chunker, one line for each line of text. For golden files: a diff shows which block
 * changed.
 */
export function showDocument({ title, tags, pages, pageCount, warnings, facts }: ParseSummary & { pages: Page[] }): string {
  const { took_ms: _time, ...told } = facts
  const lines = [
    `title     ${title ?? '-'}`,
    `tags      ${tags?.join(', ') || '-'}`,
    `pages     ${pageCount}`,
    ...Object.entries(told).map(([name, value]) => `${name.padEnd(9)} ${String(value)}`),
    ...warnings.map(({ code, page, message }) => `warning   ${code}${page === undefined ? '' : `, page ${page}`}: ${message}`),
  ]
  for (const page of pages) {
    lines.push('', `=== page ${page.number}`, ...(page.running ?? []).flatMap((text) => mark('(left out)', text)))
    for (const { kind, start, end, level, table, header } of page.blocks) {
      const of = [level, table && `table ${table}`, header && 'header'].filter(Boolean).join(', ')
      lines.push(...mark(`${kind}${of && ` (${of})`}`, page.text.slice(start, end)))
    }
  }
  // Small passages, so that a short document has several.
  for (const chunk of chunkDocument(pages, { maxTokens: 60, targetTokens: 40, countTokens: words })) {
    const { index, pageStart, pageEnd, charStart, charEnd, headingPath, text } = chunk
    const place = pageStart === pageEnd ? `page ${pageStart}` : `pages ${pageStart} to ${pageEnd}`
    lines.push(
      '',
      `--- passage ${index}, ${place}, ${charStart} to ${charEnd}: ${formatHeading(headingPath) || 'no heading'}`,
      text,
    )
  }
  return `${lines.join('\n')}\n`
}

/** Puts the label next to the first line, and the other lines below. */
function mark(what: string, text: string): string[] {
  return text.split('\n').map((line, i) => `${(i === 0 ? what : '').padEnd(28)}| ${line}`.trimEnd())
}
