import { searchRequestWithin, type ParsedSearchRequest, type SearchRequest } from '../../../contract/search.ts'
import { FORMATS, isFormatId } from '../../../core/formats.ts'
import { examine, type FieldFault } from '../../../contract/validate.ts'
import { SEARCH_FIELDS, type SearchField, type SearchFields } from '../../../pages/search/fields.ts'
import type { SearchErrors } from '../../../pages/search/form.tsx'

/** By the request's field: where it stands on the page, and how a sentence about it begins. */
const PLACES: Readonly<Record<string, [field: SearchField, subject: string]>> = {
  query: ['q', 'The question'],
  project: ['project', 'The project'],
  offset: ['offset', 'The number of results to leave out'],
  group_by: ['group', 'The grouping'],
  'filter.tags': ['tags', 'The list of tags'],
  'filter.media_types': ['type', 'The type'],
}

/** The fields of a search in an address. One that is there twice counts once, the last: there is one of each in the form. */
export function searchFieldsOf(query: Readonly<Record<string, string | string[] | undefined>>): SearchFields {
  const fields: SearchFields = {}
  for (const name of SEARCH_FIELDS) {
    const value = [query[name] ?? []].flat().at(-1)
    if (value !== undefined) fields[name] = value
  }
  return fields
}

/** The request of the API that the fields ask for, by the same schema; or what is wrong with them, in sentences. */
export function requestOf(
  fields: SearchFields,
  { queryChars, limit }: { queryChars: number; limit: number },
): { request: ParsedSearchRequest; errors: null } | { request: null; errors: SearchErrors } {
  const { data, faults } = examine(searchRequestWithin(queryChars), rawRequest(fields, limit))
  if (data !== undefined) return { request: data, errors: null }
  return { request: null, errors: errorsOf(faults) }
}

function rawRequest({ q, project, group, type, tags, exact, offset }: SearchFields, limit: number): SearchRequest {
  const wanted = (tags ?? '').split(',').flatMap((tag) => tag.trim() || [])
  const filter = {
    ...(type ? { media_types: [isFormatId(type) ? FORMATS[type].mediaType : type] } : {}),
    ...(wanted.length > 0 ? { tags: wanted } : {}),
  }
  return {
    query: q ?? '',
    limit,
    ...(project ? { project } : {}),
    // What is no number or no grouping is for the schema to refuse.
    ...(group ? { group_by: group as 'document' } : {}),
    ...(offset ? { offset: /^\d+$/.test(offset) ? Number(offset) : (offset as unknown as number) } : {}),
    ...(exact ? { correct: false } : {}),
    ...(Object.keys(filter).length > 0 ? { filter } : {}),
  }
}

function errorsOf(faults: readonly FieldFault[]): SearchErrors {
  const errors: SearchErrors = {}
  for (const { path, message } of faults) {
    const [field, subject] = PLACES[path] ?? ['q', path]
    const isBlank = path === 'query' && /^must not be (?:blank|empty)$/.test(message)
    errors[field] ??= isBlank ? 'Type a question first.' : `${subject} ${message}.`
  }
  return errors
}
