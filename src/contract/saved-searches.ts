import { z } from 'zod'
import { displayName, timestamp } from './common.ts'

const parameter = (description: string) => z.string().min(1).max(4000).optional().meta({ description })

/** The parameters in the address of a search in the browser. `searchRequestWithin` checks what they mean. */
export const searchParameters = z
  .strictObject({
    q: z.string().min(1).max(16_000).meta({ description: 'The question' }),
    project: parameter('ID or name of a project'),
    group: parameter('`document` by default, or `chunk`'),
    sort: parameter('`relevance` by default, `newest` or `name`'),
    type: parameter('A format such as `pdf`, or a media type'),
    tags: parameter('Separated by commas; one must match'),
    path: parameter('The beginning of the path'),
    after: parameter('First day of the upload, such as 2026-03-31'),
    before: parameter('Day after the last one'),
    document: parameter('ID of a document'),
    exact: parameter('`1`: misspelled words are not corrected'),
  })
  .meta({ id: 'SearchParameters', description: 'The search as in its address in the browser' })

export const savedSearch = z
  .object({
    id: z.string(),
    name: z.string(),
    search: searchParameters,
    url: z.string().meta({ description: 'Opens the search in the browser' }),
    created_at: timestamp,
  })
  .meta({ id: 'SavedSearch' })
export type SavedSearch = z.infer<typeof savedSearch>

export const savedSearchList = z.object({ saved_searches: z.array(savedSearch) }).meta({ id: 'SavedSearchList' })
export type SavedSearchList = z.infer<typeof savedSearchList>

export const savedSearchCreate = z
  .strictObject({
    name: displayName.optional().meta({ description: 'Default: the beginning of the question' }),
    search: searchParameters,
  })
  .meta({ id: 'SavedSearchCreate' })

export const savedSearchUpdate = z.strictObject({ name: displayName }).meta({ id: 'SavedSearchUpdate' })
