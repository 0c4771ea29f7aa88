import type { Retries } from '../core/retries.ts'
import { TurnQueue } from '../core/turns.ts'
import type { BatchLimits } from '../embed/batches.ts'
import type { Embedder, EmbeddingInput } from '../embed/embedder.ts'

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
 * Ollama processes calls one after another anyway. The embedder says how large a call may be, so that queries don't wait long for it.
 */
export class Batcher {
  #state: 'idle' | 'embedding' = 'idle'
  readonly #requests = new TurnQueue<Request>()
  readonly #retries: Retries

  constructor(retries: Retries) {
    this.#retries = retries
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
        const vectors = await this.#embedBatch(batch)
        batch[0]!.request.embedder.work.passages += vectors.length
        deliver(batch, vectors)
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
    return this.#retries.run(() => embedder.embedDocuments(inputs), isPointless)
  }

  /** Removes requests of one embedder from the queue until their inputs fill a batch. Only the last of them can have inputs left over. */
  #nextBatch(): Slice[] {
    const batch: Slice[] = []
    let room: BatchLimits | null = null
    for (let next = this.#requests.peek(); next; next = this.#requests.peek()) {
      if (batch[0] !== undefined && next.embedder !== batch[0].request.embedder) break
      room ??= { ...next.embedder.batchLimits }
      const from = next.taken
      const to = fill(next, room, batch.length === 0)
      if (to === from) break
      this.#requests.shift()
      next.taken = to
      batch.push({ request: next, from, to })
      if (to < next.inputs.length) break
    }
    return batch
  }

  #withdraw(request: Request, error: unknown): void {
    this.#requests.remove(request)
    request.reject(error)
  }
}

/** Returns up to which of its inputs a request fits into the room, and takes that room. The first input of a batch always fits. */
function fill({ embedder, inputs, taken }: Request, room: BatchLimits, isFirst: boolean): number {
  let to = taken
  for (; to < inputs.length && room.inputs > 0; to++) {
    const { text, title } = inputs[to]!
    const tokens = embedder.countTokens(text) + (title === null ? 0 : embedder.countTokens(title))
    if (tokens > room.tokens && !(isFirst && to === taken)) break
    room.inputs--
    room.tokens -= tokens
  }
  return to
}

function deliver(batch: readonly Slice[], vectors: readonly (Float32Array | null)[]): void {
  let at = 0
  for (const { request, from, to } of batch) {
    for (let i = from; i < to; i++) request.vectors[i] = vectors[at++] ?? null
    if (to === request.inputs.length) request.resolve(request.vectors)
  }
}
