import type { Logger } from '../core/logger.ts'
import type { UnrelatedSimilarity } from '../core/noise.ts'
import type { Telemetry } from '../core/telemetry.ts'
import type { Embedder } from '../embed/embedder.ts'
import type { PassageIndex } from '../index/passage-index.ts'
import type { IndexReading } from '../lifecycle/lifecycle.ts'
import type { Documents, Messages, Synonyms, Vocabulary } from '../records/records.ts'
import type { Reranker } from '../rerank/reranker.ts'
import type { OwnSynonyms } from './expansions/expand.ts'
import type { Measurement } from './measurement.ts'
import type { MessagePages } from './message-pages.ts'
import type { ParsedQuery } from './parse.ts'
import type { SearchQuery } from './search.ts'
import type { SearchThreads } from './threads/search-threads.ts'

/** The index that is active, with its embedder. */
export interface ActiveIndex {
  embedder: Embedder
  index: PassageIndex
  /** See `OpenIndex.unrelatedSimilarity`. */
  unrelatedSimilarity: UnrelatedSimilarity | null
}

/** What all searches work with. */
export interface SearchOptions {
  records: {
    documents: Pick<Documents, 'getMany' | 'countPending'>
    vocabulary: Pick<Vocabulary, 'wordsFrom' | 'entries'>
    synonyms: Pick<Synonyms, 'byProject' | 'version'>
    messages: Pick<Messages, 'find'>
  }
  lifecycle: Pick<IndexReading, 'choice' | 'catchUp'> & { active(): ActiveIndex | null }
  reranker: Reranker
  log: Logger
  telemetry?: Telemetry
  threads: SearchThreads
  /** Weight of the vector channel. By default, or when null, the embedder's own weight. */
  fusionWeight?: number | null
  /** How long a search waits for the embedder and for the reranker before it continues without them. */
  deadlines?: { embedMs: number; rerankMs: number }
}

/** One search while it runs. */
export interface Run extends ActiveIndex {
  query: SearchQuery
  /** The query as the user typed it. */
  typed: ParsedQuery
  synonyms: OwnSynonyms | null
  messagePages: MessagePages
  parts: Pick<SearchOptions, 'records' | 'reranker' | 'log' | 'threads' | 'fusionWeight'> &
    Required<Pick<SearchOptions, 'deadlines'>>
  measured: Measurement
  signal: AbortSignal | undefined
}
