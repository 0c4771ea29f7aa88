import type { DocumentWarning } from './model.ts'

/**
 * What every parser gives, whatever the format: pages of blocks.
 * A block is a span of its page's text (`page.text.slice(start, end)`), so a passage can show exactly what stands in the document.
 */
export type BlockKind = 'heading' | 'paragraph' | 'list_item' | 'table_row' | 'code'

export interface Block {
  kind: BlockKind
  /** Offsets into the page's text, in UTF-16 code units. Blocks are in reading order and do not overlap. */
  start: number
  end: number
  /** Heading: 1 (highest) to 6. List item: depth from 1. */
  level?: number
  /** Table row: number of its table within the document, so that rows of one table stay together; the first row of it is its header when `header` is true. */
  table?: number
  header?: boolean
}

export interface Page {
  /** From 1. */
  number: number
  text: string
  blocks: Block[]
  /**
   * Headers, footers and page numbers that run through the document. They are no part of the text, so that a sentence that
   * goes on from one page to the next is one slice of it.
   */
  running?: string[]
}

export interface ParsedDocument {
  title: string | null
  /** What the file itself says it is about; for a document that was uploaded without tags. */
  tags?: readonly string[]
  pages: Page[]
  /** Pages of the file; more than `pages.length` when a limit cut it short. */
  pageCount: number
  warnings: DocumentWarning[]
  /** Facts for documents show: engine, encoding, confidence, took_ms. */
  facts: Record<string, unknown>
}

/** The document's whole text: pages joined by a form feed. Offsets of chunks count in this string. */
export function documentText(pages: readonly Pick<Page, 'text'>[]): string {
  return pages.map((page) => page.text).join('\f')
}
