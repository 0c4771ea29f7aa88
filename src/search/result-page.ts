import type { Logger } from '../core/logger.ts'
import type { Embedder } from '../embed/embedder.ts'
import type { ChunkIndex, Passage } from '../index/chunk-index.ts'
import type { Documents, Vocabulary } from '../records/records.ts'
import type { Reranker } from '../rerank/reranker.ts'
import { type Candidates, findCandidates } from './candidates.ts'
import type { Candidate } from './fuse.ts'
import { group } from './group.ts'
import type { ParsedQuery } from './parse.ts'
import type { Question } from './question.ts'
import { type Reranked, rerankBest } from './rerank.ts'
import { reserve } from './reserve.ts'
import { takeExisting, neededPassages, present, type Result } from './results.ts'
import type { SearchOutcome, SearchQuery } from './search.ts'

export interface PageRequest {
  query: SearchQuery
  parsed: ParsedQuery
  question: Question
  embedder: Pick<Embedder, 'fusionWeight' | 'noiseFloor'>
  index: ChunkIndex
  /** Weight of the vector channel; null: the embedder's own. */
  fusionWeight: number | null
  records: { documents: Pick<Documents, 'getMany'>; vocabulary: Pick<Vocabulary, 'frequencies'> }
  reranker: Reranker
  rerankMs: number
  signal: AbortSignal | undefined
  log: Logger
}

export type ResultPage = Pick<SearchOutcome, 'hits' | 'rerank'> & {
  /** False when a commit removed passages after they were found, and before they were read. */
  isComplete: boolean
}

type ReadPassages = (ids: readonly string[]) => Promise<ReadonlyMap<string, Passage>>

/** Returns the results from `query.offset` on. It looks deeper into the index until the page is full or nothing is left. */
export async function findResultPage(request: PageRequest): Promise<ResultPage> {
  const { query, parsed, question, index, embedder, fusionWeight } = request
  const looks = findCandidates(
    index,
    question,
    { ...query.filter, ...parsed.filter },
    {
      fusionWeight: (vector) => fusionWeight ?? embedder.fusionWeight(vector),
      noiseFloor: (...asked) => embedder.noiseFloor(...asked),
    },
  )
  const passages = remembering(async (ids) => {
    const found = await index.passages(ids.map((id) => looks.rowOf(id)))
    return new Map(Array.from(found.values(), (passage) => [passage.id, passage]))
  })
  const { candidates, more } = await looks.next()
  const best = await orderBest(candidates, passages, request)
  const results = await fillPage(best.candidates, more ? looks : null, request)
  const page = results.slice(query.offset, query.offset + query.limit)
  const texts = await passages(page.flatMap(neededPassages))
  const hits = page.flatMap((result, i) => present(result, texts, query.offset + i + 1, question.terms) ?? [])
  return { hits, rerank: best.report, isComplete: hits.length === page.length }
}

/** Reranks the candidates of the first look, and reserves places for those that only their meaning recommends. */
async function orderBest(candidates: readonly Candidate[], passages: ReadPassages, request: PageRequest): Promise<Reranked> {
  const { query, parsed, question, records, reranker, rerankMs, signal, log } = request
  const reranked = query.rerank
    ? await rerankBest({
        query: parsed.text,
        words: question.words,
        frequencies: (terms) => records.vocabulary.frequencies(query.filter.ownerId, terms),
        candidates,
        reranker,
        passages,
        deadlineMs: rerankMs,
        signal,
        log,
      })
    : { candidates, isByModel: false, report: { applied: false, model: null, tookMs: 0, reason: 'It was not asked for.' } }
  // A model has read the passages and knows better than their vectors.
  if (reranked.isByModel) return reranked
  return { ...reranked, candidates: await reserve(reranked.candidates, { words: question.words, passages }) }
}

/** Returns the results up to the end of the page. `looks` finds further candidates, which come behind those of the first look. */
async function fillPage(first: readonly Candidate[], looks: Candidates | null, request: PageRequest): Promise<Result[]> {
  const { query, records, signal } = request
  const wanted = query.offset + query.limit
  const resultsOf = (ordered: readonly Candidate[]) =>
    takeExisting(group(ordered, query.groupBy, first.length), wanted, (ids) =>
      records.documents.getMany(query.filter.ownerId, ids),
    )
  let ordered = first
  let results = await resultsOf(ordered)
  let deeper = looks
  while (results.length < wanted && deeper !== null) {
    signal?.throwIfAborted()
    const { candidates, more } = await deeper.next()
    const maxScore = ordered.at(-1)?.score ?? 1
    const added = candidates.slice(ordered.length).map((one) => ({ ...one, score: Math.min(maxScore, one.score) }))
    ordered = [...ordered, ...added]
    results = await resultsOf(ordered)
    if (!more) deeper = null
  }
  return results
}

/** Keeps what was read: the reranker reads most of the passages that the page shows. */
function remembering(read: ReadPassages): ReadPassages {
  const known = new Map<string, Passage>()
  return async (ids) => {
    const unknown = ids.filter((id) => !known.has(id))
    if (unknown.length > 0) for (const [id, passage] of await read(unknown)) known.set(id, passage)
    return known
  }
}
