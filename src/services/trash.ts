import type { DeletionOptions, Ingest } from '../ingest/ingest.ts'
import type { ProjectIds, Records, Restored, ResultPage, TrashedDocument } from '../records/records.ts'
import type { Access, Actor } from './access.ts'
import { type DocumentFilter, toQuery } from './document-requests.ts'
import type { VisibleProjects } from './visible-projects.ts'
import { withinQuotaOf } from './usage.ts'

/**
 * What was deleted or replaced. It needs a writer, because readers never saw a former version as something that could come back. For them
 * the trash is empty. Every function throws `insufficient_scope`.
 */
export interface Trash {
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

export function createTrash({
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
