import type { Limits } from '../config/config.ts'
import type { Page, ParsedDocument } from '../core/parsed.ts'

/** Raise it when a parser returns other pages for the same file. Documents read with another version are then read again. */
export const PARSER_VERSION = 4

export type PdfEngine = 'pdfium' | 'pdf2json'

/** The limits that a parser enforces itself. The pool enforces those on time and memory. */
export type ParserLimits = Pick<Limits, 'pages' | 'textBytes' | 'xmlBytes'>

/** One file to read. A parser gets the path: the bytes never travel between processes. */
export interface ParserInput {
  file: string
  mediaType: string
  /** The document's name. Its extension says in which language source code is. */
  name?: string
  limits: ParserLimits
  pdfEngine: PdfEngine
}

/** Everything about a document except its pages, which went to the output before. */
export type ParseSummary = Omit<ParsedDocument, 'pages'>

/** A file in a message. */
export interface Attachment {
  /** A name that is safe as the last part of a path. */
  name: string
  /** The page that has the message. */
  page: number
  bytes: Uint8Array
}

/** Takes what a parser reads, page by page, in order. */
export interface ParserOutput {
  /** Called once, when the number of pages is known. Throws `too_many_pages`. */
  open(pageCount: number): void
  /** Called for each page. Throws `too_much_text`. */
  page(page: Page): void
  /** Called for each attachment of a message, after `open`. Resolves when the output has taken the bytes. */
  attachment?(attachment: Attachment): Promise<void>
}

/** The parser of one format. Writes the pages to the output and returns everything else. Throws DocsearchError. */
export type Parser = (input: ParserInput, output: ParserOutput) => Promise<ParseSummary>
