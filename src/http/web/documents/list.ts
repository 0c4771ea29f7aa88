import { z } from 'zod'
import { documentUpdate } from '../../../contract/documents.ts'
import { presentDocument } from '../../../contract/present.ts'
import { isDocsearchError } from '../../../core/errors.ts'
import { DOCUMENT_SORTS, type DocumentSort, type DocumentStatus, SORT_ORDERS } from '../../../core/model.ts'
import { listAddress, type ListFields, sortingOf, type Tab, TABS } from '../../../pages/documents/fields.ts'
import { renderDocumentList } from '../../../pages/documents/list.tsx'
import { renderPurge } from '../../../pages/document/trash.tsx'
import { paths } from '../../../pages/paths.ts'
import type { BatchAction } from '../../../services/batch.ts'
import { toDocumentUpdate } from '../../api/documents/routes.ts'
import type { Dependencies } from '../../dependencies.ts'
import { fail } from '../../problems/problems.ts'
import { clientGone } from '../../routing/context.ts'
import { listAll } from '../forms.ts'
import { safeReturnTo, type View, type ViewCall } from '../routing/page.ts'
import type { FlashCode } from '../session/flash.ts'

/** Fewer than a form may have fields, because each document has one. */
const DOCUMENTS = 50

type Parts = Pick<Dependencies, 'documents' | 'projects'>

/** What each tab shows, in the terms of the list's filter. */
const FILTERS: Record<Tab, { status?: DocumentStatus | readonly DocumentStatus[]; warnings?: true; isTrashed?: true }> = {
  all: {},
  progress: { status: ['queued', 'processing'] },
  failed: { status: 'failed' },
  warnings: { warnings: true },
  trash: { isTrashed: true },
}

const listQuery = z.object({
  tab: z.enum(Object.keys(TABS) as [Tab, ...Tab[]]).catch('all'),
  name: z.string().max(1000).catch(''),
  project: z.string().max(200).catch(''),
  path: z.string().max(4000).catch(''),
  sort: z.enum(['', ...(Object.keys(DOCUMENT_SORTS) as DocumentSort[])]).catch(''),
  order: z.enum(['', ...SORT_ORDERS]).catch(''),
  cursor: z.string().max(2000).catch(''),
})

export const documentListPages = (parts: Parts): View[] => [
  {
    method: 'GET',
    path: paths.documents,
    hasScript: true,
    async handle(call) {
      const fields = readFields(call)
      const outcome = await find(parts, call, fields)
      // The cursor belongs to another list.
      if (outcome === null) return call.goTo(listAddress({ ...fields, cursor: '' }))
      const { found, error } = outcome
      const projects = (await listAll((page) => parts.projects.list(call.actor, page))).map(({ id, name }) => ({ id, name }))
      call.show(
        renderDocumentList({
          ...call.signedIn(),
          fields,
          documents: found.items.map((document) => ({
            ...presentDocument(document),
            ...('trashedAt' in document ? { trashed_at: document.trashedAt.toISOString() } : {}),
          })),
          nextCursor: found.nextCursor,
          projects,
          keepsTrash: parts.documents.trashDays > 0,
          error,
        }),
        error === null ? 200 : 404,
      )
    },
  },
  batchPage(parts),
]

/** Returns the fields of the address. When a field is there twice, the last one counts. A wrong one counts as empty. */
function readFields({ ctx }: ViewCall): ListFields {
  const given = Object.fromEntries(Object.entries(ctx.query).map(([name, value]) => [name, [value ?? []].flat().at(-1)]))
  return listQuery.parse(given)
}

/** Returns the documents, or what is wrong with the filter; null for a wrong cursor. */
async function find(
  { documents }: Parts,
  { actor }: ViewCall,
  fields: ListFields,
): Promise<{ found: Awaited<ReturnType<Dependencies['documents']['list']>>; error: string | null } | null> {
  const { tab, name, project, path, cursor } = fields
  const filter = {
    limit: DOCUMENTS,
    ...FILTERS[tab],
    ...(name ? { name } : {}),
    ...(project ? { project } : {}),
    ...(path ? { pathPrefix: path } : {}),
    ...sortingOf(fields),
    ...(cursor ? { cursor } : {}),
  }
  const none = { items: [], nextCursor: null }
  try {
    return { found: await documents.list(actor, filter), error: null }
  } catch (error) {
    if (isDocsearchError(error, 'project_not_found') || isDocsearchError(error, 'ambiguous_name'))
      return { found: none, error: 'You have no such project. Choose one from the list.' }
    if (isDocsearchError(error, 'invalid_cursor')) return null
    throw error
  }
}

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
const batchPage = ({ documents }: Pick<Dependencies, 'documents'>): View => ({
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
