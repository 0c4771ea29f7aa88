// Limits of texts, in UTF-16 code units. They can't be settings, because passages and titles are stored within them.

/** A passage of a document, in any script. */
export const MAX_PASSAGE_CHARS = 4_000
/** The text of a search result: neighbouring passages joined, with the white space between them. */
export const MAX_JOINED_CHARS = 3 * MAX_PASSAGE_CHARS
/** A title, or all the headings of a passage in one line. */
export const MAX_TITLE_CHARS = 500

/** Returns the first `maxChars` of a text, or one less if the cut would split a surrogate pair. */
export function cutTo(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  return text.slice(0, isInsidePair(text, maxChars) ? maxChars - 1 : maxChars)
}

/** Returns a text with at most `maxChars`. An ellipsis shows where it was cut. */
export function shorten(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${cutTo(text, maxChars - 1)}…`
}

/** Returns true if an offset is inside a surrogate pair. */
export function isInsidePair(text: string, at: number): boolean {
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)]
  return before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000
}
