import { z } from 'zod'
import { renderDocumentDelete, renderTrashedDocument } from '../../../pages/document/trash.tsx'
import { paths } from '../../../pages/paths.ts'
import { insufficientRole } from '../../../services/visible-projects.ts'
import { presentDocument } from '../../../contract/present/documents.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { View, ViewCall } from '../routing/page.ts'

type Parts = Pick<Dependencies, 'documents' | 'projects'>

/** Shows a document in the trash. Returns false when it is not there. */
export async function showTrashed({ documents }: Parts, { actor, id, show, signedIn }: ViewCall): Promise<boolean> {
  const trashed = await documents.trashed(actor, id)
  if (trashed === null) return false
  const { document, endsAt } = trashed
  const shown = { ...presentDocument(document), trashed_at: document.trashedAt.toISOString() }
  show(renderTrashedDocument({ ...signedIn(), document: shown, endsAt: endsAt.toISOString() }))
  return true
}

/** Returns true if the user may change the documents of the project. */
export async function canWrite({ projects }: Parts, { actor }: ViewCall, projectId: string): Promise<boolean> {
  return (await projects.get(actor, projectId)).role !== 'reader'
}

export const trashPages = (parts: Parts): View[] => [
  {
    method: 'GET',
    path: paths.documentDelete(':id'),
    async handle(call) {
      const { actor, id, show, signedIn } = call
      const { trashDays } = parts.documents
      const trashed = await parts.documents.trashed(actor, id)
      const document = trashed?.document ?? (await parts.documents.get(actor, id))
      if (!(await canWrite(parts, call, document.projectId))) throw insufficientRole('writer')
      const shown = presentDocument(document)
      show(renderDocumentDelete({ ...signedIn(), document: shown, trashDays, isTrashed: trashed !== null }))
    },
  },
  {
    method: 'POST',
    path: paths.documentDelete(':id'),
    async handle(call) {
      const { actor, id, submitted, goTo } = call
      const { data } = submitted(z.object({ permanent: z.literal('true').optional() }))
      const trashed = await parts.documents.trashed(actor, id)
      if (trashed !== null) {
        const isDeleted = data?.permanent === 'true' && (await parts.documents.deleteTrashed(actor, id))
        if (isDeleted) goTo(paths.project(trashed.document.projectId), 'document_purged')
        else goTo(paths.document(id))
        return
      }
      const { projectId } = await parts.documents.get(actor, id)
      // The question was about a document in the trash. Meanwhile, somebody has restored it.
      if (data?.permanent === 'true') return goTo(paths.document(id))
      await parts.documents.delete(actor, id)
      if (parts.documents.trashDays === 0) goTo(paths.project(projectId), 'document_purged')
      else goTo(paths.project(projectId), 'document_deleted', id)
    },
  },
  {
    method: 'POST',
    path: paths.documentRestore(':id'),
    async handle({ actor, id, goTo }) {
      const { replacedId } = await parts.documents.restore(actor, id)
      if (replacedId === null) goTo(paths.document(id), 'document_restored')
      else goTo(paths.document(id), 'document_restored_over', replacedId)
    },
  },
]
