import type { Retries } from '../core/retries.ts'
import type { Embedder, EmbeddingInput } from '../embed/embedder.ts'

/** Inputs in one call. More does not make Ollama faster, and a call that fails costs more. */
const BATCH_SIZE = 64

interface Request {
  embedder: Embedder
  inputs: readonly EmbeddingInput[]
  signal: AbortSignal
  vectors: (Float32Array | null)[]
  /** How many inputs batches have taken so far. */
  taken: number
  resolve: (vectors: (Float32Array | null)[]) => void
  reject: (error: unknown) => void
}

/** The part of a request that is in one batch. */
interface Slice {
  request: Request
  from: number
  to: number
}

/**
 * One queue of passages for all documents: many small documents share a call, and a large one takes turns with the others. One call runs at a
 * time, because Ollama processes calls one after another anyway.
 */
export class Batcher {
  #state: 'idle' | 'embedding' = 'idle'
  readonly #requests: Request[] = []
  readonly #retries: Retries

  constructor(retries: Retries) {
    this.#retries = retries
  }

  /** Returns vectors in the order of the inputs, null for an input that the model could not embed. Rejects when `signal` aborts. */
  async embed(embedder: Embedder, inputs: readonly EmbeddingInput[], signal: AbortSignal): Promise<(Float32Array | null)[]> {
    if (inputs.length === 0) return []
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<(Float32Array | null)[]>()
    const request: Request = { embedder, inputs, signal, vectors: [], taken: 0, resolve, reject }
    const onAbort = () => this.#withdraw(request, signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    this.#requests.push(request)
    if (this.#state === 'idle') void this.#run()
    try {
      return await promise
    } finally {
      // A listener would keep a signal made by AbortSignal.any alive, and with it the passages.
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    this.#state = 'embedding'
    for (let batch = nextBatch(this.#requests); batch.length > 0; batch = nextBatch(this.#requests)) {
      try {
        deliver(batch, await this.#embedBatch(batch))
        // The rest of a large request goes behind the requests that have come meanwhile.
        const { request, to } = batch.at(-1)!
        if (to < request.inputs.length && !request.signal.aborted) this.#requests.push(request)
      } catch (error) {
        for (const { request } of batch) this.#withdraw(request, error)
      }
      // Let HTTP requests in between two batches: the built-in embedder computes in this thread.
      await new Promise(setImmediate)
    }
    this.#state = 'idle'
  }

  #embedBatch(batch: readonly Slice[]): Promise<(Float32Array | null)[]> {
    const { embedder } = batch[0]!.request
    const inputs = batch.flatMap(({ request, from, to }) => request.inputs.slice(from, to))
    const isPointless = () => batch.every(({ request }) => request.signal.aborted)
    return this.#retries.run(() => embedder.embedDocuments(inputs), isPointless)
  }

  #withdraw(request: Request, error: unknown): void {
    const at = this.#requests.indexOf(request)
    if (at >= 0) this.#requests.splice(at, 1)
    request.reject(error)
  }
}

/** Removes requests of one embedder from the queue until their inputs fill a batch. Only the last of them can have inputs left over. */
function nextBatch(requests: Request[]): Slice[] {
  const batch: Slice[] = []
  const embedder = requests[0]?.embedder
  let room = BATCH_SIZE
  while (room > 0 && requests[0] !== undefined && requests[0].embedder === embedder) {
    const request = requests.shift()!
    const from = request.taken
    const to = Math.min(request.inputs.length, from + room)
    request.taken = to
    room -= to - from
    batch.push({ request, from, to })
  }
  return batch
}

function deliver(batch: readonly Slice[], vectors: readonly (Float32Array | null)[]): void {
  let at = 0
  for (const { request, from, to } of batch) {
    for (let i = from; i < to; i++) request.vectors[i] = vectors[at++] ?? null
    if (to === request.inputs.length) request.resolve(request.vectors)
  }
}
