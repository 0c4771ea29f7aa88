/** Widths of images of pages, in pixels. */
export const PAGE_IMAGE_WIDTH = { min: 200, default: 1_000, max: 2_000 } as const

/** A rectangle on a page as shares of its width and height, from the upper left corner. */
export interface Rectangle {
  x: number
  y: number
  width: number
  height: number
}

/** A part of a page's text to find on the page, with words in it. Offsets count UTF-16 code units in the text. */
export interface TextToMark {
  /** The text of the page, as the parser extracted it. */
  text: string
  passage: readonly [from: number, to: number] | null
  words: readonly (readonly [from: number, to: number])[]
}

/** Where a passage is on its page. */
export interface PageMarks {
  /** The height of the page divided by its width. */
  ratio: number
  /** The lines of the passage. */
  passage: Rectangle[]
  /** The words of the query in the passage. */
  words: Rectangle[]
}
