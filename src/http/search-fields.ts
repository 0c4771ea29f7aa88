import { searchRequestWithin, type ParsedSearchRequest, type SearchRequest } from '../contract/search.ts'
import { FORMATS, isFormatId } from '../core/formats.ts'
import { examine, type FieldFault } from '../contract/validate.ts'
import { isByPassage, SEARCH_FIELDS, type SearchField, type SearchFields, searchParameters } from '../pages/search/fields.ts'
import { tagsOf } from '../pages/search/filters.ts'
import type { SearchErrors } from '../pages/search/form.tsx'

/** For each field of the request: its field on the page, and the subject of a sentence about it. */
const PLACES: Readonly<Record<string, [field: SearchField, subject: string]>> = {
  query: ['q', 'The question'],
  project: ['project', 'The project'],
  offset: ['offset', 'The number of results to skip'],
  group_by: ['group', 'The grouping'],
  'filter.tags': ['tags', 'The list of tags'],
  'filter.media_types': ['type', 'The type'],
  'filter.path_prefix': ['path', 'The beginning of the path'],
  'filter.created_after': ['after', 'The first day'],
  'filter.created_before': ['before', 'The day after the last one'],
  sort: ['sort', 'The order'],
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

/** How many passages of each document the view shows. */
const PASSAGES_EACH = 3

function rawRequest(fields: SearchFields, limit: number): SearchRequest {
  const { q, project, group, sort, exact, offset } = fields
  const filter = rawFilter(fields)
  return {
    query: q ?? '',
    limit,
    ...(project ? { project } : {}),
    // The schema refuses a wrong number, grouping or order.
    ...(isByPassage(fields) ? {} : { group_by: (group || 'document') as 'document', passages: PASSAGES_EACH }),
    ...(sort ? { sort: sort as 'newest' } : {}),
    ...(offset ? { offset: /^\d+$/.test(offset) ? Number(offset) : (offset as unknown as number) } : {}),
    ...(exact ? { correct: false } : {}),
    ...(Object.keys(filter).length > 0 ? { filter } : {}),
    facets: ['project', 'folder', 'media_type', 'tag', 'year'],
  }
}

function rawFilter(fields: SearchFields): NonNullable<SearchRequest['filter']> {
  const { type, path, after, before, document } = fields
  const tags = tagsOf(fields)
  return {
    ...(document ? { document_ids: [document] } : {}),
    ...(type ? { media_types: [isFormatId(type) ? FORMATS[type].mediaType : type] } : {}),
    ...(tags.length > 0 ? { tags } : {}),
    ...(path ? { path_prefix: path } : {}),
    ...(after ? { created_after: midnight(after) } : {}),
    ...(before ? { created_before: midnight(before) } : {}),
  }
}

/** A day begins at midnight in UTC, like the days in the list of documents. */
function midnight(day: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(day) ? `${day}T00:00:00Z` : day
}

function errorsOf(faults: readonly FieldFault[]): SearchErrors {
  const errors: SearchErrors = {}
  for (const { path, message } of faults) {
    const [field, subject] = PLACES[path] ?? ['q', path]
    const isBlank = path === 'query' && /^must not be (?:blank|empty)$/.test(message)
    const isDay = field === 'after' || field === 'before'
    errors[field] ??= isBlank ? 'Type a question first.' : isDay ? 'Enter a day such as 2026-03-31.' : `${subject} ${message}.`
  }
  return errors
}

/** Returns a search as it is saved, or what is wrong with it. Whatever can be saved can be searched. */
export function savedParameters(
  fields: SearchFields,
  queryChars: number,
): { parameters: string; errors: null } | { parameters: null; errors: SearchErrors } {
  const { errors } = requestOf({ ...fields, offset: '' }, { queryChars, limit: 1 })
  return errors === null ? { parameters: searchParameters(fields), errors } : { parameters: null, errors }
}

/** Returns the search that `searchParameters` has written. */
export function fieldsOfParameters(parameters: string): SearchFields {
  return searchFieldsOf(Object.fromEntries(new URLSearchParams(parameters)))
}

/** Returns the beginning of the question, for a search that was saved without a name. */
export function defaultName(question: string): string {
  const visible = question.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()
  // Each character has at most two UTF-16 units, and a name at most 200.
  return [...visible].slice(0, 100).join('') || 'Search'
}
