import type { DocumentRecord, VisibleProject } from '../core/model.ts'
import type { Page } from '../core/parsed.ts'
import type { ProjectIds, Records } from '../records/records.ts'
import type { Access, Actor } from './access.ts'
import { documentNotFound } from './document-requests.ts'

/** Returns the functions that find a document for an actor. Each throws `insufficient_scope` and `document_not_found`. */
export function createDocumentFinder({
  documents,
  access,
}: {
  documents: Pick<Records['documents'], 'get' | 'pages'>
  access: Access
}) {
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
