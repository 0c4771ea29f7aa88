import type { Embedder } from '../embed/embedder.ts'
import type { ChunkIndex } from '../index/chunk-index.ts'
import type { IndexRecord } from '../records/records.ts'

/**
 * Which embedder and which index are in use. An index made with one embedder is never queried with another: both change together, in one
 * moment, and `current` gives them as one object, so that whoever asks once works with a pair that belongs together.
 */
export interface Lifecycle {
  /** Null while no embedder could be determined (an Ollama that was asked for by name and has never answered). */
  active(): OpenIndex | null
  /** The one that is made beside the current one, document by document, until it takes its place (`switchOver`). */
  building(): OpenIndex | null
  /** Every open index but the current one. What is deleted goes from them too. */
  inactive(): readonly Pick<OpenIndex, 'record' | 'index'>[]
  /** Every index there is, open or not. */
  indexes(): Promise<IndexState[]>
  /**
   * Another embedder (`builtin`, `ollama:MODEL`): its index is made beside the current one, or one that was kept is completed. Another one that
   * was being built goes. It stays chosen after a restart. Throws DocsearchError `model_unusable` with the reason.
   */
  use(embedder: string): Promise<UseOutcome>
  /** The index of this embedder that is kept or being built goes. Throws `model_in_use`, `index_not_found`. */
  remove(embedder: string): Promise<void>
  /**
   * The one moment of a change. False while the index that is built lacks something; true also when there is none. Nothing may be written to either
   * index meanwhile.
   */
  switchOver(options: { waitForReplaced: boolean }): Promise<boolean>
  /** The index turned out to be damaged: it is dropped, an empty one takes its place, and everything goes back into the queue. */
  rebuild(reason: string): Promise<void>
  /** The same of the one that is built: it is begun anew. */
  rebuildBuilding(reason: string): Promise<void>
  /** Which embedder, and why, in words for `serve`'s output and for health. */
  choice(): { embedder: string; reason: string }
  /** State of embedder and index for health. Never throws. */
  status(): Promise<{ embedder: LifecycleCheck; index: LifecycleCheck }>
  /** Calls back when `current()` or `building()` becomes something else. Returns the way to stop. */
  onChange(listener: () => void): () => void
  close(): Promise<void>
}

export interface OpenIndex {
  record: IndexRecord
  embedder: Embedder
  index: ChunkIndex
  /**
   * False while the embedder of this index is out of reach or has become another model: `embedder` then stands in for it and refuses to embed.
   * What is in the index is found by keywords; nothing can be added.
   */
  canEmbed: boolean
}

export interface IndexState {
  record: IndexRecord
  /** Null where it is not open or cannot be read. */
  chunks: number | null
  sizeBytes: number
  /** Documents that are in it, of those that have to be; of the one in use, all. */
  progress: { done: number; total: number } | null
}

export interface UseOutcome {
  /** As it is called from here on: `ollama:embeddinggemma`. */
  embedder: string
  state: 'in_use' | 'building'
  /** What the caller should know beside it, as a sentence. */
  notice: string | null
}

export interface LifecycleCheck {
  status: 'ok' | 'degraded' | 'unavailable'
  message: string
  [fact: string]: unknown
}
