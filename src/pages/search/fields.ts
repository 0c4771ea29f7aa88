import { paths } from '../paths.ts'

/** The query parameters of a search's address, as the user typed them. */
export const SEARCH_FIELDS = ['q', 'project', 'group', 'type', 'tags', 'exact', 'offset'] as const
export type SearchField = (typeof SEARCH_FIELDS)[number]
export type SearchFields = Partial<Record<SearchField, string>>

/** Returns the address of a search without empty fields. */
export function searchAddress(fields: SearchFields): string {
  const query = new URLSearchParams(SEARCH_FIELDS.flatMap((name) => (fields[name] ? [[name, fields[name]]] : [])))
  return query.size === 0 ? paths.home : `${paths.home}?${query}`
}

/** Returns the address of a passage (`url` in the contract) as a path, plus the search that found it. The document's view uses the search for marks and for the way back. */
export function withSearch(url: string, fields: SearchFields): string {
  const { pathname, search, hash } = new URL(url)
  const query = new URLSearchParams(search)
  for (const name of SEARCH_FIELDS) if (fields[name]) query.set(name, fields[name])
  return `${pathname}?${query}${hash}`
}
