/**
 * A line of a page as an engine reports it, with its place and type. Lengths are in points, or in another unit that is the same for
 * the whole document.
 */
export interface Line {
  text: string
  /** The left and right edge, along the direction of the line. */
  x: number
  right: number
  /**
   * The baselines of the first and the last character, across the direction of the line, growing downwards. They differ for a line
   * that was joined at a hyphen.
   */
  y: number
  endY: number
  /** Size of type. */
  size: number
  bold: boolean
  /** Direction in whole degrees, counterclockwise from 0 (to the right) to 359. Mirrored text has 360 more. */
  angle: number
  /** The text of a form field or note, which becomes a separate block. */
  note?: true
}

/** The text of a form field or note and its rectangle, in points from the lower left corner of the page. */
export interface Note {
  text: string
  left: number
  right: number
  top: number
  bottom: number
}

/** The content of a page, as each engine returns it. */
export interface PageSource {
  /** In the order of the file. */
  lines: Line[]
  /** Form fields and notes, which are not in the page's own text. */
  notes: Note[]
  /** Outline entries that lead to this page. */
  outline: { title: string; level: number }[]
}
