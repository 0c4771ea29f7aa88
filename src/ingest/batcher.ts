import type { Embedder, EmbeddingInput } from '../embed/embedder.ts'
import type { Retries } from '../core/retries.ts'

/** Inputs in one call. More does not make Ollama faster, and a call that fails costs more. */
const BATCH = 64

interface Request {
  embedder: Embedder
  inputs: readonly EmbeddingInput[]
  signal: AbortSignal
  vectors: (Float32Array | null)[]
  /** Inputs handed to a batch so far. */
  taken: number
  resolve: (vectors: (Float32Array | null)[]) => void
  reject: (error: unknown) => void
}

interface Slice {
  request: Request
  from: number
  to: number
}

export interface Batcher {
  /** Vectors in the order of the inputs, null where the model could not embed one. Rejects when `signal` is aborted. */
  embed(embedder: Embedder, inputs: readonly EmbeddingInput[], signal: AbortSignal): Promise<(Float32Array | null)[]>
}

/**
 * One queue of passages for all documents: many small documents share a call, a large one takes turns with the others. One call at a time,
 * because an Ollama serves them one after the other anyway.
 */
export function createBatcher(retries: Retries): Batcher {
  const requests: Request[] = []
  let running = false

  async function run(): Promise<void> {
    for (let slices = nextBatch(requests); slices.length > 0; slices = nextBatch(requests)) {
      const inputs = slices.flatMap(({ request, from, to }) => request.inputs.slice(from, to))
      const { embedder } = slices[0]!.request
      const nobodyWaits = () => slices.every(({ request }) => request.signal.aborted)
      try {
        const vectors = await retries.run(() => embedder.embedDocuments(inputs), nobodyWaits)
        deliver(slices, vectors)
        // What is not through goes behind those that came meanwhile.
        const { request, to } = slices.at(-1)!
        if (to < request.inputs.length && !request.signal.aborted) requests.push(request)
      } catch (error) {
        for (const { request } of slices) withdraw(request, error)
      }
      // Requests are answered between two batches: the built-in embedder computes in this thread.
      await new Promise(setImmediate)
    }
    running = false
  }

  function withdraw(request: Request, error: unknown): void {
    const at = requests.indexOf(request)
    if (at >= 0) requests.splice(at, 1)
    request.reject(error)
  }

  return {
    async embed(embedder, inputs, signal) {
      if (inputs.length === 0) return []
      signal.throwIfAborted()
      let abort: () => void = () => {}
      try {
        return await new Promise((resolve, reject) => {
          const request: Request = { embedder, inputs, signal, vectors: [], taken: 0, resolve, reject }
          abort = () => withdraw(request, signal.reason)
          signal.addEventListener('abort', abort, { once: true })
          requests.push(request)
          if (running) return
          running = true
          void run()
        })
      } finally {
        // A signal made of others (AbortSignal.any) lives as long as they do while anything listens to it, and with it the passages.
        signal.removeEventListener('abort', abort)
      }
    },
  }
}

/** Takes up to a batch from the requests in line, and those requests out of it; only the last of them can have inputs left. */
function nextBatch(requests: Request[]): Slice[] {
  const slices: Slice[] = []
  const embedder = requests[0]?.embedder
  let room = BATCH
  while (room > 0 && requests[0] !== undefined && requests[0].embedder === embedder) {
    const request = requests.shift()!
    const from = request.taken
    const to = Math.min(request.inputs.length, from + room)
    request.taken = to
    room -= to - from
    slices.push({ request, from, to })
  }
  return slices
}

function deliver(slices: readonly Slice[], vectors: readonly (Float32Array | null)[]): void {
  let at = 0
  for (const { request, from, to } of slices) {
    for (let i = from; i < to; i++) request.vectors[i] = vectors[at++] ?? null
    if (to === request.inputs.length) request.resolve(request.vectors)
  }
}
