import { isDocsearchError } from '../../../src/core/errors.ts'
import { newId } from '../../../src/core/ids.ts'
import type { Quotas } from '../../../src/core/model.ts'
import { checkNewDocument, NO_QUOTAS } from '../../../src/records/quotas.ts'
import { isAttachment } from '../../../src/records/attachments.ts'
import type { ProjectIds } from '../../../src/records/projects.ts'
import type { Trash, TrashedDocument } from '../../../src/records/trash.ts'
import { attachmentsOf } from './attachments.ts'
import { factAbout, freshVersion, givenTags, givenTitle, presentDocument, removeDocuments } from './document-changes.ts'
import { atPath, isMatch } from './find-documents.ts'
import { byNewest, listPart } from './lists.ts'
import { deleteWhere, type MemoryStore, type StoredDocument } from './store.ts'

type Trashed = StoredDocument & { trashedAt: Date }

export function memoryTrash(store: MemoryStore): Trash {
  const find = (projects: ProjectIds, id: string): Trashed | undefined => {
    const document = store.trash.get(id)
    return document !== undefined && projects.has(document.projectId) ? document : undefined
  }
  const present = (document: Trashed): TrashedDocument => ({
    ...presentDocument(store, document),
    trashedAt: document.trashedAt,
  })

  return {
    async get(projects, id) {
      const document = find(projects, id)
      return document === undefined ? null : present(document)
    },
    async list(projects, query) {
      const found = [...store.trash.values()].filter(
        (document) => projects.has(document.projectId) && isMatch(document, { ...query, parentId: null }),
      )
      const dated = found.map((document) => ({ id: document.id, createdAt: document.trashedAt, document }))
      return listPart(dated, byNewest, query, ({ document }) => present(document))
    },
    restore: async (projects, id, quotas = NO_QUOTAS) =>
      store.write(() => {
        const document = find(projects, id)
        if (document === undefined) return null
        if (document.parentId !== null) throw isAttachment()
        const replaced = atPath(store, document)
        if (replaced === undefined) checkNewDocument(store.allowanceOf(document.ownerId, quotas), 0)
        else for (const each of [replaced, ...attachmentsOf(store.documents, [replaced.id])]) putInTrash(store, each)
        const restored = putBack(store, document)
        const refusedIds = putBackAttachments(store, id, quotas)
        const details = replaced === undefined ? {} : { replaced: replaced.id }
        store.record({ action: 'document.restore', ...factAbout(restored, details) })
        return { document: presentDocument(store, restored), replacedId: replaced?.id ?? null, refusedIds }
      }),
    delete: async (projects, id) => {
      const document = find(projects, id)
      if (document === undefined) return false
      store.record({ action: 'document.delete', ...factAbout(document, { permanent: true }) })
      for (const each of attachmentsOf(store.trash, [id])) store.trash.delete(each.id)
      return store.trash.delete(id)
    },
    async purge(before, limit) {
      const oldest = [...store.trash.values()]
        .filter(({ trashedAt }) => trashedAt < before)
        .toSorted((a, b) => a.trashedAt.getTime() - b.trashedAt.getTime())
      const gone = new Set(oldest.slice(0, limit).map(({ id }) => id))
      return deleteWhere(store.trash, ({ id }) => gone.has(id))
    },
  }
}

/** Puts back the attachments of a message. Deletes those that exceed a quota, and returns their IDs. */
function putBackAttachments(store: MemoryStore, id: string, quotas: Quotas): string[] {
  const refusedIds: string[] = []
  for (const each of attachmentsOf(store.trash, [id])) {
    try {
      checkNewDocument(store.allowanceOf(each.ownerId, quotas), 0)
      putBack(store, each)
    } catch (error) {
      if (!isDocsearchError(error, 'quota_exceeded')) throw error
      store.trash.delete(each.id)
      refusedIds.push(each.id)
    }
  }
  return refusedIds
}

function putBack(store: MemoryStore, document: Trashed): StoredDocument {
  store.trash.delete(document.id)
  store.tombstones.delete(document.id)
  const own = givenTitle(document)
  const { trashedAt: _, ...kept } = document
  const restored: StoredDocument = {
    ...kept,
    ...freshVersion(store.now()),
    ...(own.given_title !== undefined && { title: own.given_title, parse: own }),
    version: document.version + 1,
    tags: givenTags(document),
    pages: [],
    pagesVersion: null,
    isIndexed: true,
    passages: 0,
    counted: null,
  }
  store.documents.set(document.id, restored)
  store.announce('document.queued', [restored])
  return restored
}

/** Deletes a document and keeps it in the trash. */
export function putInTrash(store: MemoryStore, document: StoredDocument): void {
  removeDocuments(store, [document])
  store.trash.set(document.id, { ...document, trashedAt: latest(store, document) })
}

/** Keeps the present version of a document under an ID of its own, and returns that. */
export function keepVersion(store: MemoryStore, document: StoredDocument): string {
  const id = newId('doc', store.now())
  store.trash.set(id, structuredClone({ ...document, id, trashedAt: latest(store, document) }))
  return id
}

/** Returns the time, or that of the document's last change when the clock is behind. */
function latest(store: MemoryStore, { updatedAt }: StoredDocument): Date {
  return updatedAt > store.now() ? updatedAt : store.now()
}
