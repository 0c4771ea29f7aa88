import { searchParameters, type SearchFields } from '../../../pages/search/fields.ts'
import type { SearchErrors } from '../../../pages/search/form.tsx'
import { requestOf, searchFieldsOf } from './search-fields.ts'

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
