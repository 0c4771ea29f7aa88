import { DocsearchError } from '../core/errors.ts'
import type { DocumentSort, DocumentStatus, SortOrder } from '../core/model.ts'
import type { DocumentQuery, ListRequest } from '../records/records.ts'

export interface DocumentFilter extends ListRequest {
  /** ID or name. */
  project?: string | undefined
  /** One of these, if there are several. */
  status?: DocumentStatus | readonly DocumentStatus[] | undefined
  /** Only documents with warnings, or only those without. */
  warnings?: boolean | undefined
  /** Part of the name, in any letter case. */
  name?: string | undefined
  sha256?: string | undefined
  /** The beginning of the path. */
  pathPrefix?: string | undefined
  /** The end of the ID. */
  idSuffix?: string | undefined
  /** Created at this time or later. */
  createdAfter?: Date | undefined
  /** Created before this time. */
  createdBefore?: Date | undefined
  /** At least one of these tags. */
  tags?: readonly string[] | undefined
  /** One of these types. */
  mediaTypes?: readonly string[] | undefined
  /** The attachments of this message; null for documents that are no attachments. */
  parentId?: string | null | undefined
  /** `newest` by default. Documents in the trash are always sorted by when they were deleted. */
  sort?: DocumentSort | undefined
  /** By default the usual order of `sort`. */
  order?: SortOrder | undefined
  /** Documents in the trash instead of all others. */
  isTrashed?: boolean | undefined
}

/** What to change. Fields that you leave out stay as they are. */
export interface DocumentUpdate {
  name?: string | undefined
  path?: string | undefined
  title?: string | undefined
  tags?: readonly string[] | undefined
  /** Tags to add to those that the document has. */
  addTags?: readonly string[] | undefined
  /** Tags to remove from those that the document has. */
  removeTags?: readonly string[] | undefined
  /** ID or name. */
  project?: string | undefined
}

export function documentNotFound(): never {
  throw new DocsearchError('document_not_found', 'You have no document with this ID.')
}

/** Returns the filter for the records, without the project and without fields that are not set. */
export function toQuery(filter: DocumentFilter): DocumentQuery {
  const isForRecords = (name: string) => name !== 'project' && name !== 'isTrashed'
  const given = Object.entries(filter).filter(([name, value]) => value !== undefined && isForRecords(name))
  return Object.fromEntries(given) as unknown as DocumentQuery
}
