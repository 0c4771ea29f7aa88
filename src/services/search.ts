import { marksOf } from '../search/marks.ts'
import type { Search as SearchPassages, SearchOutcome, SearchQuery } from '../search/search.ts'
import { nameProjects } from '../search/facets.ts'
import type { Access, Actor } from './access.ts'

export type { SearchHit, SearchOutcome } from '../search/search.ts'

/** What to search for, with projects by id or name. */
export type SearchRequest = Omit<SearchQuery, 'userId' | 'projectIds'> & {
  /** All of the actor's projects when left out. */
  projects?: readonly string[] | undefined
}

export interface Search {
  /**
   * Returns the passages of the actor's projects that answer the query best. Throws `invalid_query`, `project_not_found`, `ambiguous_name`,
   * `insufficient_scope`.
   */
  search(actor: Actor, request: SearchRequest, signal: AbortSignal): Promise<SearchOutcome>
  /** Returns where the words of a query are in a text, as a search would highlight them: spans in UTF-16 code units. */
  highlight(query: string, text: string): [number, number][]
}

export function createSearchService({ search, access }: { search: SearchPassages; access: Access }): Search {
  return {
    async search(actor, { projects: wanted, ...query }, signal) {
      const visible = await access.toRead(actor)
      const projectIds = wanted === undefined ? visible.ids : new Set(wanted.map((idOrName) => visible.require(idOrName).id))
      const outcome = await search.search({ ...query, userId: actor.userId, projectIds: [...projectIds].sort() }, signal)
      return { ...outcome, facets: outcome.facets && nameProjects(outcome.facets, (id) => visible.unambiguousName(id)) }
    },
    highlight: marksOf,
  }
}
