/** Elements that begin a block of HTML among Markdown. */
const BLOCKS =
  /^<\/?(?:address|article|aside|base|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|ol|optgroup|option|p|param|picture|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?=[\s>]|\/>|$)/i
/** Any other element that has a line to itself. */
const ALONE = /^<\/?[a-z][a-z0-9-]*(?:\s[^<>]*)?>$/i
/** Elements in which nothing is Markdown until they end, even after a blank line. */
const RAW = /^<(script|pre|style|textarea)(?=[\s>]|$)/i

/** A comment or script of more lines than this was probably never closed. */
const MAX_LINES = 2_000

/**
 * Returns how many lines from `start` on are HTML and not Markdown; 0 for none. These are a comment, an element with raw content,
 * or a block of elements up to the next blank line.
 * @param isWithinParagraph A paragraph is open. An inline element can be part of it.
 */
export function htmlLines(lines: readonly string[], start: number, isWithinParagraph: boolean): number {
  const first = (lines[start] ?? '').trim()
  if (!first.startsWith('<')) return 0
  const raw = RAW.exec(first)?.[1]?.toLowerCase()
  const end = first.startsWith('<!--') ? '-->' : raw === undefined ? null : `</${raw}>`
  if (end !== null) {
    const last = lines.slice(start, start + MAX_LINES).findIndex((line) => line.toLowerCase().includes(end))
    // Without its end, such a block would be all the rest of the document.
    if (last >= 0) return last + 1
  }
  if (!BLOCKS.test(first) && (isWithinParagraph || !ALONE.test(first))) return 0
  let count = 1
  while ((lines[start + count] ?? '').trim() !== '') count++
  return count
}
