import { MAX_TITLE_CHARS, shorten } from './text-limits.ts'

/** A passage of a document: the unit that is embedded, indexed and shown. `text-limits.ts` has its limits. */
export interface Chunk {
  /** Counted from 0 within the document. */
  index: number
  /** `documentText(pages).slice(charStart, charEnd)`, without the running headers and footers of page breaks inside it. */
  text: string
  charStart: number
  charEnd: number
  pageStart: number
  pageEnd: number
  /**
   * The white space between the previous passage and this one. Empty for the first passage, and if the white space is very long.
   */
  gap: string
  /** The header row of the table in which the passage starts. Empty if it starts outside a table or contains the header row. */
  context: string
  /** From the highest heading to the nearest one, e.g. ['Terms', 'Refunds']. */
  headingPath: string[]
}

/** Returns the heading path as one line, as it is shown. */
export function formatHeading(path: readonly string[]): string {
  return path.join(' › ')
}

/**
 * Returns the heading path as one line of at most `MAX_TITLE_CHARS`. If the path is too long, each heading gets an equal share.
 */
export function shortHeading(path: readonly string[]): string {
  const line = formatHeading(path)
  if (line.length <= MAX_TITLE_CHARS) return line
  const share = Math.floor((MAX_TITLE_CHARS - formatHeading(path.map(() => '')).length) / path.length)
  return shorten(formatHeading(path.map((heading) => shorten(heading, Math.max(1, share)))), MAX_TITLE_CHARS)
}
