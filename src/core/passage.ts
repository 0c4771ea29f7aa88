/** One passage as stored, with every field that a filter needs, so that filters run inside the index. */
export interface IndexedPassage {
  /** `${documentId}:${version}:${index}`. */
  id: string
  documentId: string
  /** The `DocumentRecord.version` that the passage was cut from. */
  version: number
  projectId: string
  mediaType: string
  /** The document's name. */
  name: string
  path: string
  tags: readonly string[]
  documentCreatedAt: Date
  /** Index within the document, from 0. */
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
  /** See `Chunk`. */
  context: string
  /** Equal for passages with the same text. */
  textHash: string
  /** Analysed terms of title, heading path, context and text, separated by spaces (text/passage-terms.ts). */
  terms: string
  /** How many of the first terms come from the title. */
  titleTerms: number
  /** How many of the next terms come from the heading path. */
  headingTerms: number
  /** Analysed terms of the document's name. The same for all passages of a document, and not among `terms`. */
  nameTerms: string
  /** The language of the text, see `shownLanguage`. */
  language: number
  /** Null when the embedder could not embed the passage, which is then found by keywords only. */
  vector: Float32Array | null
}

/** The parts of a passage that a reranker reads and a result shows. Read separately from the hits, because most candidates don't need them. */
export type Passage = Omit<
  IndexedPassage,
  | 'projectId'
  | 'mediaType'
  | 'name'
  | 'path'
  | 'tags'
  | 'documentCreatedAt'
  | 'textHash'
  | 'terms'
  | 'titleTerms'
  | 'headingTerms'
  | 'nameTerms'
  | 'language'
  | 'vector'
>

/** A passage without its terms. A rebuild analyses the text again. */
export type StoredPassage = Omit<IndexedPassage, 'terms' | 'titleTerms' | 'headingTerms' | 'nameTerms' | 'language'>
