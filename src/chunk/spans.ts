import { isOwnHeading } from '../core/headings.ts'
import { type Block, documentText, type Page } from '../core/parsed.ts'

/** A block of a page without the blanks at its ends. Its offsets count in the text of the whole document. */
export interface Span {
  kind: Block['kind']
  start: number
  end: number
  page: number
  level?: number
  table?: number
  header?: boolean
  label?: boolean
  section?: Block['section']
  /** True if text before it, which is not indexed, must not be in the same passage. */
  isAfterGap?: boolean
}

/**
 * Returns the document's text and its spans in order: the blocks, and as paragraphs the text that the parser left outside of
 * blocks. Every character that is not blank is in exactly one span, except the characters of repeated quotes, which are in none.
 */
export function spansOf(pages: readonly Page[]): { text: string; spans: Span[] } {
  const spans: Span[] = []
  let base = 0
  let isAfterGap = false
  for (const page of pages) {
    const add = (
      kind: Block['kind'],
      start: number,
      end: number,
      { level, table, header, label, section }: Partial<Block> = {},
    ): void => {
      const trimmed = trim(page.text, start, end)
      if (trimmed === null) return
      const gap = isAfterGap
      isAfterGap = false
      spans.push({
        kind: kind === 'heading' && !isOwnHeading(page.text.slice(trimmed.start, trimmed.end)) ? 'paragraph' : kind,
        start: base + trimmed.start,
        end: base + trimmed.end,
        page: page.number,
        ...(level === undefined ? {} : { level }),
        ...(table === undefined ? {} : { table }),
        ...(header === undefined ? {} : { header }),
        ...(label === undefined ? {} : { label }),
        ...(section === undefined ? {} : { section }),
        ...(gap && { isAfterGap: true }),
      })
    }
    let at = 0
    for (const block of page.blocks) {
      // Passages must not overlap, even if a parser's blocks overlap or reach beyond the page.
      const start = Math.max(block.start, at)
      const end = Math.min(block.end, page.text.length)
      if (start >= end) continue
      add('paragraph', at, start)
      if (block.repeated === true) isAfterGap = true
      else add(block.kind, start, end, block)
      at = end
    }
    add('paragraph', at, page.text.length)
    base += page.text.length + 1
  }
  return { text: documentText(pages), spans }
}

/** Returns the span without the blanks at its ends; null if only blanks are left. */
export function trim(text: string, start: number, end: number): { start: number; end: number } | null {
  while (start < end && isBlank(text, start)) start++
  while (end > start && isBlank(text, end - 1)) end--
  return start < end ? { start, end } : null
}

function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code === 32 || (code >= 9 && code <= 13) || (code > 127 && /\s/.test(text.charAt(at)))
}
