import { formatOf } from '../../../core/formats.ts'
import type { DocumentRecord } from '../../../core/model.ts'
import { attachmentHeaders, FILE_POLICY, type OriginalHeaders } from '../../answers/send-original.ts'

/**
 * No page may frame a PDF, and no script runs. There is no sandbox, because browsers show no PDF inside one. Scripts in a
 * PDF run in the browser's viewer, which has another origin. `nosniff` keeps the file from being taken for another type. Some browsers make
 * their viewer of an object and a style, so the policy allows these.
 */
const PDF_POLICY = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/** Returns the headers that show an original in the browser. Browsers save types that could run a script. */
export function viewHeaders(document: DocumentRecord): OriginalHeaders {
  const { mediaType } = document
  const view = formatOf(mediaType)?.originalView
  if (view === 'pdf') return { disposition: 'inline', contentType: mediaType, policy: PDF_POLICY }
  if (view === 'text') return { disposition: 'inline', contentType: `text/plain${charsetOf(document)}`, policy: FILE_POLICY }
  return attachmentHeaders(mediaType)
}

/** Returns the character set that the parser found, as a parameter of the content type. */
function charsetOf({ parse }: DocumentRecord): string {
  const { encoding } = parse
  return typeof encoding === 'string' && /^[\w-]{1,40}$/.test(encoding) ? `; charset=${encoding}` : ''
}
