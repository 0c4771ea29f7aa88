import type { DocumentWarning } from '../../core/model.ts'

const MOST_SHOWN = 12

/** What was tried on pages without text: nothing where they cannot be pictures, and `not_set` where no program is set. */
export type Recognition = 'no_pictures' | 'not_set' | 'failed' | 'found_none'

const NO_TEXT: Record<Recognition, string> = {
  no_pictures:
    'The document has no text, so no search can find it. Pictures in it are not read: save it as PDF and run that through an OCR program such as ocrmypdf',
  not_set:
    'The document has no text: needs OCR, because its pages are pictures (a scan) or empty. Run it through an OCR program such as ocrmypdf and upload the result, or set parse.ocr_command on the instance and reprocess it',
  failed: 'The document has no text: needs OCR, because its pages are pictures (a scan) or empty',
  found_none: 'The document has no text, and OCR found none either: its pages are empty, or too poor a picture',
}
const SOME_PAGES: Record<Exclude<Recognition, 'no_pictures'>, string> = {
  not_set: 'empty, or pictures that need OCR',
  failed: 'empty, or pictures that need OCR',
  found_none: 'OCR found none either',
}

/**
 * Not errors: the document is there and says which of its pages no search can find. Null where that is none, or where a page
 * without text is nothing to wonder about.
 * @param blank Numbers of the pages without text, in order.
 */
export function missingText(blank: readonly number[], pageCount: number, tried: Recognition): DocumentWarning | null {
  if (blank.length === 0) return null
  if (blank.length >= pageCount) return { code: 'no_text', message: NO_TEXT[tried] }
  if (tried === 'no_pictures') return null
  const have = blank.length === 1 ? 'has' : 'have'
  const which = `page${blank.length === 1 ? '' : 's'} ${ranges(blank)}`
  return {
    code: 'pages_without_text',
    message: `${blank.length} of ${pageCount} pages ${have} no text (${which}): ${SOME_PAGES[tried]}`,
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
