import type { Blobs } from '../blobs/blobs.ts'
import { countOf } from '../core/count-of.ts'
import { DocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import { MAX_TAGS, type DocumentRecord, type VisibleProject } from '../core/model.ts'
import { documentText, type Page } from '../core/parsed.ts'
import type { DeletionOptions, Ingest } from '../ingest/ingest.ts'
import { isAttachment } from '../records/attachments.ts'
import type { DocumentChange, Restored, ResultPage, Records, TrashedDocument, ProjectIds } from '../records/records.ts'
import type { Access, Actor } from './access.ts'
import { type BatchAction, type BatchResult, runBatch } from './batch.ts'
import { documentNotFound, type DocumentFilter, type DocumentUpdate, toQuery } from './document-requests.ts'
import { withinQuotaOf } from './usage.ts'
import type { VisibleProjects } from './visible-projects.ts'

export type { DocumentFilter, DocumentUpdate } from './document-requests.ts'

const DAY_MS = 86_400_000

/** The documents of the actor's projects. Every function throws `insufficient_scope` and `document_not_found`. */
export interface Documents {
  /** Throws `project_not_found`, `ambiguous_name`, `invalid_cursor`. */
  list(actor: Actor, filter: DocumentFilter): Promise<ResultPage<DocumentRecord | TrashedDocument>>
  get(actor: Actor, id: string): Promise<DocumentRecord>
  /** Returns the document with its extracted pages; null while there are none. */
  pages(actor: Actor, id: string): Promise<{ document: DocumentRecord; pages: Page[] | null }>
  /** Returns the document with the extracted text of the whole document or of one page. Throws `text_not_ready`, `page_not_found`. */
  text(actor: Actor, id: string, page?: number): Promise<{ document: DocumentRecord; text: string }>
  /** Throws `blob_missing` when the original is missing on the disk. */
  original(actor: Actor, id: string): Promise<Original>
  /**
   * Puts the document and its attachments into the trash, or deletes them for good, also from the trash. From then on no search finds them. Throws
   * `insufficient_role` and `is_attachment`.
   */
  delete(actor: Actor, id: string, options?: DeletionOptions): Promise<void>
  /** See `Trash.restore`. A document that is not in the trash stays as it is. Throws `insufficient_role`. */
  restore(actor: Actor, id: string, options?: Pick<DeletionOptions, 'isOneOfMany'>): Promise<Restored>
  /** Returns a document in the trash, for a writer of its project, and when docsearch deletes it for good; null when it is not there. */
  trashed(actor: Actor, id: string): Promise<{ document: TrashedDocument; endsAt: Date } | null>
  /** Deletes a document for good if it is in the trash. Returns false when it is not there. */
  deleteTrashed(actor: Actor, id: string): Promise<boolean>
  /** How many days the trash keeps documents; 0 when deletions are for good. */
  readonly trashDays: number
  /**
   * Changes the document without embedding it again. It needs a writer in its project, and in the project
   * to which it moves. Of an attachment, only the title can change. Throws `path_taken`, `is_attachment`, `insufficient_role`, `quota_exceeded`, `too_many_tags`, and `project_not_found` for a project that does not exist.
   */
  update(
    actor: Actor,
    id: string,
    change: DocumentUpdate,
    options?: Pick<DeletionOptions, 'isOneOfMany'>,
  ): Promise<DocumentRecord>
  /** See `runBatch`. */
  batch(actor: Actor, ids: readonly string[], action: BatchAction, signal: AbortSignal): Promise<BatchResult[]>
  /** Queues the document to be read and indexed again. It stays searchable as it was until then. Throws `insufficient_role`. */
  reprocess(actor: Actor, id: string): Promise<DocumentRecord>
}

export function createDocuments(options: {
  records: Pick<Records, 'documents' | 'trash' | 'audit'>
  blobs: Pick<Blobs, 'size' | 'open'>
  ingest: Pick<Ingest, 'deleteDocument' | 'finishMany' | 'restore' | 'edit' | 'reprocess'>
  access: Access
  trashDays: number
  log: Logger
}): Documents {
  const { ingest, access, trashDays } = options
  const { documents } = options.records
  const trash = createTrash(options)

  const { get, pages, toChange, present } = createDocumentFinder({ documents, access })

  async function parentOf(actor: Actor, id: string): Promise<string | null> {
    const { ids } = await access.toWrite(actor)
    return ((await documents.get(ids, id)) ?? (await options.records.trash.get(ids, id)))?.parentId ?? null
  }

  const service: Documents = {
    async list(actor, filter) {
      if (filter.isTrashed) return trash.list(actor, filter)
      const { project } = filter
      const visible = await access.toRead(actor)
      return documents.list(project === undefined ? visible.ids : new Set([visible.require(project).id]), toQuery(filter))
    },

    get,
    pages,

    async text(actor, id, number) {
      const found = await pages(actor, id)
      return { document: found.document, text: textOf(found, number) }
    },

    original: async (actor, id) => originalOf(actor, await get(actor, id), options),

    async delete(actor, id, deletion = {}) {
      if (deletion.isPermanent === true && (await trash.delete(actor, id))) return
      const { document, projects } = await toChange(actor, id)
      if (document.parentId !== null) throw isAttachment()
      if (!(await ingest.deleteDocument(projects, id, deletion))) documentNotFound()
    },

    restore: async (actor, id, many) =>
      (await trash.restore(actor, id, many)) ?? { document: await present(actor, id), replacedId: null, refusedIds: [] },

    async trashed(actor, id) {
      const document = await trash.get(actor, id)
      return document && { document, endsAt: new Date(document.trashedAt.getTime() + trashDays * DAY_MS) }
    },

    deleteTrashed: (actor, id) => trash.delete(actor, id),
    trashDays,

    async update(actor, id, { project, addTags, removeTags, ...change }, many) {
      const { document, project: current, projects } = await toChange(actor, id)
      const { title: _, ...followed } = { ...change, project, addTags, removeTags }
      if (document.parentId !== null && Object.values(followed).some((value) => value !== undefined)) throw isAttachment()
      change.tags ??= changedTags(document, addTags, removeTags)
      const target = project === undefined ? undefined : (await access.toWrite(actor)).requireRole(project, 'writer')
      const edit = () => ingest.edit(projects, id, toRecordsChange(change, target?.id), many)
      return (await withinQuotaOf((target ?? current).ownerId, actor, edit)) ?? documentNotFound()
    },

    async reprocess(actor, id) {
      return (await ingest.reprocess((await toChange(actor, id)).projects, id)) ?? documentNotFound()
    },

    async batch(actor, ids, action, signal) {
      try {
        return await runBatch({ ...service, parentOf }, actor, ids, action, signal)
      } finally {
        if (action.action === 'delete' || action.action === 'restore') await ingest.finishMany()
      }
    },
  }
  return service
}

function textOf({ document, pages }: Awaited<ReturnType<Documents['pages']>>, number: number | undefined): string {
  if (pages === null) throw textNotReady(document)
  if (number === undefined) return documentText(pages)
  const page = pages.find((one) => one.number === number)
  if (page !== undefined) return page.text
  throw new DocsearchError('page_not_found', `The document has ${countOf(pages.length, 'page')} of text and no page ${number}.`)
}

/** Returns the tags of a document after some were added and removed; undefined if they stay. */
function changedTags({ tags }: DocumentRecord, added?: readonly string[], removed?: readonly string[]): string[] | undefined {
  if (added === undefined && removed === undefined) return undefined
  const changed = [...new Set([...tags, ...(added ?? [])])].filter((tag) => removed?.includes(tag) !== true)
  if (changed.length > MAX_TAGS) throw new DocsearchError('too_many_tags', `A document has at most ${MAX_TAGS} tags.`)
  return changed
}

/** Leaves out what does not change. */
function toRecordsChange(
  { name, path, title, tags }: Omit<DocumentUpdate, 'project' | 'addTags' | 'removeTags'>,
  projectId: string | undefined,
): DocumentChange {
  return {
    ...(name !== undefined && { name }),
    ...(path !== undefined && { path }),
    ...(title !== undefined && { title }),
    ...(tags !== undefined && { tags }),
    ...(projectId !== undefined && { projectId }),
  }
}

function textNotReady({ status }: DocumentRecord): DocsearchError {
  const why = status === 'failed' ? "It could not be read; the document's error says why." : 'Wait until it is ready.'
  return new DocsearchError('text_not_ready', `The text of this document was not extracted (status: ${status}). ${why}`, {
    details: { document_status: status },
  })
}

/** Returns the functions that find a document for an actor. Each throws `insufficient_scope` and `document_not_found`. */
function createDocumentFinder({ documents, access }: { documents: Pick<Records['documents'], 'get' | 'pages'>; access: Access }) {
  async function get(actor: Actor, id: string): Promise<DocumentRecord> {
    const { ids } = await access.toRead(actor)
    return (await documents.get(ids, id)) ?? documentNotFound()
  }

  async function pages(actor: Actor, id: string): Promise<{ document: DocumentRecord; pages: Page[] | null }> {
    const { ids } = await access.toRead(actor)
    const document = (await documents.get(ids, id)) ?? documentNotFound()
    return { document, pages: await documents.pages(ids, id) }
  }

  /** Returns a document that the actor may change, and its project as a project and as a set. */
  async function toChange(
    actor: Actor,
    id: string,
  ): Promise<{ document: DocumentRecord; project: VisibleProject; projects: ProjectIds }> {
    const visible = await access.toWrite(actor)
    const document = (await documents.get(visible.ids, id)) ?? documentNotFound()
    const project = visible.requireRole(document.projectId, 'writer')
    return { document, project, projects: new Set([project.id]) }
  }

  /** Returns a document that the actor may change. */
  async function present(actor: Actor, id: string): Promise<DocumentRecord> {
    return (await toChange(actor, id)).document
  }

  return { get, pages, toChange, present }
}

/**
 * What was deleted or replaced. It needs a writer, because readers never saw a former version as something that could come back. For them
 * the trash is empty. Every function throws `insufficient_scope`.
 */
interface Trash {
  /** Last deleted first. Throws `project_not_found`, `ambiguous_name`, `invalid_cursor`. */
  list(actor: Actor, filter: DocumentFilter): Promise<ResultPage<TrashedDocument>>
  /** Returns null when the document is not in the trash. */
  get(actor: Actor, id: string): Promise<TrashedDocument | null>
  /**
   * Takes a document out of the trash and queues it. A document that has taken its path goes to the trash. Returns null when it is not in
   * the trash. Throws `quota_exceeded`.
   */
  restore(actor: Actor, id: string, options?: Pick<DeletionOptions, 'isOneOfMany'>): Promise<Restored | null>
  /** Deletes a document in the trash for good. Returns false when it is not there. */
  delete(actor: Actor, id: string): Promise<boolean>
}

function createTrash({
  records,
  ingest,
  access,
}: {
  records: Pick<Records, 'trash'>
  ingest: Pick<Ingest, 'restore' | 'deleteDocument'>
  access: Access
}): Trash {
  const writable = (visible: VisibleProjects): ProjectIds => visible.withRoleOrMore('writer')

  return {
    async list(actor, filter) {
      const visible = await access.toRead(actor)
      const all = writable(visible)
      const id = filter.project === undefined ? null : visible.require(filter.project).id
      return records.trash.list(id === null ? all : new Set(all.has(id) ? [id] : []), toQuery(filter))
    },

    get: async (actor, id) => records.trash.get(writable(await access.toRead(actor)), id),

    async restore(actor, id, many) {
      const visible = await access.toWrite(actor)
      const trashed = await records.trash.get(writable(visible), id)
      if (trashed === null) return null
      const { projectId } = trashed
      const restore = () => ingest.restore(new Set([projectId]), id, many)
      return withinQuotaOf(visible.get(projectId)!.ownerId, actor, restore)
    },

    async delete(actor, id) {
      const projects = writable(await access.toWrite(actor))
      if ((await records.trash.get(projects, id)) === null) return false
      return ingest.deleteDocument(projects, id, { isPermanent: true })
    },
  }
}

/** The bytes that were uploaded. */
export interface Original {
  document: DocumentRecord
  sizeBytes: number
  /** `range` counts bytes; both ends are included. Records the download, unless the actor has uploaded these bytes. */
  open(range?: { start: number; end: number }): Promise<NodeJS.ReadableStream>
}

interface Parts {
  records: Pick<Records, 'audit'>
  blobs: Pick<Blobs, 'size' | 'open'>
  log: Logger
}

/** Throws `blob_missing`. */
async function originalOf(actor: Actor, document: DocumentRecord, parts: Parts): Promise<Original> {
  const sizeBytes = await parts.blobs.size(document.sha256)
  // Version 0.1.0 stored no uploader. Only the owner of a project could upload to it then.
  const isUploader = (document.uploaderId ?? document.ownerId) === actor.userId
  return {
    document,
    sizeBytes,
    async open(range) {
      if (!isUploader) await recordDownload(document, parts)
      return parts.blobs.open(document.sha256, range)
    },
  }
}

/** A PDF viewer reads a file in many parts, so these count as one event. A full disk stops no download. */
async function recordDownload({ id, name, path, projectId }: DocumentRecord, { records, log }: Parts): Promise<void> {
  try {
    const details = path === name ? {} : { path }
    await records.audit.record({ action: 'document.download', projectId, document: { id, name }, details, isRepeated: true })
  } catch (error) {
    log.warn({ err: error, document: id }, 'could not record a download')
  }
}
