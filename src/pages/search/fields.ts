import { paths } from '../paths.ts'

/** The query parameters of a search's address, as the user typed them. */
export const SEARCH_FIELDS = [
  'q',
  'project',
  'group',
  'sort',
  'type',
  'tags',
  'path',
  'after',
  'before',
  'document',
  'exact',
  'offset',
] as const
export type SearchField = (typeof SEARCH_FIELDS)[number]
export type SearchFields = Partial<Record<SearchField, string>>

/** Returns the address of a search without empty fields. */
export function searchAddress(fields: SearchFields): string {
  const query = queryOf(fields)
  return query === '' ? paths.home : `${paths.home}?${query}`
}

/** Returns a search as it is saved: always in the same order, and from the first result. */
export function searchParameters(fields: SearchFields): string {
  return queryOf({ ...fields, offset: '' })
}

function queryOf(fields: SearchFields): string {
  return new URLSearchParams(SEARCH_FIELDS.flatMap((name) => (fields[name] ? [[name, fields[name]]] : []))).toString()
}

/** Returns the address of the first result page after some fields have changed. An empty field is removed. */
export function changed(fields: SearchFields, change: SearchFields): string {
  return searchAddress({ ...fields, offset: '', ...change })
}

/** Returns the address of a passage (`url` in the contract) as a path, plus the search that found it. The document's view uses the search for marks and for the way back. */
export function withSearch(url: string, fields: SearchFields): string {
  const { pathname, search, hash } = new URL(url)
  const query = new URLSearchParams(search)
  for (const name of SEARCH_FIELDS) if (fields[name]) query.set(name, fields[name])
  return `${pathname}?${query}${hash}`
}

/** Returns whether results are single passages, instead of documents with their best passages. */
export function isByPassage({ group = '', document = '' }: SearchFields): boolean {
  return group === 'chunk' || (group === '' && document !== '')
}
