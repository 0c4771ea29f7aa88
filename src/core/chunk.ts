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
  /** The white space between the previous passage and this one. Empty for the first passage, and where it is very long. */
  gap: string
  /** The header row of the table in which the passage starts. Empty if it starts outside a table or contains the header row. */
  context: string
  /** From the highest heading to the nearest one, e.g. ['Terms', 'Refunds']. */
  headingPath: string[]
}

/** Returns the heading path as one line, as it is shown and stored. */
export function formatHeading(path: readonly string[]): string {
  return path.join(' › ')
}
