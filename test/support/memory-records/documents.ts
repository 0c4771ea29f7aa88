import { newId } from '../../../src/core/ids.ts'
import type { Quotas } from '../../../src/core/model.ts'
import { checkBytes, checkNewDocument, checkPassagesLeft, NO_QUOTAS } from '../../../src/records/quotas.ts'
import type {
  DocumentChange,
  Documents,
  DocumentQuery,
  NewDocument,
  OnConflict,
  UploadOutcome,
} from '../../../src/records/documents.ts'
import { documentExists, pathTaken, projectNotFound } from '../../../src/records/errors.ts'
import { foldName } from '../../../src/core/fold-name.ts'
import { numberedPath, storedTitle } from '../../../src/records/rules.ts'
import {
  countWords,
  freshVersion,
  presentDocument,
  queueForIndex,
  queueNextVersion,
  removeDocuments,
} from './document-changes.ts'
import { listPart, newestFirst } from './lists.ts'
import type { MemoryStore, StoredDocument } from './store.ts'

export function memoryDocuments(store: MemoryStore): Documents {
  const ownedBy = (ownerId: string) => [...store.documents.values()].filter((document) => document.ownerId === ownerId)
  const present = (document: StoredDocument) => presentDocument(store, document)

  function find(ownerId: string, id: string): StoredDocument | undefined {
    const document = store.documents.get(id)
    return document?.ownerId === ownerId ? document : undefined
  }

  return {
    register: async (document, onConflict, quotas = NO_QUOTAS) =>
      store.write(() => {
        if (store.projects.get(document.projectId)?.ownerId !== document.ownerId) throw projectNotFound()
        const { stored, outcome } = register(store, document, onConflict, quotas)
        return { document: present(stored), outcome }
      }),
    async get(ownerId, id) {
      const document = find(ownerId, id)
      return document === undefined ? null : present(document)
    },
    async getMany(ownerId, ids) {
      const found = ids.flatMap((id) => find(ownerId, id) ?? [])
      return new Map(found.map((document) => [document.id, present(document)]))
    },
    async atPaths(ownerId, projectId, paths) {
      const found = ownedBy(ownerId).filter((document) => document.projectId === projectId && paths.includes(document.path))
      return new Map(found.map((document) => [document.path, present(document)]))
    },
    async numberedCopy(ownerId, projectId, file) {
      if (store.projects.get(projectId)?.ownerId !== ownerId) return null
      const { existing } = secondOf(store, { ...file, projectId })
      return existing === undefined ? null : present(existing)
    },
    list: async (ownerId, query) =>
      listPart(
        ownedBy(ownerId).filter((document) => isMatch(document, query)),
        newestFirst,
        query,
        present,
      ),
    async countPending(ownerId, projectIds) {
      const own = ownedBy(ownerId).filter(({ projectId }) => projectIds === undefined || projectIds.includes(projectId))
      return own.filter(({ status }) => status === 'queued' || status === 'processing').length
    },
    edit: async (ownerId, id, change, prepared) =>
      store.write(() => {
        const document = find(ownerId, id)
        if (document === undefined) return null
        const isPrepared = document.status === 'ready' && document.version === prepared?.version
        edit(store, document, change)
        if (isPrepared) countWords(store, document, JSON.parse(prepared.words) as string[])
        const isKept = nextVersionOf(store, document, isPrepared)
        return { document: present(document), isPrepared: isKept }
      }),
    requeue: async (ownerId, id) =>
      store.write(() => {
        const document = find(ownerId, id)
        if (document === undefined) return null
        queueNextVersion(store, document)
        return present(document)
      }),
    delete: async (ownerId, id) =>
      store.write(() => {
        const document = find(ownerId, id)
        if (document !== undefined) removeDocuments(store, [document])
        return document !== undefined
      }),
    async pages(ownerId, id) {
      const document = find(ownerId, id)
      return document === undefined || document.pagesVersion === null ? null : structuredClone(document.pages)
    },
    isBlobReferenced: async (sha256) => [...store.documents.values()].some((document) => document.sha256 === sha256),
  }
}

function isMatch(document: StoredDocument, query: DocumentQuery): boolean {
  const { projectId, status, warnings, name, sha256, pathPrefix, tag, mediaType } = query
  return (
    (projectId === undefined || document.projectId === projectId) &&
    (status === undefined || document.status === status) &&
    (warnings === undefined || document.warnings.length > 0 === warnings) &&
    (name === undefined || foldName(document.name).includes(foldName(name))) &&
    (sha256 === undefined || document.sha256 === sha256) &&
    (pathPrefix === undefined || document.path.startsWith(pathPrefix)) &&
    (tag === undefined || document.tags.includes(tag)) &&
    (mediaType === undefined || document.mediaType === mediaType)
  )
}

type Registered = { stored: StoredDocument; outcome: UploadOutcome }

function register(store: MemoryStore, document: NewDocument, onConflict: OnConflict, quotas: Quotas): Registered {
  const existing = atPath(store, document)
  if (existing === undefined) return insert(store, document, quotas)
  const { name, mediaType, sizeBytes, sha256, tags } = document
  if (existing.sha256 === sha256) return registerSameBytes(store, existing, quotas, onConflict === 'replace' ? tags : null)
  if (onConflict === 'error') throw documentExists(document.path, existing.id)
  if (onConflict === 'keep') return registerSecond(store, document, quotas)
  checkBytes(store.allowanceOf(existing.ownerId, quotas), sizeBytes - existing.sizeBytes)
  const content = { name, mediaType, sizeBytes, sha256 }
  queueNextVersion(store, existing, { ...content, ...(tags === null ? {} : { tags: [...tags] }) })
  return { stored: existing, outcome: 'replaced' }
}

function atPath(store: MemoryStore, { projectId, path }: Pick<NewDocument, 'projectId' | 'path'>): StoredDocument | undefined {
  return [...store.documents.values()].find((document) => document.projectId === projectId && document.path === path)
}

function insert(store: MemoryStore, document: NewDocument, quotas: Quotas): Registered {
  checkNewDocument(store.allowanceOf(document.ownerId, quotas), document.sizeBytes)
  const createdAt = store.now()
  const stored: StoredDocument = {
    ...freshVersion(createdAt),
    ...document,
    id: newId('doc', createdAt),
    tags: [...(document.tags ?? [])],
    version: 1,
    createdAt,
    pages: [],
    pagesVersion: null,
    isIndexed: false,
    passages: 0,
    counted: null,
  }
  store.documents.set(stored.id, stored)
  store.announce('document.queued', [stored])
  return { stored, outcome: 'created' }
}

function registerSameBytes(
  store: MemoryStore,
  existing: StoredDocument,
  quotas: Quotas,
  tags: readonly string[] | null,
): Registered {
  if (existing.status === 'failed') checkPassagesLeft(store.allowanceOf(existing.ownerId, quotas))
  const newTags = tags !== null && JSON.stringify(tags) !== JSON.stringify(existing.tags) ? [...tags] : null
  if (newTags !== null) queueNextVersion(store, existing, { tags: newTags })
  else if (existing.status === 'failed') queueNextVersion(store, existing)
  return { stored: existing, outcome: 'unchanged' }
}

function registerSecond(store: MemoryStore, document: NewDocument, quotas: Quotas): Registered {
  const { path, existing } = secondOf(store, document)
  if (existing === undefined) return insert(store, { ...document, path }, quotas)
  return registerSameBytes(store, existing, quotas, null)
}

/** Returns the first numbered path that is free or has the same bytes. */
function secondOf(
  store: MemoryStore,
  document: Pick<NewDocument, 'projectId' | 'path' | 'sha256'>,
): { path: string; existing: StoredDocument | undefined } {
  for (let number = 2; ; number++) {
    const path = numberedPath(document.path, number)
    const existing = atPath(store, { ...document, path })
    if (existing === undefined || existing.sha256 === document.sha256) return { path, existing }
  }
}

function edit(store: MemoryStore, document: StoredDocument, { tags, title, ...change }: DocumentChange): void {
  const { projectId = document.projectId, path = document.path } = change
  if (store.projects.get(projectId)?.ownerId !== document.ownerId) throw projectNotFound()
  const other = atPath(store, { projectId, path })
  if (other !== undefined && other !== document) throw pathTaken(path)
  const given = storedTitle(title ?? null)
  Object.assign(document, change, tags === undefined ? {} : { tags: [...tags] }, { updatedAt: store.now() })
  if (given !== null) Object.assign(document, { title: given, parse: { ...document.parse, given_title: given } })
}

/** Gives an edited document its next version, if it needs one. Returns `isPrepared`. */
function nextVersionOf(store: MemoryStore, document: StoredDocument, isPrepared: boolean): boolean {
  const { version, pagesVersion, status, isIndexed } = document
  if (isPrepared) Object.assign(document, { version: version + 1, pagesVersion: pagesVersion === version ? version + 1 : null })
  else if (status === 'ready' || status === 'processing') {
    queueForIndex(store, document, isIndexed)
    return false
  }
  store.announce(`document.${document.status}`, [document])
  return isPrepared
}
