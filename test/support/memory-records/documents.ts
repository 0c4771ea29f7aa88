import { isDocsearchError } from '../../../src/core/errors.ts'
import { newId } from '../../../src/core/ids.ts'
import type { Quotas } from '../../../src/core/model.ts'
import { checkBytes, checkNewDocument, checkPassagesLeft, NO_QUOTAS, ownersQuotaExceeded } from '../../../src/records/quotas.ts'
import type {
  DocumentChange,
  Documents,
  DocumentQuery,
  NewDocument,
  OnConflict,
  UploadOutcome,
} from '../../../src/records/documents.ts'
import { documentExists, insufficientRole, pathTaken, projectNotFound } from '../../../src/records/errors.ts'
import type { ProjectIds } from '../../../src/records/projects.ts'
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
  const inProjects = (projects: ProjectIds) => [...store.documents.values()].filter(({ projectId }) => projects.has(projectId))
  const present = (document: StoredDocument) => presentDocument(store, document)

  function find(projects: ProjectIds, id: string): StoredDocument | undefined {
    const document = store.documents.get(id)
    return document !== undefined && projects.has(document.projectId) ? document : undefined
  }

  return {
    register: async (document, onConflict, quotas = NO_QUOTAS) =>
      store.write(() => {
        const ownerId = ownerOfProject(store, document)
        const { stored, outcome } = withoutNumbers(document.uploaderId === ownerId, () =>
          register(store, { ...document, ownerId }, onConflict, quotas),
        )
        return { document: present(stored), outcome }
      }),
    async get(projects, id) {
      const document = find(projects, id)
      return document === undefined ? null : present(document)
    },
    async getMany(projects, ids) {
      const found = ids.flatMap((id) => find(projects, id) ?? [])
      return new Map(found.map((document) => [document.id, present(document)]))
    },
    async atPaths(projectId, paths) {
      const found = inProjects(new Set([projectId])).filter((document) => paths.includes(document.path))
      return new Map(found.map((document) => [document.path, present(document)]))
    },
    async numberedCopy(projectId, file) {
      const { existing } = secondOf(store, { ...file, projectId })
      return existing === undefined ? null : present(existing)
    },
    list: async (projects, query) =>
      listPart(
        inProjects(projects).filter((document) => isMatch(document, query)),
        newestFirst,
        query,
        present,
      ),
    async countPending(projects) {
      return inProjects(projects).filter(({ status }) => status === 'queued' || status === 'processing').length
    },
    edit: async (projects, id, change, prepared, quotas = NO_QUOTAS) =>
      store.write(() => {
        const document = find(projects, id)
        if (document === undefined) return null
        const isPrepared = document.status === 'ready' && document.version === prepared?.version
        edit(store, document, change, quotas)
        if (isPrepared) countWords(store, document, JSON.parse(prepared.words) as string[])
        const isKept = nextVersionOf(store, document, isPrepared)
        return { document: present(document), isPrepared: isKept }
      }),
    requeue: async (projects, id) =>
      store.write(() => {
        const document = find(projects, id)
        if (document === undefined) return null
        queueNextVersion(store, document)
        return present(document)
      }),
    delete: async (projects, id) =>
      store.write(() => {
        const document = find(projects, id)
        if (document !== undefined) removeDocuments(store, [document])
        return document !== undefined
      }),
    async pages(projects, id) {
      const document = find(projects, id)
      return document === undefined || document.pagesVersion === null ? null : structuredClone(document.pages)
    },
    isBlobReferenced: async (sha256) => [...store.documents.values()].some((document) => document.sha256 === sha256),
  }
}

/** Only the owner of the project may know how much is in all of their projects. */
function withoutNumbers<T>(isOwner: boolean, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw !isOwner && isDocsearchError(error, 'quota_exceeded') ? ownersQuotaExceeded(error) : error
  }
}

/** Returns the owner of a project that the uploader may write to. */
function ownerOfProject({ projects, members }: MemoryStore, { projectId, uploaderId }: NewDocument): string {
  const roles = members.filter((member) => member.projectId === projectId && (member.userId ?? uploaderId) === uploaderId)
  const project = projects.get(projectId)
  if (project === undefined || roles.length === 0) throw projectNotFound()
  if (roles.every(({ role }) => role === 'reader')) throw insufficientRole('writer')
  return project.ownerId
}

function isMatch(document: StoredDocument, query: DocumentQuery): boolean {
  const { status, warnings, name, sha256, pathPrefix, tag, mediaType } = query
  return (
    (status === undefined || document.status === status) &&
    (warnings === undefined || document.warnings.length > 0 === warnings) &&
    (name === undefined || foldName(document.name).includes(foldName(name))) &&
    (sha256 === undefined || document.sha256 === sha256) &&
    (pathPrefix === undefined || document.path.startsWith(pathPrefix)) &&
    (tag === undefined || document.tags.includes(tag)) &&
    (mediaType === undefined || document.mediaType === mediaType)
  )
}

type OwnedDocument = NewDocument & { ownerId: string }
type Registered = { stored: StoredDocument; outcome: UploadOutcome }

function register(store: MemoryStore, document: OwnedDocument, onConflict: OnConflict, quotas: Quotas): Registered {
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

function insert(store: MemoryStore, { uploaderId: _uploaderId, ...document }: OwnedDocument, quotas: Quotas): Registered {
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

function registerSecond(store: MemoryStore, document: OwnedDocument, quotas: Quotas): Registered {
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

function edit(store: MemoryStore, document: StoredDocument, { tags, title, ...change }: DocumentChange, quotas: Quotas): void {
  const { projectId = document.projectId, path = document.path } = change
  const project = store.projects.get(projectId)
  if (project === undefined) throw projectNotFound()
  const other = atPath(store, { projectId, path })
  if (other !== undefined && other !== document) throw pathTaken(path)
  if (projectId !== document.projectId) {
    if (project.ownerId !== document.ownerId) checkNewDocument(store.allowanceOf(project.ownerId, quotas), document.sizeBytes)
    countWords(store, document, null)
    store.announce('document.deleted', [document])
    document.ownerId = project.ownerId
  }
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
