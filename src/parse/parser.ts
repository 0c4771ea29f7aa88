import type { Limits } from '../config/config.ts'
import type { Page, ParsedDocument } from '../core/parsed.ts'

/** Raised whenever a parser gives other pages for the same bytes: what was read with another version is read again. */
export const PARSER_VERSION = 4

export type PdfEngine = 'pdfium' | 'pdf2json'

/** The part of the limits that a parser minds itself; time and memory are the pool's. */
export type ParserLimits = Pick<Limits, 'pages' | 'textBytes' | 'xmlBytes'>

/** One file to read. The path is all that a parser gets: bytes never travel between processes. */
export interface ParserInput {
  file: string
  mediaType: string
  limits: ParserLimits
  pdfEngine: PdfEngine
}

/** Everything about a document but its pages, which were emitted before. */
export type ParseSummary = Omit<ParsedDocument, 'pages'>

/** Where a parser puts what it reads, page after page, in order. */
export interface ParserOutput {
  /** As soon as it is known how many pages there are. Throws `too_many_pages`. */
  open(pageCount: number): void
  /** Throws `too_much_text`. */
  page(page: Page): void
}

/** One format's reader: emits pages and then says what the document is. Throws DocsearchError. */
export type Parser = (input: ParserInput, output: ParserOutput) => Promise<ParseSummary>
