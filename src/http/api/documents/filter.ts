import type { z } from 'zod'
import type { documentListQuery, documentUpdate } from '../../../contract/documents.ts'
import type { DocumentFilter, DocumentUpdate } from '../../../services/document-requests.ts'

/** Returns the filter of a request in the terms of the services. */
export function toDocumentFilter(query: z.output<typeof documentListQuery>): DocumentFilter {
  const { path_prefix, media_type: mediaTypes, tag: tags, id_suffix, created_after, created_before, trashed, ...others } = query
  const { parent, attachments, ...filter } = others
  return {
    ...filter,
    pathPrefix: path_prefix,
    mediaTypes,
    tags,
    idSuffix: id_suffix,
    createdAfter: toDate(created_after),
    createdBefore: toDate(created_before),
    parentId: attachments === false ? null : parent,
    isTrashed: trashed,
  }
}

function toDate(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text)
}

/** Returns a change with the names of the services. */
export function toDocumentUpdate({
  name,
  path,
  title,
  tags,
  add_tags: addTags,
  remove_tags: removeTags,
  project,
}: Partial<z.output<typeof documentUpdate>>): DocumentUpdate {
  return { name, path, title, tags, addTags, removeTags, project }
}
