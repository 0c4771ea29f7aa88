import type { DocumentWarning } from '../core/model.ts'

const MOST_SHOWN = 12

/**
 * Not errors: the document is there and says which of its pages no search can find. Null where that is none, or where a page
 * without text is nothing to wonder about.
 * @param blank Numbers of the pages without text, in order.
 * @param scannable Pages may be pictures.
 */
export function missingText(blank: readonly number[], pageCount: number, scannable: boolean): DocumentWarning | null {
  if (blank.length === 0) return null
  if (blank.length >= pageCount) {
    const what = pageCount > 1 ? `None of the ${pageCount} pages has text` : 'The document has no text'
    const advice = ': needs OCR; set parse.ocr_command and reprocess it, or run it through an OCR program and upload it again'
    return { code: 'no_text', message: scannable ? what + advice : what }
  }
  if (!scannable) return null
  const are = blank.length === 1 ? 'page has' : 'pages have'
  return {
    code: 'pages_without_text',
    message: `${blank.length} of ${pageCount} ${are} no text (${ranges(blank)}): empty, or pictures that need OCR`,
    page: blank[0]!,
  }
}

/** `1, 3–5, 9` */
export function ranges(numbers: readonly number[]): string {
  const parts: string[] = []
  for (let i = 0; i < numbers.length;) {
    const from = numbers[i]!
    let to = from
    while (numbers[++i] === to + 1) to++
    parts.push(from === to ? `${from}` : `${from}–${to}`)
  }
  return parts.length <= MOST_SHOWN ? parts.join(', ') : `${parts.slice(0, MOST_SHOWN).join(', ')}, …`
}
