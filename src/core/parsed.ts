import type { DocumentWarning } from './model.ts'

/**
 * What every parser returns, whatever the format: pages of blocks.
 * A block is a span of its page's text (`page.text.slice(start, end)`), so a passage shows exactly what the document says.
 */
export type BlockKind = 'heading' | 'paragraph' | 'list_item' | 'table_row' | 'code'

export interface Block {
  kind: BlockKind
  /** Offsets into the page's text, in UTF-16 code units. Blocks are in reading order and do not overlap. */
  start: number
  end: number
  /** Heading: 1 (highest) to 6. List item: depth from 1. */
  level?: number
  /** Table row: the number of its table within the document, which keeps the rows of a table together. */
  table?: number
  /** True for the header row of a table. */
  header?: boolean
  /** True for a table row that only names the rows below it, such as `Current assets`. */
  label?: boolean
  /** Block of a spreadsheet: the number of its row in the sheet or file, from 1. */
  row?: number
  /**
   * The section that a block of code begins: a function, a class, a key. Its level is its depth from 1. An empty title ends the
   * open sections of this level and below.
   */
  section?: { level: number; title: string }
  /** True for a block of a message that quotes another message. */
  quoted?: boolean
  /** True for a quoted block that is not indexed, because the quoted message has it. Never stored. */
  repeated?: boolean
}

export interface Page {
  /** Counted from 1. */
  number: number
  text: string
  blocks: Block[]
  /**
   * Headers, footers and page numbers that repeat on the pages. The text does not include them, so a sentence that
   * continues on the next page is one slice of the text.
   */
  running?: string[]
}

/** The header of a message, for filters and for the place of a result. */
export interface MessageHeader {
  /** The page that has the message. */
  page: number
  subject: string | null
  /** Names and addresses as a mail program shows them: `Ada Lovelace <ada@example.org>`. Empty if the message names none. */
  from: string
  to: string
  cc: string
  /** When the message was sent, in ISO 8601. */
  sentAt: string | null
  /** The `Message-ID`, without its angle brackets. */
  messageId: string | null
  /** The IDs of the messages that this one answers, nearest first. */
  answers: readonly string[]
}

/** An attachment that did not become a document. */
export interface SkippedAttachment {
  name: string
  page: number
  /** Why: a code of an error, or `too_many_attachments` or `too_deep`. */
  code: string
}

export interface ParsedDocument {
  title: string | null
  /** Keywords from the file, for a document that was uploaded without tags. */
  tags?: readonly string[]
  pages: Page[]
  /** The messages of a mail, in order. */
  messages?: readonly MessageHeader[]
  /** Attachments that the parser did not hand on. */
  attachmentsSkipped?: readonly SkippedAttachment[]
  /** How many more attachments the parser left out. */
  attachmentsUnlisted?: number
  /** Pages of the file. More than `pages.length` if a limit stopped the parser early. */
  pageCount: number
  warnings: DocumentWarning[]
  /** Facts for `documents show`: engine, encoding, confidence, took_ms. */
  facts: Record<string, unknown>
}

/** Returns the document's whole text, its pages joined by form feeds. Offsets of passages count in this string. */
export function documentText(pages: readonly Pick<Page, 'text'>[]): string {
  return pages.map((page) => page.text).join('\f')
}
