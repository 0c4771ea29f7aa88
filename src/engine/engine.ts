import type { Embedder } from '../embed/embedder.ts'
import type { ChunkIndex } from '../index/chunk-index.ts'

/** Which embedder and which index are in use. An index made with one embedder is never queried with another. */
export interface Engine {
  /** Null while no embedder could be determined (an Ollama that was asked for by name and has never answered). */
  current(): ActiveEngine | null
  /** The index turned out to be damaged: it is dropped, an empty one takes its place, and everything goes back into the queue. */
  rebuild(reason: string): Promise<void>
  /** Which embedder, and why, in words for `serve`'s output and for health. */
  choice(): { embedder: string; reason: string }
  /** State of embedder and index for health. Never throws. */
  status(): Promise<{ embedder: EngineCheck; index: EngineCheck }>
  /** Calls back when `current()` becomes something else. Returns the way to stop. */
  onChange(listener: () => void): () => void
  close(): Promise<void>
}

export interface ActiveEngine {
  embedder: Embedder
  index: ChunkIndex
  /**
   * False while the embedder of this index is out of reach or has become another model: `embedder` then stands in for it and refuses to embed.
   * What is in the index is found by keywords; nothing can be added.
   */
  canEmbed: boolean
}

export interface EngineCheck {
  status: 'ok' | 'degraded' | 'unavailable'
  message: string
  [fact: string]: unknown
}
