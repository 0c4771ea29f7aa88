import type { FindAnswer, FindRequest, Found, Question } from '../../src/search/find-request.ts'
import type { SearchQuery } from '../../src/search/search.ts'

type OfQuery = Pick<SearchQuery, 'userId' | 'projectIds' | 'groupBy' | 'sort' | 'facets' | 'passagesEach'>
type OfRequest = Omit<FindRequest, 'query' | 'question'>
/** What a test changes of a request, wherever it stands there. */
export type RequestChange = Partial<OfQuery & Question & OfRequest>

/** Returns a request of `usr_a` for the first 20 passages of `prj_a`, without a question. */
export function findRequest(change: RequestChange = {}): FindRequest {
  const query: SearchQuery = pick(change, {
    query: '',
    userId: 'usr_a',
    projectIds: ['prj_a'],
    filter: {},
    limit: 20,
    offset: 0,
    mode: 'hybrid',
    rerank: true,
    correct: true,
    groupBy: 'chunk',
    passagesEach: 1,
    sort: 'relevance',
    facets: null,
  })
  const question: Question = pick(change, {
    text: '',
    terms: [],
    words: [],
    expansions: [],
    language: 0,
    exact: { name: '', identifier: null, hasOnlyIdentifiers: false },
    typedTerms: null,
    vector: null,
    vectorWeight: 0.5,
    hasMeaning: true,
    noiseFloor: null,
    mode: 'hybrid',
    modeReason: null,
    degraded: null,
  })
  const rest: OfRequest = pick(change, {
    filter: {},
    rowsWithPhrases: null,
    spelling: [],
    wanted: 20,
    rerank: 'none',
    forModel: false,
  })
  return { query, question, ...rest }
}

function pick<T extends object>(change: RequestChange, defaults: T): T {
  return { ...defaults, ...Object.fromEntries(Object.entries(change).filter(([name]) => name in defaults)) }
}

/** Returns what an answer has found. Throws if it found nothing because something was missing. */
export function foundIn({ found }: FindAnswer): Found {
  if (found === null) throw new Error('the search thread has not searched yet')
  return found
}
