import type { Blobs } from '../blobs/blobs.ts'
import { DocsearchError } from '../core/errors.ts'
import type { DocumentRecord, DocumentStatus } from '../core/model.ts'
import { documentText, type Page } from '../core/parsed.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { DocumentChange, ListRequest, ResultPage, Records } from '../records/records.ts'
import type { Access, Actor } from './access.ts'

export interface DocumentFilter extends ListRequest {
  /** ID or name. */
  project?: string | undefined
  status?: DocumentStatus | undefined
  /** Only documents with warnings, or only those without. */
  warnings?: boolean | undefined
  /** Part of the name, in any letter case. */
  name?: string | undefined
  sha256?: string | undefined
  /** The beginning of the path. */
  pathPrefix?: string | undefined
  tag?: string | undefined
  mediaType?: string | undefined
}

/** What to change. What is left out stays. */
export interface DocumentUpdate {
  name?: string | undefined
  path?: string | undefined
  title?: string | undefined
  tags?: readonly string[] | undefined
  /** ID or name. */
  project?: string | undefined
}

/** The bytes that were uploaded. */
export interface Original {
  document: DocumentRecord
  sizeBytes: number
  /** `range` counts bytes; both ends are included. */
  open(range?: { start: number; end: number }): Promise<NodeJS.ReadableStream>
}

/** The documents of the actor's projects. Every function throws `insufficient_scope` and `document_not_found`. */
export interface Documents {
  /** Throws `project_not_found`, `ambiguous_name`, `invalid_cursor`. */
  list(actor: Actor, filter: DocumentFilter): Promise<ResultPage<DocumentRecord>>
  get(actor: Actor, id: string): Promise<DocumentRecord>
  /** Returns the document with its extracted pages; null while there are none. */
  pages(actor: Actor, id: string): Promise<{ document: DocumentRecord; pages: Page[] | null }>
  /** Returns the extracted text of the whole document or of one page. Throws `text_not_ready`, `page_not_found`. */
  text(actor: Actor, id: string, page?: number): Promise<string>
  /** Throws `blob_missing` when the original is missing on the disk. */
  original(actor: Actor, id: string): Promise<Original>
  /** Deletes the document. From then on no search finds it. Throws `insufficient_role`. */
  delete(actor: Actor, id: string): Promise<void>
  /**
   * Changes the document without embedding it again. It needs a writer in its project, and in the project
   * to which it moves. Throws `path_taken`, `insufficient_role`, `quota_exceeded`, and `project_not_found` for a project that does not exist.
   */
  update(actor: Actor, id: string, change: DocumentUpdate): Promise<DocumentRecord>
  /** Queues the document to be read and indexed again. It stays searchable as it was until then. Throws `insufficient_role`. */
  reprocess(actor: Actor, id: string): Promise<DocumentRecord>
}

export function createDocuments(options: {
  records: Pick<Records, 'documents'>
  blobs: Pick<Blobs, 'size' | 'open'>
  ingest: Pick<Ingest, 'deleteDocument' | 'edit' | 'reprocess'>
  access: Access
}): Documents {
  const { blobs, ingest, access } = options
  const { documents } = options.records

  async function get(actor: Actor, id: string): Promise<DocumentRecord> {
    const { ids } = await access.toRead(actor)
    return (await documents.get(ids, id)) ?? notFound()
  }

  async function pages(actor: Actor, id: string): ReturnType<Documents['pages']> {
    const { ids } = await access.toRead(actor)
    const document = (await documents.get(ids, id)) ?? notFound()
    return { document, pages: await documents.pages(ids, id) }
  }

  /** Returns the projects with the document, which the actor must be allowed to change. */
  async function toChange(actor: Actor, id: string): Promise<ReadonlySet<string>> {
    const visible = await access.toWrite(actor)
    const { projectId } = (await documents.get(visible.ids, id)) ?? notFound()
    return new Set([visible.requireRole(projectId, 'writer').id])
  }

  return {
    async list(actor, filter) {
      const { project, limit, cursor, status, warnings, name, sha256, pathPrefix, tag, mediaType } = filter
      const visible = await access.toRead(actor)
      return documents.list(project === undefined ? visible.ids : new Set([visible.require(project).id]), {
        limit,
        cursor,
        ...(status !== undefined && { status }),
        ...(warnings !== undefined && { warnings }),
        ...(name !== undefined && { name }),
        ...(sha256 !== undefined && { sha256 }),
        ...(pathPrefix !== undefined && { pathPrefix }),
        ...(tag !== undefined && { tag }),
        ...(mediaType !== undefined && { mediaType }),
      })
    },

    get,
    pages,

    async text(actor, id, number) {
      const { document, pages: extracted } = await pages(actor, id)
      if (extracted === null) throw textNotReady(document)
      if (number === undefined) return documentText(extracted)
      const page = extracted.find((one) => one.number === number)
      if (page !== undefined) return page.text
      throw new DocsearchError(
        'page_not_found',
        `The document has ${extracted.length} ${extracted.length === 1 ? 'page' : 'pages'} of text and no page ${number}.`,
      )
    },

    async original(actor, id) {
      const document = await get(actor, id)
      const sizeBytes = await blobs.size(document.sha256)
      return { document, sizeBytes, open: (range) => blobs.open(document.sha256, range) }
    },

    async delete(actor, id) {
      if (!(await ingest.deleteDocument(await toChange(actor, id), id))) notFound()
    },

    async update(actor, id, { project, ...change }) {
      const projects = await toChange(actor, id)
      const projectId = project === undefined ? undefined : (await access.toWrite(actor)).requireRole(project, 'writer').id
      return (await ingest.edit(projects, id, toRecordsChange(change, projectId))) ?? notFound()
    },

    async reprocess(actor, id) {
      return (await ingest.reprocess(await toChange(actor, id), id)) ?? notFound()
    },
  }
}

/** Leaves out what does not change. */
function toRecordsChange(
  { name, path, title, tags }: Omit<DocumentUpdate, 'project'>,
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

function notFound(): never {
  throw new DocsearchError('document_not_found', 'You have no document with this ID.')
}

function textNotReady({ status }: DocumentRecord): DocsearchError {
  const why = status === 'failed' ? "It could not be read; the document's error says why." : 'Wait until it is ready.'
  return new DocsearchError('text_not_ready', `The text of this document was not extracted (status: ${status}). ${why}`, {
    details: { document_status: status },
  })
}
