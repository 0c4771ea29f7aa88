import type { Embedder } from '../embed/embedder.ts'
import type { ChunkIndex } from '../index/chunk-index.ts'

/** Which embedder and which index are in use. An index made with one embedder is never queried with another. */
export interface Engine {
  /** Null while no embedder could be determined (an Ollama that was asked for by name and has never answered). */
  current(): { embedder: Embedder; index: ChunkIndex } | null
  /** Which embedder, and why, in words for `serve`'s output and for health. */
  choice(): { embedder: string; reason: string }
  /** State of embedder and index for health. Never throws. */
  status(): Promise<{ embedder: EngineCheck; index: EngineCheck }>
  /** Calls back when `current()` becomes something else. Returns the way to stop. */
  onChange(listener: () => void): () => void
  close(): Promise<void>
}

export interface EngineCheck {
  status: 'ok' | 'degraded' | 'unavailable'
  message: string
  [fact: string]: unknown
}
