import { lowerPriorityOfThread } from '../../core/priority.ts'
import { answerCalls } from '../../core/thread.ts'
import { BUILTIN_DIMENSIONS, createBuiltinEmbedder } from '../../embed/builtin.ts'
import type { Embedder } from '../../embed/embedder.ts'
import { type TokenCounter, tokenCounter } from '../../text/model-tokens.ts'
import { prepare, type PreparedPassage, type PrepareRequest } from './prepare.ts'

/** One document for a thread. */
export interface Task extends PrepareRequest {
  /** What counts the tokens. */
  counter: TokenCounter
  /** The built-in embedder's model, shared and not copied: the thread then computes the vectors too. Null for another embedder. */
  model: SharedArrayBuffer | null
}

/** All vectors of a document in one buffer. The main thread and the writer of segments share the buffer instead of copying it. */
export interface Vectors {
  values: Float32Array
  dimensions: number
  /** The passages without a vector. Their place in `values` is unused. */
  missing: number[]
}

/**
 * The calls of this thread. `words` is `TermAndWord[]` as JSON, which is also how the records store it: copying one string is faster than copying
 * thousands of words.
 */
export interface PrepareCalls {
  prepare: { request: Task; answer: { passages: PreparedPassage[]; words: string; vectors: Vectors | null } }
}

/** Made once for each thread, because unpacking the model takes a while. */
let embedder: Embedder | null = null

lowerPriorityOfThread()

answerCalls<PrepareCalls>({
  async prepare(task) {
    if (task.model !== null) embedder ??= createBuiltinEmbedder(task.model)
    const { passages, words, vectors } = await prepare(task, tokenCounter(task.counter), task.model && embedder)
    return { passages, words: JSON.stringify(words), vectors: vectors && pack(vectors, BUILTIN_DIMENSIONS) }
  },
})

function pack(vectors: readonly (Float32Array | null)[], dimensions: number): Vectors {
  const values = new Float32Array(new SharedArrayBuffer(4 * vectors.length * dimensions))
  const packed: Vectors = { values, dimensions, missing: [] }
  for (const [i, vector] of vectors.entries()) {
    if (vector === null) packed.missing.push(i)
    else packed.values.set(vector, i * dimensions)
  }
  return packed
}
