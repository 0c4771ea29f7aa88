import type { Logger } from '../core/logger.ts'
import type { Embedder } from '../embed/embedder.ts'
import type { ChunkIndex, Passage } from '../index/chunk-index.ts'
import type { Lifecycle } from '../lifecycle/lifecycle.ts'
import type { Documents, Vocabulary } from '../records/records.ts'
import { BUILTIN_RERANKER } from '../rerank/builtin.ts'
import type { Reranker } from '../rerank/reranker.ts'
import { findCandidates } from './candidates.ts'
import type { Candidate } from './fuse.ts'
import { group } from './group.ts'
import { parseQuery, type ParsedQuery } from './parse.ts'
import { askQuestion } from './question.ts'
import type { Question } from './question.ts'
import { rerankBest } from './rerank.ts'
import { reserve } from './reserve.ts'
import { existing, neededPassages, present } from './results.ts'
import type { Search, SearchOutcome, SearchQuery } from './search.ts'
import { correct } from './spelling.ts'

/** How often a search starts over because passages were replaced between its two reads. */
const ATTEMPTS = 3

/** What a search uses of the lifecycle. */
interface InUse {
  embedder: Embedder
  index: ChunkIndex
}

export interface SearchOptions {
  records: { documents: Pick<Documents, 'getMany' | 'countPending'>; vocabulary: Vocabulary }
  lifecycle: Pick<Lifecycle, 'choice'> & { active(): InUse | null }
  reranker: Reranker
  log: Logger
  /** Of the vector channel; null or left out takes the embedder's own. */
  fusionWeight?: number | null
  /** Milliseconds an embedder and a reranker have; after that the search goes on without. */
  deadlines?: { embedMs: number; rerankMs: number }
}

/** Question → read and corrected → terms and vector → candidates of both channels → one order → reranked → places reserved for meaning → grouped → the page asked for, with documents and marks. */
export function createSearch({
  records,
  lifecycle,
  reranker,
  log,
  fusionWeight = null,
  deadlines = { embedMs: 5_000, rerankMs: 3_000 },
}: SearchOptions): Search {
  type Page = Pick<SearchOutcome, 'hits' | 'rerank'> & { complete: boolean }

  async function findPage(
    query: SearchQuery,
    parsed: ParsedQuery,
    question: Question,
    { index, embedder }: InUse,
    signal: AbortSignal | undefined,
  ): Promise<Page> {
    const passages = remembering((ids) => index.passages(query.filter.ownerId, ids))
    const frequencies = (terms: readonly string[]) => records.vocabulary.frequencies(query.filter.ownerId, terms)
    const found = findCandidates(
      index,
      question,
      { ...query.filter, ...parsed.filter },
      {
        fusionWeight: (vector) => fusionWeight ?? embedder.fusionWeight(vector),
        noiseFloor: (...asked) => embedder.noiseFloor(...asked),
      },
    )
    const rerank = (candidates: readonly Candidate[]) =>
      query.rerank
        ? rerankBest({
            query: parsed.text,
            words: question.words,
            frequencies,
            candidates,
            reranker,
            passages,
            deadlineMs: deadlines.rerankMs,
            signal,
            log,
          })
        : { candidates, report: { applied: false, model: null, tookMs: 0, reason: 'It was not asked for.' } }
    const wanted = query.offset + query.limit
    const getMany = (ids: readonly string[]) => records.documents.getMany(query.filter.ownerId, ids)

    let { candidates, more } = await found.next()
    const reranked = await rerank(candidates)
    // A model has read the passages and knows better than their vectors.
    const isRead = reranked.report.applied && reranked.report.model !== BUILTIN_RERANKER
    let ordered = isRead ? reranked.candidates : await reserve(reranked.candidates, { words: question.words, passages })
    const settled = ordered.length
    let kept = await existing(group(ordered, query.groupBy, settled), wanted, getMany)
    while (kept.length < wanted && more) {
      signal?.throwIfAborted()
      ;({ candidates, more } = await found.next())
      // Deeper ones come behind those that were reranked.
      const most = ordered.at(-1)?.score ?? 1
      const deeper = candidates
        .slice(ordered.length)
        .map((candidate) => ({ ...candidate, score: Math.min(most, candidate.score) }))
      ordered = [...ordered, ...deeper]
      kept = await existing(group(ordered, query.groupBy, settled), wanted, getMany)
    }
    const page = kept.slice(query.offset, wanted)
    const texts = await passages(page.flatMap(neededPassages))
    const hits = page.flatMap((result, i) => present(result, texts, query.offset + i + 1, question.terms) ?? [])
    return { hits, rerank: reranked.report, complete: hits.length === page.length }
  }

  async function answer(
    query: SearchQuery,
    parsed: ParsedQuery,
    signal: AbortSignal | undefined,
  ): Promise<Omit<SearchOutcome, 'tookMs' | 'pendingDocuments'>> {
    const inUse = lifecycle.active()
    if (inUse === null) {
      const modeReason = `There is no search index yet: ${lifecycle.choice().reason}`
      return {
        hits: [],
        mode: query.mode,
        modeReason,
        correctedQuery: null,
        embeddingModel: null,
        rerank: { applied: false, model: null, tookMs: 0, reason: 'There was nothing to reorder.' },
      }
    }
    const { embedder, index } = inUse
    const { ownerId } = query.filter
    const corrected = query.correct
      ? await correct(query.query, { ownerId, spans: parsed.free, vocabulary: records.vocabulary, index })
      : { query: null, terms: [] }
    const asked = corrected.query === null ? parsed : parseQuery(corrected.query)
    const question = await askQuestion({
      query: asked.text,
      furtherTerms: corrected.terms,
      mode: query.mode,
      embedder,
      deadlineMs: deadlines.embedMs,
      signal,
      log,
    })
    let page = await findPage(query, asked, question, inUse, signal)
    // A commit between the two reads took passages away; what replaced them was not yet seen by the first.
    for (let attempt = 1; !page.complete && attempt < ATTEMPTS; attempt++)
      page = await findPage(query, asked, question, inUse, signal)
    const { mode, modeReason } = question
    return {
      hits: page.hits,
      correctedQuery: corrected.query,
      mode,
      modeReason,
      embeddingModel: mode === 'keyword' ? null : embedder.name,
      rerank: page.rerank,
    }
  }

  return {
    async search(query, signal) {
      const started = performance.now()
      signal?.throwIfAborted()
      const parsed = parseQuery(query.query)
      // Counted before the index is read: what becomes searchable in between may be counted and found, never neither.
      const pendingDocuments = await records.documents.countPending(query.filter.ownerId, query.filter.projectIds)
      const found = await answer(query, parsed, signal)
      return { ...found, tookMs: performance.now() - started, pendingDocuments }
    },
  }
}

type ReadPassages = (ids: readonly string[]) => Promise<ReadonlyMap<string, Passage>>

/** Most of what is shown has been read for the reranker. */
function remembering(read: ReadPassages): ReadPassages {
  const known = new Map<string, Passage>()
  return async (ids) => {
    const unknown = ids.filter((id) => !known.has(id))
    if (unknown.length > 0) for (const [id, passage] of await read(unknown)) known.set(id, passage)
    return known
  }
}
