import { isDocsearchError } from '../../../src/core/errors.ts'
import { newId } from '../../../src/core/ids.ts'
import type { Quotas } from '../../../src/core/model.ts'
import type { SkippedAttachment } from '../../../src/core/parsed.ts'
import { MAX_ATTACHMENT_DEPTH, MAX_ATTACHMENTS, type NewAttachment } from '../../../src/records/attachments.ts'
import { checkBytes, checkNewDocument } from '../../../src/records/quotas.ts'
import { numberedPath } from '../../../src/records/rules.ts'
import { freshVersion, queueNextVersion, removeDocuments } from './document-changes.ts'
import { atPath } from './find-documents.ts'
import type { MemoryStore, StoredDocument } from './store.ts'

/** Returns the attachments of documents, with those of messages among them. */
export function attachmentsOf<T extends StoredDocument>(documents: ReadonlyMap<string, T>, ids: readonly string[]): T[] {
  const found: T[] = []
  for (const wanted = [...ids]; wanted.length > 0;) {
    const parent = wanted.pop()
    const children = [...documents.values()].filter(({ parentId }) => parentId === parent)
    found.push(...children)
    wanted.push(...children.map(({ id }) => id))
  }
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

export function saveAttachments(
  store: MemoryStore,
  parent: StoredDocument,
  attachments: readonly NewAttachment[],
  { isWhole, quotas }: { isWhole: boolean; quotas: Quotas },
): SkippedAttachment[] {
  const former = [...store.documents.values()].filter(({ parentId }) => parentId === parent.id)
  let [root, depth] = [parent, 0]
  for (; root.parentId !== null; depth++) root = store.documents.get(root.parentId)!
  const others = attachmentsOf(store.documents, [root.id]).length - attachmentsOf(store.documents, [parent.id]).length
  const skipped: SkippedAttachment[] = []
  const used = new Set<string>()
  for (const attachment of attachments) {
    const { name, page } = attachment
    if (depth >= MAX_ATTACHMENT_DEPTH) skipped.push({ name, page, code: 'too_deep' })
    else if (others + used.size >= MAX_ATTACHMENTS) skipped.push({ name, page, code: 'too_many_attachments' })
    else {
      let path = `${parent.path}/${name}`
      const isTaken = (): boolean => {
        const other = atPath(store, { ...parent, path })
        return used.has(path) || (other !== undefined && other.parentId !== parent.id)
      }
      for (let number = 2; isTaken(); number++) path = numberedPath(`${parent.path}/${name}`, number)
      try {
        save(store, parent, { ...attachment, path }, quotas)
        used.add(path)
      } catch (error) {
        if (!isDocsearchError(error, 'quota_exceeded')) throw error
        skipped.push({ name, page, code: error.code })
      }
    }
  }
  const gone = former.filter(({ path }) => !used.has(path))
  if (isWhole)
    removeDocuments(store, [
      ...gone,
      ...attachmentsOf(
        store.documents,
        gone.map(({ id }) => id),
      ),
    ])
  return skipped
}

function save(store: MemoryStore, parent: StoredDocument, attachment: NewAttachment & { path: string }, quotas: Quotas): void {
  const { page: parentPage, path, name, mediaType, sizeBytes, sha256 } = attachment
  const existing = atPath(store, { projectId: parent.projectId, path })
  const tags = [...parent.tags]
  if (existing !== undefined) {
    const isSame = existing.sha256 === sha256
    existing.parentPage = parentPage
    if (isSame && JSON.stringify(existing.tags) === JSON.stringify(tags) && existing.status !== 'failed') return
    if (!isSame) checkBytes(store.allowanceOf(existing.ownerId, quotas), sizeBytes - existing.sizeBytes)
    queueNextVersion(store, existing, { tags, name, mediaType, sizeBytes, sha256, uploaderId: parent.uploaderId })
    return
  }
  checkNewDocument(store.allowanceOf(parent.ownerId, quotas), sizeBytes)
  const createdAt = store.now()
  const { ownerId, projectId, uploaderId } = parent
  const own = {
    id: newId('doc', createdAt),
    name,
    path,
    mediaType,
    sizeBytes,
    sha256,
    parentId: parent.id,
    parentPage,
    createdAt,
    tags,
  }
  const stored: StoredDocument = {
    ...freshVersion(createdAt),
    ...own,
    ownerId,
    projectId,
    uploaderId,
    version: 1,
    pages: [],
    pagesVersion: null,
    isIndexed: false,
    passages: 0,
    counted: null,
  }
  store.documents.set(stored.id, stored)
  store.announce('document.queued', [stored])
}
