import type { SearchAnswer, SearchResult } from '../../../contract/search.ts'
import type { SearchHit, SearchOutcome } from '../../../search/search.ts'
import { passageAddress } from '../../passage-address.ts'

interface Options {
  explain: boolean
  groupBy: 'chunk' | 'document'
  /** Before the addresses of passages. */
  baseUrl: string
}

/** A search's outcome as the wire has it. */
export function presentSearch(query: string, outcome: SearchOutcome, options: Options): SearchAnswer {
  return {
    query,
    corrected_query: outcome.correctedQuery,
    results: outcome.hits.map((hit) => presentHit(hit, options)),
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
    pending_documents: outcome.pendingDocuments,
  }
}

function presentHit(hit: SearchHit, options: Options): SearchResult {
  const { document, chunk } = hit
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
      id: chunk.id,
      index: chunk.index,
      page_start: chunk.pageStart,
      page_end: chunk.pageEnd,
      heading: chunk.heading,
      context: chunk.context,
      char_start: chunk.charStart,
      char_end: chunk.charEnd,
    },
    text: hit.text,
    joined_chunks: hit.joinedChunks,
    also_in: hit.alsoIn.map(({ id, name, pageStart }) => ({ id, name, page_start: pageStart })),
    highlights: hit.highlights,
    url: options.baseUrl + passageAddress(hit),
    ...(options.groupBy === 'document' ? { matching_chunks: hit.matchingChunks } : {}),
    ...(options.explain ? { explain: hit.stages } : {}),
  }
}
