import type { PageRequest } from '../records/records.ts'

/** Query parameters of a list as the records want them. */
export function pageRequest(query: { limit: number; cursor?: string | undefined }): PageRequest {
  return query.cursor === undefined ? { limit: query.limit } : { limit: query.limit, cursor: query.cursor }
}
