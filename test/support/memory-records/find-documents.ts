import { foldName } from '../../../src/core/fold-name.ts'
import type { DocumentQuery, NewDocument } from '../../../src/records/documents.ts'
import type { MemoryStore, StoredDocument } from './store.ts'

export function isMatch(document: StoredDocument, query: DocumentQuery): boolean {
  const { status, warnings, name, sha256, pathPrefix, idSuffix, createdAfter, createdBefore, tags, mediaTypes, parentId } = query
  return (
    (status === undefined || [status].flat().includes(document.status)) &&
    (warnings === undefined || document.warnings.length > 0 === warnings) &&
    (name === undefined || foldName(document.name).includes(foldName(name))) &&
    (sha256 === undefined || document.sha256 === sha256) &&
    (pathPrefix === undefined || document.path.startsWith(pathPrefix)) &&
    (idSuffix === undefined || document.id.endsWith(idSuffix)) &&
    (createdAfter === undefined || document.createdAt >= createdAfter) &&
    (createdBefore === undefined || document.createdAt < createdBefore) &&
    (tags === undefined || tags.some((tag) => document.tags.includes(tag))) &&
    (mediaTypes === undefined || mediaTypes.includes(document.mediaType)) &&
    (parentId === undefined || document.parentId === parentId)
  )
}

export function atPath(
  store: MemoryStore,
  { projectId, path }: Pick<NewDocument, 'projectId' | 'path'>,
): StoredDocument | undefined {
  return [...store.documents.values()].find((document) => document.projectId === projectId && document.path === path)
}
