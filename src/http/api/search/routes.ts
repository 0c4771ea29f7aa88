import { passageAddress } from '../../../contract/addresses.ts'
import { toMessageQuery, toSearchFilter } from '../../../contract/search-filter.ts'
import {
  type ParsedSearchRequest,
  searchAnswer,
  type SearchAnswer,
  type SearchPassage,
  searchRequestWithin,
  type SearchResult,
} from '../../../contract/search.ts'
import type { FoundPassages, SearchRequest } from '../../../services/search.ts'
import type { Dependencies } from '../../dependencies.ts'
import { sinceArrival } from '../../middleware/credential-watch.ts'
import { route, type Route } from '../../routing/route.ts'

export const searchRoutes = ({ search, settings }: Pick<Dependencies, 'search' | 'settings'>): Route[] => [
  route({
    operationId: 'search',
    method: 'POST',
    path: '/api/v1/search',
    tag: 'Search',
    summary: 'Find passages',
    description:
      'Runs vector search and keyword search, then reranks the results. `sort` sorts the results by time or name, and `facets` counts the documents found by project, folder, media type, tag or year. When a stage is unavailable, the answer says so (`correction_reason`, `mode_reason`, `rerank.reason`) instead of failing. `pending_documents` counts the documents that are not searchable yet. `truncated` says that docsearch left out results because the answer would be too long.',
    access: 'read:documents',
    body: searchRequestWithin(settings.limits.queryChars),
    answers: { 200: { description: 'The passages, in the order of `sort`', schema: searchAnswer } },
    problems: ['invalid_query', 'project_not_found', 'unavailable'],
    async handle({ ctx, actor, body, gone }) {
      const outcome = await sinceArrival(ctx, () => search.search(actor, toSearchRequest(body), gone))
      gone.throwIfAborted()
      ctx.body = presentSearch(body, outcome, { baseUrl: settings.baseUrl(), maxBytes: settings.limits.answerBytes })
    },
  }),
]

/** Returns the domain's form of a search request. */
export function toSearchRequest(body: ParsedSearchRequest): SearchRequest {
  const messages = toMessageQuery(body.filter)
  return {
    query: body.query,
    filter: toSearchFilter(body.filter),
    ...(messages !== undefined && { messages }),
    projects: body.project === undefined ? undefined : [body.project].flat(),
    limit: body.limit,
    offset: body.offset,
    mode: body.mode,
    rerank: body.rerank,
    correct: body.correct,
    groupBy: body.group_by,
    passagesEach: body.passages,
    sort: body.sort,
    facets: body.facets ?? null,
    lines: body.lines,
  }
}

type Asked = Pick<ParsedSearchRequest, 'query' | 'explain' | 'group_by' | 'passages' | 'lines'>

interface SearchPresentation {
  /** The base of the addresses of passages. */
  baseUrl: string
  /** The maximum size of the answer in JSON. */
  maxBytes: number
}

/** As in `\u001f`. */
const MAX_CHARACTER_BYTES = 6
/** As in `-1.2345678901234567e-300`. */
const MAX_NUMBER_BYTES = 25

/** Returns the answer with as many of the first results as fit. */
export function presentSearch(request: Asked, outcome: FoundPassages, { baseUrl, maxBytes }: SearchPresentation): SearchAnswer {
  const answer: SearchAnswer = {
    query: request.query,
    corrected_query: outcome.correctedQuery,
    correction_reason: outcome.correctionReason,
    relaxed_phrases: [...outcome.relaxedPhrases],
    results: [],
    truncated: false,
    took_ms: outcome.tookMs,
    mode: outcome.mode,
    mode_reason: outcome.modeReason,
    embedding_model: outcome.embeddingModel,
    rerank: {
      applied: outcome.rerank.applied,
      model: outcome.rerank.model,
      took_ms: outcome.rerank.tookMs,
      reason: outcome.rerank.reason,
    },
    ...(outcome.facets === null ? {} : { facets: outcome.facets }),
    pending_documents: outcome.pendingDocuments,
  }
  const results = outcome.hits.map((hit) => presentHit(hit, request, baseUrl))
  const whole = { ...answer, results }
  return maxBytesOf(whole) <= maxBytes ? whole : cut(answer, results, maxBytes)
}

function cut(answer: SearchAnswer, results: readonly SearchResult[], maxBytes: number): SearchAnswer {
  let bytes = bytesOf(answer)
  for (const [i, result] of results.entries()) {
    // One byte more, for the comma between two results.
    bytes += bytesOf(result) + 1
    if (bytes > maxBytes) return { ...answer, results: results.slice(0, i), truncated: true }
  }
  return { ...answer, results: [...results] }
}

/** Returns an upper bound of a value's size in JSON. Nearly every answer is far below the limit, and its size would take as long as its JSON. */
function maxBytesOf(value: unknown): number {
  if (typeof value === 'string') return MAX_CHARACTER_BYTES * value.length + 2
  if (typeof value !== 'object' || value === null) return MAX_NUMBER_BYTES
  let bytes = 2
  for (const [key, item] of Object.entries(value)) bytes += MAX_CHARACTER_BYTES * key.length + 4 + maxBytesOf(item)
  return bytes
}

function bytesOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value))
}

function presentHit(
  hit: FoundPassages['hits'][number],
  { explain, group_by, passages, lines }: Asked,
  baseUrl: string,
): SearchResult {
  const { document, passage } = hit
  return {
    rank: hit.rank,
    score: hit.score,
    document: {
      id: document.id,
      name: document.name,
      path: document.path,
      title: document.title,
      media_type: document.mediaType,
      project: { id: document.projectId, name: document.projectName },
    },
    chunk: {
      ...presentPlace(passage),
      ...(lines ? { line: hit.line } : {}),
    },
    location: hit.location,
    text: hit.text,
    joined_chunks: hit.joinedPassages,
    also_in: hit.alsoIn.map(({ id, name, pageStart }) => ({ id, name, page_start: pageStart })),
    highlights: hit.highlights,
    url: urlOf(hit, document.id, baseUrl),
    ...(group_by === 'document' ? { matching_chunks: hit.matchingPassages } : {}),
    ...(group_by === 'document' && passages > 1
      ? {
          more_passages: hit.more.map((other) => ({
            chunk: presentPlace(other.passage),
            location: other.location,
            text: other.text,
            highlights: other.highlights,
            url: urlOf(other, document.id, baseUrl),
          })),
        }
      : {}),
    ...(explain ? { explain: { ...hit.stages, expansions: [...hit.stages.expansions] } } : {}),
  }
}

type FoundPassage = FoundPassages['hits'][number]['passage']

function presentPlace({
  id,
  index,
  pageStart,
  pageEnd,
  heading,
  context,
  charStart,
  charEnd,
}: FoundPassage): SearchPassage['chunk'] {
  return {
    id,
    index,
    page_start: pageStart,
    page_end: pageEnd,
    heading,
    context,
    char_start: charStart,
    char_end: charEnd,
  }
}

function urlOf({ passage, text }: { passage: FoundPassage; text: string }, documentId: string, baseUrl: string): string {
  const { pageStart: page, charStart, charEnd } = passage
  return baseUrl + passageAddress({ documentId, page, charStart, charEnd, text })
}
