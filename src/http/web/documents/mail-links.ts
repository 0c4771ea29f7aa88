import { presentDocument } from '../../../contract/present/documents.ts'
import { isDocsearchError } from '../../../core/errors.ts'
import { formatOf } from '../../../core/formats.ts'
import type { DocumentRecord } from '../../../core/model.ts'
import type { MailLinks } from '../../../pages/document/about.tsx'
import type { Dependencies } from '../../dependencies.ts'
import type { PageCall } from '../routing/page.ts'

/** Of more attachments, the view shows the first ones by name. The list of documents has all. */
const MAX_SHOWN = 50

/** Returns the message of an attachment and the attachments of a message; undefined for any other document. */
export async function mailLinksOf(
  { documents }: Pick<Dependencies, 'documents'>,
  { actor }: Pick<PageCall, 'actor'>,
  { id, parentId, mediaType }: DocumentRecord,
): Promise<MailLinks | undefined> {
  const isMail = formatOf(mediaType)?.countedIn === 'messages'
  if (!isMail && parentId === null) return undefined
  const message = parentId === null ? null : await documents.get(actor, parentId).catch(orNull)
  const { items, nextCursor } = isMail
    ? await documents.list(actor, { parentId: id, sort: 'name', limit: MAX_SHOWN })
    : { items: [], nextCursor: null }
  return { message: message && presentDocument(message), attachments: items.map(presentDocument), hasMore: nextCursor !== null }
}

/** The message was deleted since the attachment was read. */
function orNull(error: unknown): null {
  if (isDocsearchError(error, 'document_not_found')) return null
  throw error
}
