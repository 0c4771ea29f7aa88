import type { Client } from '../../../client/client.ts'
import { DocumentWatch } from '../../../client/document-watch.ts'
import type { Document } from '../../../contract/documents.ts'
import { FORMATS } from '../../../core/formats.ts'
import { collectPages } from '../pages.ts'

const MAIL = new Set<string>(
  Object.values(FORMATS)
    .filter(({ countedIn }) => countedIn === 'messages')
    .map(({ mediaType }) => mediaType),
)

/** Waits until the attachments of the messages among these documents are processed, and returns them. */
export async function settledAttachments(
  client: Client,
  documents: readonly Document[],
  signal: AbortSignal,
): Promise<Document[]> {
  const all = new Map<string, Document>()
  let messages = documents.filter(isMessage)
  while (messages.length > 0) {
    const watch = new DocumentWatch<Document>(client, {
      signal,
      onChange: (document) => void all.set(document.id, document),
      isLate: true,
    })
    try {
      const found: string[] = []
      for (const { id } of messages) {
        for (const attachment of await attachmentsOf(client, id)) {
          found.push(attachment.id)
          watch.add(attachment)
        }
      }
      await watch.settled()
      // A message among them has its own attachments once it is ready.
      messages = found.map((id) => all.get(id)!).filter(isMessage)
    } finally {
      watch.close()
    }
  }
  return [...all.values()]
}

function isMessage({ media_type, status }: Document): boolean {
  return status === 'ready' && MAIL.has(media_type)
}

function attachmentsOf(client: Client, parent: string): Promise<Document[]> {
  return collectPages(undefined, async (page) => {
    const { documents, next_cursor: next } = await client.documents.list({ parent, ...page })
    return { items: documents, next }
  })
}
