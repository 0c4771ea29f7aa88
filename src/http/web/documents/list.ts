import { z } from 'zod'
import { isDocsearchError } from '../../../core/errors.ts'
import { DOCUMENT_SORTS, SORT_ORDERS, type DocumentSort, type DocumentStatus } from '../../../core/model.ts'
import { listAddress, sortingOf, TABS, type ListFields, type Tab } from '../../../pages/documents/fields.ts'
import { renderDocumentList } from '../../../pages/documents/list.tsx'
import { paths } from '../../../pages/paths.ts'
import { presentDocument } from '../../../contract/present/documents.ts'
import type { Dependencies } from '../../dependencies.ts'
import { listAll } from '../list-all.ts'
import type { View, ViewCall } from '../routing/page.ts'
import { batchPage } from './batch.ts'

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
