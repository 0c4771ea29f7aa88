import type { TokenCounter } from '../../text/model-tokens.ts'
import type { PreparedPassage, PrepareRequest } from './prepare.ts'

/** A message to a thread: one document. */
export interface Task extends PrepareRequest {
  id: number
  /** What counts the tokens. */
  counter: TokenCounter
  /** The built-in embedder's model, shared and not copied: the thread then computes the vectors too. Null for another embedder. */
  model: SharedArrayBuffer | null
}

/** The answer of a thread. */
export type Outcome =
  | {
      id: number
      passages: PreparedPassage[]
      /** `TermAndWord[]` as JSON, which is also how the records store it: copying one string is faster than copying thousands of words. */
      words: string
      vectors: Vectors | null
    }
  | { id: number; failure: { name: string; message: string; stack: string | undefined } }

/** All vectors of a document in one buffer. The main thread and the writer of segments share the buffer instead of copying it. */
export interface Vectors {
  values: Float32Array
  dimensions: number
  /** The passages without a vector. Their place in `values` is unused. */
  missing: number[]
}
