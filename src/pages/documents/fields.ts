import { DOCUMENT_SORTS, type DocumentSort, type SortOrder } from '../../core/model.ts'
import { paths } from '../paths.ts'

/** The tabs of the list, each with the documents that it shows. */
export const TABS = { all: 'All', progress: 'In progress', failed: 'Failed', warnings: 'Warnings', trash: 'Trash' } as const
export type Tab = keyof typeof TABS

/** What the list shows, as in its address. */
export interface ListFields {
  tab: Tab
  name?: string | undefined
  project?: string | undefined
  path?: string | undefined
  /** Default: newest. */
  sort?: DocumentSort | '' | undefined
  /** Default: the usual order of the sort. */
  order?: SortOrder | '' | undefined
  cursor?: string | undefined
}

/** Returns the address of the list from the beginning, sorted by a column. A column that sorts the list already is turned round. */
export function sortedAddress(fields: ListFields, column: DocumentSort): string {
  const { sort, order } = sortingOf(fields)
  const usual = DOCUMENT_SORTS[column]
  const next = sort === column && order === usual ? opposite(usual) : usual
  return listAddress({
    ...fields,
    sort: column === 'newest' ? '' : column,
    order: next === usual ? '' : next,
    cursor: '',
  })
}

/** Returns how the list is sorted. */
export function sortingOf({ sort, order }: ListFields): { sort: DocumentSort; order: SortOrder } {
  const column = sort || 'newest'
  return { sort: column, order: order || DOCUMENT_SORTS[column] }
}

function opposite(order: SortOrder): SortOrder {
  return order === 'asc' ? 'desc' : 'asc'
}

/** Returns the address of the list without empty fields. */
export function listAddress({ tab, ...fields }: ListFields): string {
  const given = Object.entries(fields).filter((entry): entry is [string, string] => Boolean(entry[1]))
  const query = new URLSearchParams([...(tab === 'all' ? [] : [['tab', tab]]), ...given])
  return query.size === 0 ? paths.documents : `${paths.documents}?${query}`
}
