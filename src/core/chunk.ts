/** A passage of a document: the unit that is embedded, indexed and shown. */
export interface Chunk {
  /** From 0 within the document. */
  index: number
  /** `documentText(pages).slice(charStart, charEnd)`, without running headers and footers that lie between. */
  text: string
  charStart: number
  charEnd: number
  pageStart: number
  pageEnd: number
  /** What lies between the passage before and this one: blanks. Empty for the first. */
  gap: string
  /** The header row of the table that the passage begins within; empty where it begins elsewhere or holds that row itself. */
  context: string
  /** From the document's highest heading to the nearest, e.g. ['Terms', 'Refunds']. */
  headingPath: string[]
}

/** How a heading path is shown and stored. */
export function formatHeading(path: readonly string[]): string {
  return path.join(' › ')
}
