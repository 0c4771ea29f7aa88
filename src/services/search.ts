import { marksOf } from '../search/marks.ts'
import type { Search as SearchPassages, SearchOutcome, SearchQuery } from '../search/search.ts'
import { requireReader, type Actor } from './access.ts'
import type { Projects } from './projects.ts'

export type { SearchHit, SearchOutcome } from '../search/search.ts'

/** What to search for: a query without its owner, with projects by id or name. */
export type SearchRequest = Omit<SearchQuery, 'filter'> & {
  filter: Omit<SearchQuery['filter'], 'ownerId' | 'projectIds'>
  /** All of the actor's projects when left out. */
  projects?: readonly string[] | undefined
}

export interface Search {
  /** Returns the passages of the actor's documents that answer the query best. Throws `invalid_query`, `project_not_found`, `insufficient_scope`. */
  search(actor: Actor, request: SearchRequest, signal: AbortSignal): Promise<SearchOutcome>
  /** Returns where the words of a query are in a text, as a search would highlight them: spans in UTF-16 code units. */
  highlight(query: string, text: string): [number, number][]
}

export function createSearchService({ search, projects }: { search: SearchPassages; projects: Projects }): Search {
  return {
    async search(actor, { projects: wanted, filter, ...query }, signal) {
      const ownerId = requireReader(actor)
      const projectIds = wanted === undefined ? undefined : await projects.findIds(actor, wanted)
      return search.search({ ...query, filter: { ...filter, ownerId, projectIds } }, signal)
    },
    highlight: marksOf,
  }
}
