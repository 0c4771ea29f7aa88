import { searchRequestWithin, type ParsedSearchRequest, type SearchRequest } from '../../../contract/search.ts'
import { FORMATS, isFormatId } from '../../../core/formats.ts'
import { examine, type FieldFault } from '../../../contract/validate.ts'
import { SEARCH_FIELDS, type SearchField, type SearchFields } from '../../../pages/search/fields.ts'
import type { SearchErrors } from '../../../pages/search/form.tsx'

/** For each field of the request: its field on the page, and the subject of a sentence about it. */
const PLACES: Readonly<Record<string, [field: SearchField, subject: string]>> = {
  query: ['q', 'The question'],
  project: ['project', 'The project'],
  offset: ['offset', 'The number of results to skip'],
  group_by: ['group', 'The grouping'],
  'filter.tags': ['tags', 'The list of tags'],
  'filter.media_types': ['type', 'The type'],
}

/** Returns the search fields of an address. When a field is there twice, the last one counts. */
export function searchFieldsOf(query: Readonly<Record<string, string | string[] | undefined>>): SearchFields {
  const fields: SearchFields = {}
  for (const name of SEARCH_FIELDS) {
    const value = [query[name] ?? []].flat().at(-1)
    if (value !== undefined) fields[name] = value
  }
  return fields
}

/** Returns the API request for the fields, parsed by the API's schema, or the errors as sentences. */
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
    // The schema refuses a wrong number or grouping.
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
