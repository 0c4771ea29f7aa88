/**
 * A line of a page as an engine sees it: where it stands and how it is set. Lengths in points (or any one unit for the
 * document).
 */
export interface Line {
  text: string
  /** Along the line's direction: left edge of its first character, right edge of its last. */
  x: number
  right: number
  /** Across it, growing downwards: baseline of its first and of its last character (a line joined at a hyphen ends one lower). */
  y: number
  endY: number
  /** Size of the type. */
  size: number
  bold: boolean
  /** Direction in degrees, rounded; 0 runs to the right. */
  angle: number
}

/** What a page is read from, whatever the engine. */
export interface PageSource {
  lines: Line[]
  /** Text that stands in form fields and notes instead of on the page. */
  notes: string[]
  /** Outline entries that lead to this page. */
  outline: { title: string; level: number }[]
}
