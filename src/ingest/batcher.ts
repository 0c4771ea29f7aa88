import type { Retries } from '../core/retries.ts'
import { TurnQueue } from '../core/turns.ts'
import type { Embedder, EmbeddingInput } from '../embed/embedder.ts'

/** Inputs in one call. More does not make Ollama faster, and a call that fails costs more. */
const MAX_BATCH_SIZE = 64
/** A call should take at most about this long, because the passages of other users and the queries of searches wait for it. */
const MAX_CALL_MS = 500

interface Request {
  owner: string
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
 * One queue of passages for all documents: many small documents share a call, and users take turns. One call runs at a time, because
 * Ollama processes calls one after another anyway.
 */
export class Batcher {
  #state: 'idle' | 'embedding' = 'idle'
  readonly #requests = new TurnQueue<Request>()
  readonly #retries: Retries
  readonly #now: () => number
  /** The maximum number of inputs of the next call. */
  #batchSize = MAX_BATCH_SIZE

  constructor(retries: Retries, now: () => number = () => performance.now()) {
    this.#retries = retries
    this.#now = now
  }

  /** Returns vectors in the order of the inputs, null for an input that the model could not embed. Rejects when `signal` aborts. */
  async embed(
    embedder: Embedder,
    inputs: readonly EmbeddingInput[],
    { owner, signal }: { owner: string; signal: AbortSignal },
  ): Promise<(Float32Array | null)[]> {
    if (inputs.length === 0) return []
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<(Float32Array | null)[]>()
    const request: Request = { owner, embedder, inputs, signal, vectors: [], taken: 0, resolve, reject }
    const onAbort = () => this.#withdraw(request, signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    this.#requests.push(owner, request)
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
    for (let batch = this.#nextBatch(); batch.length > 0; batch = this.#nextBatch()) {
      try {
        deliver(batch, await this.#embedBatch(batch))
        // The rest of a large request goes behind the newer requests of the same user.
        const { request, to } = batch.at(-1)!
        if (to < request.inputs.length && !request.signal.aborted) this.#requests.push(request.owner, request)
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
    return this.#retries.run(async () => {
      const began = this.#now()
      const vectors = await embedder.embedDocuments(inputs)
      this.#fit(inputs.length, this.#now() - began)
      return vectors
    }, isPointless)
  }

  /** Makes the next calls as large as their time allows. */
  #fit(inputs: number, tookMs: number): void {
    const fitting = tookMs === 0 ? MAX_BATCH_SIZE : Math.floor((inputs * MAX_CALL_MS) / tookMs)
    // The time of a call with few inputs says little about a call with many.
    this.#batchSize = Math.max(1, Math.min(MAX_BATCH_SIZE, fitting, 2 * Math.max(inputs, this.#batchSize)))
  }

  /** Removes requests of one embedder from the queue until their inputs fill a batch. Only the last of them can have inputs left over. */
  #nextBatch(): Slice[] {
    const batch: Slice[] = []
    let room = this.#batchSize
    for (let next = this.#requests.peek(); next && room > 0; next = this.#requests.peek()) {
      if (batch[0] !== undefined && next.embedder !== batch[0].request.embedder) break
      const request = this.#requests.shift()!
      const from = request.taken
      const to = Math.min(request.inputs.length, from + room)
      request.taken = to
      room -= to - from
      batch.push({ request, from, to })
    }
    return batch
  }

  #withdraw(request: Request, error: unknown): void {
    this.#requests.remove(request)
    request.reject(error)
  }
}

function deliver(batch: readonly Slice[], vectors: readonly (Float32Array | null)[]): void {
  let at = 0
  for (const { request, from, to } of batch) {
    for (let i = from; i < to; i++) request.vectors[i] = vectors[at++] ?? null
    if (to === request.inputs.length) request.resolve(request.vectors)
  }
}
