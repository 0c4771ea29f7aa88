import type { DocumentRecord } from '../../../core/model.ts'
import { formatOf } from '../../../core/formats.ts'
import { paths } from '../../../pages/paths.ts'
import { FILE_POLICY, sendOriginal, typeByContent, type Manner } from '../../send-original.ts'
import type { Page } from '../page.ts'
import { documentOf } from './find.ts'

/**
 * Only our own pages may frame it, and no script runs. No sandbox: browsers show no PDF in one, and what runs in a PDF runs in the viewer, which
 * is of another origin; `nosniff` keeps it from being taken for anything else. Object and style are what some browsers make the viewer of.
 */
const PDF_POLICY = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'"

/** The original, for who is logged in: a session is no credential of the API. */
export const originalPages: Page[] = [
  {
    method: 'GET',
    path: paths.original(':id'),
    access: 'user',
    async handle(call) {
      const { ctx, services } = call
      const document = await documentOf(call)
      const manner = ctx.query['download'] === undefined ? mannerOf(document) : attached(document)
      await sendOriginal(ctx, services, document, manner)
      if (manner.policy === PDF_POLICY) ctx.set('X-Frame-Options', 'SAMEORIGIN')
    },
  },
]

/** By the type its content has: what could run anything is saved to a file. */
function mannerOf(document: DocumentRecord): Manner {
  const { mediaType } = document
  const view = formatOf(mediaType)?.originalView
  if (view === 'pdf') return { disposition: 'inline', contentType: mediaType, policy: PDF_POLICY }
  if (view === 'text') return { disposition: 'inline', contentType: `text/plain${charsetOf(document)}`, policy: FILE_POLICY }
  return attached(document)
}

function attached({ mediaType }: DocumentRecord): Manner {
  return { disposition: 'attachment', contentType: typeByContent(mediaType), policy: FILE_POLICY }
}

/** As the parser found it. */
function charsetOf({ parse }: DocumentRecord): string {
  const { encoding } = parse
  return typeof encoding === 'string' && /^[\w-]{1,40}$/.test(encoding) ? `; charset=${encoding}` : ''
}
