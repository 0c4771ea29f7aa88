import { paths } from '../paths.ts'

/** What stands in the address of a search, as it was typed. */
export const SEARCH_FIELDS = ['q', 'project', 'group', 'type', 'tags', 'exact', 'offset'] as const
export type SearchField = (typeof SEARCH_FIELDS)[number]
export type SearchFields = Partial<Record<SearchField, string>>

/** The address of a search; empty fields are left out. */
export function searchAddress(fields: SearchFields): string {
  const query = new URLSearchParams(SEARCH_FIELDS.flatMap((name) => (fields[name] ? [[name, fields[name]]] : [])))
  return query.size === 0 ? paths.home : `${paths.home}?${query}`
}

/** A passage's own address (contract: `url`) as a path here, with the search that led to it, for its marks and the way back. */
export function withSearch(url: string, fields: SearchFields): string {
  const { pathname, search, hash } = new URL(url)
  const query = new URLSearchParams(search)
  for (const name of SEARCH_FIELDS) if (fields[name]) query.set(name, fields[name])
  return `${pathname}?${query}${hash}`
}
