import type { Document } from '../contract/documents.ts'
import type { DocumentSort, SortOrder } from '../core/model.ts'

export interface ListRange {
  limit?: number
  cursor?: string
}

export interface DocumentFilter extends ListRange {
  project?: string | undefined
  status?: Document['status'] | undefined
  /** Only documents with warnings, or only those without. */
  warnings?: boolean
  name?: string | undefined
  sha256?: string
  /** The beginning of the path. */
  path_prefix?: string | undefined
  /** The end of the ID. */
  id_suffix?: string
  /** Added at this time or later. */
  created_after?: string | undefined
  /** Added before this time. */
  created_before?: string | undefined
  /** At least one of these tags. */
  tag?: readonly string[]
  /** One of these types. */
  media_type?: readonly string[]
  /** The attachments of the message with this ID. */
  parent?: string | undefined
  /** `false` for documents that are no attachments. */
  attachments?: false
  /** `newest` by default. */
  sort?: DocumentSort | undefined
  order?: SortOrder
  /** Documents in the trash instead of all others. */
  trashed?: boolean
}
