import { newId } from '../../../src/core/ids.ts'
import { foldName } from '../../../src/core/fold-name.ts'
import { DOCUMENT_SORTS, type DocumentSort, type Quotas } from '../../../src/core/model.ts'
import { checkBytes, checkNewDocument, checkPassagesLeft, hasRoomFor, NO_QUOTAS } from '../../../src/records/quotas.ts'
import type {
  DocumentChange,
  DocumentQuery,
  Documents,
  Keeping,
  NewDocument,
  OnConflict,
  UploadOutcome,
} from '../../../src/records/documents.ts'
import { documentExists, insufficientRole, pathTaken, projectNotFound } from '../../../src/records/errors.ts'
import { isAttachment } from '../../../src/records/attachments.ts'
import type { ProjectIds } from '../../../src/records/projects.ts'
import { numberedPath, storedTitle } from '../../../src/records/rules.ts'
import { attachmentsOf } from './attachments.ts'
import {
  countWords,
  factAbout,
  freshVersion,
  indexQuotesOf,
  presentDocument,
  queueForIndex,
  queueNextVersion,
  removeDocuments,
} from './document-changes.ts'
import { atPath, isMatch } from './find-documents.ts'
import { listPart, type Sorting } from './lists.ts'
import { keepVersion, putInTrash } from './trash.ts'
import type { MemoryStore, StoredDocument } from './store.ts'

function sortingOf({ sort = 'newest', order = DOCUMENT_SORTS[sort] }: DocumentQuery): Sorting<StoredDocument> {
  const values: Record<DocumentSort, (document: StoredDocument) => string | number> = {
    newest: ({ createdAt }) => createdAt.getTime(),
    name: ({ name }) => foldName(name),
    size: ({ sizeBytes }) => sizeBytes,
    pages: ({ pageCount }) => pageCount ?? 0,
    status: ({ status }) => status,
  }
  return { kind: sort === 'name' || sort === 'status' ? 'string' : 'number', order, valueOf: values[sort] }
}

export function memoryDocuments(store: MemoryStore): Documents {
  const inProjects = (projects: ProjectIds) => [...store.documents.values()].filter(({ projectId }) => projects.has(projectId))
  const present = (document: StoredDocument) => presentDocument(store, document)

  function find(projects: ProjectIds, id: string): StoredDocument | undefined {
    const document = store.documents.get(id)
    return document !== undefined && projects.has(document.projectId) ? document : undefined
  }

  return {
    register: async (document, onConflict, quotas = NO_QUOTAS, { isKept } = { isKept: false }) =>
      store.write(() => {
        const ownerId = ownerOfProject(store, document)
        const { stored, outcome, trashedId = null } = register(store, { ...document, ownerId }, onConflict, { quotas, isKept })
        return { document: present(stored), outcome, trashedId }
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
        sortingOf(query),
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
        const former = { ...document }
        edit(store, document, change, quotas)
        recordEdit(store, former, document, change)
        editAttachments(store, former, document)
        if (isPrepared) countWords(store, document, JSON.parse(prepared.words) as string[])
        const isKept = nextVersionOf(store, document, isPrepared)
        return { document: present(document), isPrepared: isKept }
      }),
    requeue: async (projects, id) =>
      store.write(() => {
        const document = find(projects, id)
        if (document === undefined) return null
        store.record({ action: 'document.reprocess', ...factAbout(document) })
        queueNextVersion(store, document)
        return present(document)
      }),
    delete: async (projects, id, { isKept } = { isKept: false }) =>
      store.write(() => {
        const document = find(projects, id)
        if (document !== undefined) {
          store.record({ action: 'document.delete', ...factAbout(document, isKept ? {} : { permanent: true }) })
          for (const each of [document, ...attachmentsOf(store.documents, [id])])
            if (isKept) putInTrash(store, each)
            else removeDocuments(store, [each])
        }
        return document !== undefined
      }),
    async attachments(projects, ids) {
      return attachmentsOf(store.documents, ids)
        .filter(({ projectId }) => projects.has(projectId))
        .map(present)
    },
    async pages(projects, id) {
      const document = find(projects, id)
      return document === undefined || document.pagesVersion === null ? null : structuredClone(document.pages)
    },
    isBlobReferenced: async (sha256) =>
      [...store.documents.values(), ...store.trash.values()].some((document) => document.sha256 === sha256),
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

type OwnedDocument = NewDocument & { ownerId: string }
type Registered = { stored: StoredDocument; outcome: UploadOutcome; trashedId?: string }

function register(
  store: MemoryStore,
  document: OwnedDocument,
  onConflict: OnConflict,
  { quotas, isKept }: Keeping & { quotas: Quotas },
): Registered {
  const existing = atPath(store, document)
  if (existing === undefined) return insert(store, document, quotas)
  if (existing.parentId !== null) throw isAttachment()
  const { name, mediaType, sizeBytes, sha256, tags, uploaderId } = document
  if (existing.sha256 === sha256) return registerSameBytes(store, existing, quotas, onConflict === 'replace' ? tags : null)
  if (onConflict === 'error') throw documentExists(document.path, existing.id)
  if (onConflict === 'keep') return registerSecond(store, document, quotas)
  const allowance = store.allowanceOf(existing.ownerId, quotas)
  const keeps = isKept && hasRoomFor(allowance, sizeBytes)
  checkBytes(allowance, sizeBytes - (keeps ? 0 : existing.sizeBytes))
  const renamed = name === existing.name ? {} : { name }
  store.record({ action: 'document.replace', ...factAbout(existing, { size_bytes: sizeBytes, ...renamed }) })
  const content = { name, mediaType, sizeBytes, sha256, uploaderId }
  const trashedId = keeps ? keepVersion(store, existing) : undefined
  queueNextVersion(store, existing, { ...content, ...(tags === null ? {} : { tags: [...tags] }) })
  indexQuotesOf(store, existing.id)
  return { stored: existing, outcome: 'replaced', ...(trashedId !== undefined && { trashedId }) }
}

function insert(store: MemoryStore, document: OwnedDocument, quotas: Quotas): Registered {
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
    parentId: null,
    parentPage: null,
  }
  store.documents.set(stored.id, stored)
  store.announce('document.queued', [stored])
  store.record({ action: 'document.upload', ...factAbout(stored, { size_bytes: stored.sizeBytes }) })
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

/** Attachments follow their message. */
function editAttachments(
  store: MemoryStore,
  former: StoredDocument,
  { id, path, projectId, ownerId, tags }: StoredDocument,
): void {
  const isSame = path === former.path && projectId === former.projectId && JSON.stringify(tags) === JSON.stringify(former.tags)
  if (isSame) return
  for (const document of attachmentsOf(store.documents, [id])) {
    if (projectId !== document.projectId) {
      countWords(store, document, null)
      store.announce('document.deleted', [document])
    }
    const follow = { path: path + document.path.slice(former.path.length), projectId, ownerId, tags: [...tags] }
    Object.assign(document, follow, { updatedAt: store.now() })
    nextVersionOf(store, document, false)
  }
}

/**
 * Records what changed, in the project that the document was in, and in the one that it has moved to. The former project does not learn the
 * new name and path.
 */
function recordEdit(store: MemoryStore, former: StoredDocument, document: StoredDocument, change: DocumentChange): void {
  if (former.projectId !== document.projectId) {
    store.record({ action: 'document.update', ...factAbout(former, { moved: 'away' }) })
    store.record({ action: 'document.update', ...factAbout(document, { moved: 'here' }) })
    return
  }
  const fields = ['name', 'path', 'title', 'tags'] as const
  const changed = fields.filter(
    (field) => change[field] !== undefined && JSON.stringify(former[field]) !== JSON.stringify(document[field]),
  )
  if (changed.length === 0) return
  const details = {
    changed,
    ...(changed.includes('name') && { name: document.name }),
    ...(changed.includes('path') && { new_path: document.path }),
  }
  store.record({ action: 'document.update', ...factAbout(former, details) })
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
