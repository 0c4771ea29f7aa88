/** Chunks with their words and vectors, searchable. Derived: can always be rebuilt from records and blobs. */

import type { SearchFilter } from '../core/search-filter.ts'

/** Changes with what a row holds or means: an index of another layout is built anew. */
export const INDEX_LAYOUT_VERSION = 3

/** One chunk as stored. Everything a filter needs is here, so that filters run inside the index. */
export interface IndexedChunk {
  /** `${documentId}:${version}:${index}`. */
  id: string
  documentId: string
  /** DocumentRecord.version the chunk was made from. */
  version: number
  ownerId: string
  projectId: string
  mediaType: string
  /** The document's. */
  name: string
  path: string
  tags: readonly string[]
  documentCreatedAt: Date
  index: number
  pageStart: number
  pageEnd: number
  charStart: number
  charEnd: number
  heading: string
  title: string
  text: string
  /** See `Chunk`. */
  gap: string
  context: string
  /** The same for passages of the same text. */
  textHash: string
  /** Analysed tokens of title, heading path, context and text, joined by blanks (text/analyse.ts). */
  terms: string
  /** Null when the embedder could not embed it: found by keywords only. */
  vector: Float32Array | null
}

/** A hit of one channel, best first. `score`: cosine similarity for vectors, BM25 for keywords. Its passage comes from `passages`. */
export type ChunkHit = Pick<IndexedChunk, 'id' | 'documentId' | 'version' | 'index' | 'pageStart' | 'pageEnd' | 'textHash'> & {
  score: number
}

/** What a reranker weighs and what is shown of a chunk. Read apart from the hits, because most candidates are neither. */
export type Passage = Omit<
  IndexedChunk,
  'ownerId' | 'projectId' | 'mediaType' | 'name' | 'path' | 'tags' | 'documentCreatedAt' | 'textHash' | 'vector'
>

export interface DocumentChunks {
  documentId: string
  /** False when an earlier version may be in the index and has to go in the same commit. */
  isNew: boolean
  chunks: readonly IndexedChunk[]
}

export interface IndexHealth {
  ok: boolean
  message: string
  chunks: number | null
  /** True when a vector search reads an approximate index (ANN) instead of every vector. */
  isApproximate: boolean
}

export interface ChunkIndex {
  /** One commit for all of them: each document is afterwards there with exactly these chunks. */
  put(documents: readonly DocumentChunks[]): Promise<void>
  deleteDocuments(documentIds: readonly string[]): Promise<void>
  vectorSearch(vector: Float32Array, filter: SearchFilter, limit: number): Promise<ChunkHit[]>
  /** `terms`: analysed query terms; any of them may match, one given twice counts twice. */
  keywordSearch(terms: readonly string[], filter: SearchFilter, limit: number): Promise<ChunkHit[]>
  /** Passages by chunk id, those of this owner; one that has gone since it was found is missing. */
  passages(ownerId: string, chunkIds: readonly string[]): Promise<Map<string, Passage>>
  /** Chunks in the index by document and version, for recovery. Reads every row's ids; throws `index_corrupt` when the files are damaged. */
  inventory(): Promise<Map<string, { version: number; chunks: number }>>
  countChunks(): Promise<number>
  /** Makes later searches faster and frees space; finds the same before and after. Slow, so the writer runs it now and then. */
  optimize(): Promise<void>
  /** Says whether the index answers. Never throws. */
  check(): Promise<IndexHealth>
  close(): Promise<void>
}

/** One table of chunks per embedder fingerprint and index layout. */
export interface ChunkIndexStore {
  /**
   * Opens the index with this id, creating it empty when it is not there. Damage is reported as DocsearchError
   * `index_corrupt`: the caller drops it and rebuilds.
   */
  open(index: { id: string; dimensions: number }): Promise<ChunkIndex>
  list(): Promise<string[]>
  /** Bytes it takes on the disk; 0 when it is not there. */
  size(indexId: string): Promise<number>
  drop(indexId: string): Promise<void>
}
