import { parentPort } from 'node:worker_threads'
import { lowerPriorityOfThread } from '../../core/priority.ts'
import { BUILTIN_DIMENSIONS, createBuiltinEmbedder } from '../../embed/builtin.ts'
import type { Embedder } from '../../embed/embedder.ts'
import { tokenCounter } from '../../text/model-tokens.ts'
import { prepare } from './prepare.ts'
import type { Outcome, Task, Vectors } from './protocol.ts'

/** Made once for each thread, because unpacking the model takes a while. */
let embedder: Embedder | null = null

lowerPriorityOfThread()

parentPort!.on('message', (task: Task) => {
  void run(task)
})

async function run(task: Task): Promise<void> {
  try {
    if (task.model !== null) embedder ??= createBuiltinEmbedder(task.model)
    const { passages, words, vectors } = await prepare(task, tokenCounter(task.counter), task.model && embedder)
    const packed = vectors && pack(vectors, BUILTIN_DIMENSIONS)
    send({ id: task.id, passages, words: JSON.stringify(words), vectors: packed })
  } catch (error) {
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
    send({ id: task.id, failure: { name, message, stack } })
  }
}

function send(outcome: Outcome): void {
  parentPort!.postMessage(outcome)
}

function pack(vectors: readonly (Float32Array | null)[], dimensions: number): Vectors {
  const values = new Float32Array(new SharedArrayBuffer(4 * vectors.length * dimensions))
  const packed: Vectors = { values, dimensions, missing: [] }
  for (const [i, vector] of vectors.entries()) {
    if (vector === null) packed.missing.push(i)
    else packed.values.set(vector, i * dimensions)
  }
  return packed
}
