import { formatOf } from '../../../core/formats.ts'
import type { DocumentRecord } from '../../../core/model.ts'
import { asAttachment, FILE_POLICY, type Manner } from '../../answers/send-original.ts'

/**
 * Only docsearch's own pages may frame a PDF, and no script runs. There is no sandbox, because browsers show no PDF inside one; scripts in a
 * PDF run in the browser's viewer, which has another origin. `nosniff` keeps the file from being taken for another type. Some browsers make
 * their viewer of an object and a style, so the policy allows these.
 */
export const PDF_POLICY = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'"

/** Returns how a browser gets the original. Types that could run a script are saved to a file. */
export function mannerOf(document: DocumentRecord): Manner {
  const { mediaType } = document
  const view = formatOf(mediaType)?.originalView
  if (view === 'pdf') return { disposition: 'inline', contentType: mediaType, policy: PDF_POLICY }
  if (view === 'text') return { disposition: 'inline', contentType: `text/plain${charsetOf(document)}`, policy: FILE_POLICY }
  return asAttachment(mediaType)
}

/** The character set that the parser found. */
function charsetOf({ parse }: DocumentRecord): string {
  const { encoding } = parse
  return typeof encoding === 'string' && /^[\w-]{1,40}$/.test(encoding) ? `; charset=${encoding}` : ''
}
