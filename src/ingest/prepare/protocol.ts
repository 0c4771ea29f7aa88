import type { PreparedChunk, PrepareRequest } from './prepare.ts'

/** To a thread. */
export interface Task extends PrepareRequest {
  id: number
  /** Which estimate counts the tokens. */
  counter: 'words' | 'subwords'
  /** Of the built-in embedder, whose vectors are computed here too; shared, not copied. Null when another embedder makes them. */
  model: SharedArrayBuffer | null
}

/** From a thread. */
export type Outcome =
  | {
      id: number
      chunks: PreparedChunk[]
      /** `CountedWord[]` as JSON, in which it is kept: thousands of small lists take longer to hand over than their text. */
      words: string
      vectors: Vectors | null
    }
  | { id: number; failure: { name: string; message: string; stack: string | undefined } }

/** Vectors one after the other in one buffer, which changes hands without being copied. */
export interface Vectors {
  values: Float32Array
  dimensions: number
  /** Passages without a vector, whose place is left empty. */
  missing: number[]
}
