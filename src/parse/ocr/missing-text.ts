import type { DocumentWarning } from '../../core/model.ts'

const MAX_RANGES_SHOWN = 12

/**
 * Which attempt was made to read the pages without text.
 * - `no_pictures`: none, because docsearch doesn't read pictures of this format.
 * - `no_pages`: none, because the format is a text, which has no pictures.
 * - `not_set`: none, because the instance has no OCR program.
 * - `failed`: the OCR program failed.
 * - `found_none`: the OCR program found no text.
 */
export type OcrAttempt = 'no_pictures' | 'no_pages' | 'not_set' | 'failed' | 'found_none'

const NO_TEXT: Record<OcrAttempt, string> = {
  no_pictures:
    "The document has no text, so no search can find it. docsearch doesn't read the pictures in it: save it as PDF and run that through an OCR program such as ocrmypdf.",
  no_pages: 'The file has no text, so no search can find it. Check the original and upload it again.',
  not_set:
    'The document has no text and needs OCR, because its pages are pictures (a scan) or empty. Run it through an OCR program such as ocrmypdf and upload the result, or set parse.ocr_command on the instance and reprocess the document.',
  failed: 'The document has no text and needs OCR, because its pages are pictures (a scan) or empty.',
  found_none: 'The document has no text, and OCR found none. Its pages are empty, or their pictures are too poor.',
}
const SOME_PAGES: Record<Exclude<OcrAttempt, 'no_pictures' | 'no_pages'>, { one: string; many: string }> = {
  not_set: { one: 'It is empty, or a picture that needs OCR.', many: 'They are empty, or pictures that need OCR.' },
  failed: { one: 'It is empty, or a picture that needs OCR.', many: 'They are empty, or pictures that need OCR.' },
  found_none: { one: 'OCR found none.', many: 'OCR found none.' },
}

/**
 * Returns the warning that no search can find certain pages, or the whole document. Null if all pages have text, or if a blank page
 * is normal in this format.
 * @param blank Numbers of the pages without text, in order.
 */
export function missingText(blank: readonly number[], pageCount: number, attempt: OcrAttempt): DocumentWarning | null {
  if (blank.length === 0) return null
  if (blank.length >= pageCount) return { code: 'no_text', message: NO_TEXT[attempt] }
  if (attempt === 'no_pictures' || attempt === 'no_pages') return null
  const isOne = blank.length === 1
  const [pages, have] = isOne ? ['page', 'has'] : ['pages', 'have']
  return {
    code: 'pages_without_text',
    message: `${blank.length} of ${pageCount} pages ${have} no text (${pages} ${formatRanges(blank)}). ${SOME_PAGES[attempt][isOne ? 'one' : 'many']}`,
    page: blank[0]!,
  }
}

/** `1, 3–5, 9` */
export function formatRanges(numbers: readonly number[]): string {
  const ranges: string[] = []
  for (let i = 0; i < numbers.length;) {
    const from = numbers[i]!
    let to = from
    while (numbers[++i] === to + 1) to++
    ranges.push(from === to ? `${from}` : `${from}–${to}`)
  }
  return ranges.length <= MAX_RANGES_SHOWN ? ranges.join(', ') : `${ranges.slice(0, MAX_RANGES_SHOWN).join(', ')}, …`
}
