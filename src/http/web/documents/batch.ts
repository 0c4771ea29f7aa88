import { z } from 'zod'
import { documentUpdate } from '../../../contract/documents.ts'
import { renderPurge } from '../../../pages/documents/purge.tsx'
import { paths } from '../../../pages/paths.ts'
import type { BatchAction } from '../../../services/batch.ts'
import type { Dependencies } from '../../dependencies.ts'
import { toDocumentUpdate } from '../../api/documents/filter.ts'
import { fail } from '../../problems/problems.ts'
import { clientGone } from '../../routing/context.ts'
import type { View } from '../routing/page.ts'
import { safeReturnTo } from '../routing/return-to.ts'
import type { FlashCode } from '../session/flash.ts'

const batchForm = z.object({
  action: z.enum(['retry', 'move', 'add_tags', 'remove_tags', 'delete', 'restore', 'purge'], 'Choose what to do.'),
  ids: z.array(z.string().max(200)).max(100),
  project: z.string().max(200).default(''),
  tags: z.string().max(25_000).default(''),
  confirmed: z.string().default(''),
  back: z.string().default(''),
})
type BatchForm = z.output<typeof batchForm>

const DONE: Record<BatchForm['action'], FlashCode> = {
  retry: 'documents_retried',
  move: 'documents_moved',
  add_tags: 'documents_tagged',
  remove_tags: 'documents_untagged',
  delete: 'documents_deleted',
  restore: 'documents_restored',
  purge: 'documents_purged',
}

const ONE_DOCUMENT = /^\/documents\/doc_[0-9a-z]{26}$/

/** What the user does with the selected documents of the list, or with the document of a view. */
export const batchPage = ({ documents }: Pick<Dependencies, 'documents'>): View => ({
  method: 'POST',
  path: paths.documentsBatch,
  formAddress: (field) => backTo(field('back')),
  async handle({ ctx, actor, csrf, submitted, show, goTo }) {
    const { data, state } = submitted(batchForm)
    if (data === undefined) throw fail('invalid_request', Object.values(state.errors ?? {})[0] ?? 'The form is not valid.')
    const back = backTo(data.back)
    const ids = [...new Set(data.ids)]
    if (ids.length === 0) return goTo(back, 'documents_none')
    const action = toAction(data, documents.trashDays > 0)
    if (action === null)
      return goTo(
        back,
        data.action === 'add_tags' || data.action === 'remove_tags' ? 'documents_bad_tags' : 'documents_no_project',
      )
    if (action.action === 'delete' && action.isPermanent && data.confirmed !== 'true')
      return show(renderPurge({ csrf, ids, back }))
    const results = await documents.batch(actor, ids, action, clientGone(ctx))
    const done = results.filter(({ refusal }) => refusal === null).map(({ id }) => id)
    const undo = action.action === 'delete' && !action.isPermanent ? done : []
    if (done.length < ids.length) return goTo(back, 'documents_partly', undo)
    goTo(back, data.action === 'retry' && ONE_DOCUMENT.test(back) ? 'document_retried' : DONE[data.action], undo)
  },
})

/** Returns null if the action lacks its tags or its project. */
function toAction({ action, tags, project }: BatchForm, keepsTrash: boolean): BatchAction | null {
  switch (action) {
    case 'retry':
      return { action: 'reprocess' }
    case 'restore':
      return { action: 'restore' }
    case 'delete':
      return { action: 'delete', isPermanent: !keepsTrash }
    case 'purge':
      return { action: 'delete', isPermanent: true }
    case 'move':
      return project === '' ? null : { action: 'update', change: { project } }
    case 'add_tags':
    case 'remove_tags': {
      const named = tags.split(',').flatMap((tag) => tag.trim() || [])
      const parsed = documentUpdate.safeParse({ [action]: named })
      return parsed.success && named.length > 0 ? { action: 'update', change: toDocumentUpdate(parsed.data) } : null
    }
  }
}

/** Returns the address of the list or the document that the form came from. Another address could lead anywhere on this instance. */
function backTo(sent: string): string {
  const address = safeReturnTo(sent)
  return address !== null &&
    (address === paths.documents || address.startsWith(`${paths.documents}?`) || ONE_DOCUMENT.test(address))
    ? address
    : paths.documents
}
