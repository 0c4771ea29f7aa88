import { DocsearchError } from '../core/errors.ts'
import { currentMoment, fromNow, Moment } from '../core/moment.ts'
import type { Records } from '../records/records.ts'
import { nameProjects } from '../search/facets.ts'
import { hasAllWords, type MarkedPassage, marksOf } from '../search/marks.ts'
import type { Search, SearchOutcome, SearchQuery } from '../search/search.ts'
import type { Access, Actor } from './access.ts'
import { type LocatedHit, Locations } from './locations.ts'

/** How often a search begins because its actor lost a project during the search before. */
const MAX_ATTEMPTS = 3

export type { MarkedPassage } from '../search/marks.ts'

export type FoundPassages = Omit<SearchOutcome, 'hits'> & { hits: readonly LocatedHit[] }

/** What to search for, with projects by id or name. */
export type SearchRequest = Omit<SearchQuery, 'userId' | 'projectIds'> & {
  /** All of the actor's projects when left out. */
  projects?: readonly string[] | undefined
  /** Whether to find out in which lines the passages begin. */
  lines?: boolean
}

export interface SearchService {
  /**
   * Returns the passages of the actor's projects that answer the query best. Throws `invalid_query`, `project_not_found`, `ambiguous_name`,
   * `insufficient_scope`.
   */
  search(actor: Actor, request: SearchRequest, signal: AbortSignal): Promise<FoundPassages>
  /** Returns where the words of a query are in a text, as a search would highlight them: spans in UTF-16 code units. */
  highlight(query: string, text: string): [number, number][]
  /** Returns whether one of the passages has all words of the query. */
  hasAllWords(query: string, passages: readonly MarkedPassage[]): boolean
}

export function createSearchService(options: {
  search: Search
  access: Access
  records: Pick<Records, 'documents' | 'messages'>
}): SearchService {
  const { search, access, records } = options
  const locations = new Locations(records)
  return {
    async search(actor, { projects: wanted, lines = false, ...query }, signal) {
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
        // The first attempt may use what docsearch has read since the request arrived.
        const moment = attempt === 1 ? (currentMoment() ?? new Moment()) : new Moment()
        const { visible, projectIds, outcome } = await moment.run(async () => {
          const visible = await access.toRead(actor)
          const projectIds = wanted === undefined ? visible.ids : new Set(wanted.map((idOrName) => visible.require(idOrName).id))
          const outcome = await search.search({ ...query, userId: actor.userId, projectIds: [...projectIds].sort() }, signal)
          return { visible, projectIds, outcome }
        })
        // A search can take long enough for the actor to lose a project, and its counts and scores are about all of them.
        const { ids: now } = await fromNow(() => access.toRead(actor))
        if (![...projectIds].every((id) => now.has(id))) continue
        const hits = await locations.locate(outcome.hits, lines)
        return { ...outcome, hits, facets: outcome.facets && nameProjects(outcome.facets, (id) => visible.unambiguousName(id)) }
      }
      throw new DocsearchError('unavailable', 'Your projects changed during the search. Search again.')
    },
    highlight: marksOf,
    hasAllWords,
  }
}
