/**
 * A line of a page as an engine sees it: where it stands and how it is set. Lengths in points (or any one unit for the
 * document).
 */
export interface Line {
  text: string
  /** Along the line's direction: its left edge and its right one. */
  x: number
  right: number
  /** Across it, growing downwards: baseline of its first and of its last character (a line joined at a hyphen ends one lower). */
  y: number
  endY: number
  /** Size of the type. */
  size: number
  bold: boolean
  /** Direction in degrees, counter-clockwise, rounded, from 0 (to the right) to 359; mirrored print has 360 more. */
  angle: number
  /** It was typed into a field or note: a block of its own. */
  note?: true
}

/** Text of a form field or note and the rectangle it fills, in points from the page's lower left corner. */
export interface Note {
  text: string
  left: number
  right: number
  top: number
  bottom: number
}

/** What a page is read from, whatever the engine. */
export interface PageSource {
  /** In the file's order. */
  lines: Line[]
  /** Text that stands in form fields and notes instead of on the page. */
  notes: Note[]
  /** Outline entries that lead to this page. */
  outline: { title: string; level: number }[]
}
