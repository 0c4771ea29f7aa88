import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { OllamaCallError } from './client.ts'

/** Progress of a whole download. Bytes are null until Ollama names the first layer. */
export interface PullProgress {
  /** Ollama's own words: `pulling manifest`, `verifying sha256 digest`, `success`. */
  status: string
  completedBytes: number | null
  totalBytes: number | null
}

/** Longer than a slow registry takes to start. A connection that is silent for longer is dead. */
const IDLE_MS = 5 * 60_000
/** A normal line has a few hundred bytes. */
const MAX_LINE = 1_000_000

/**
 * Downloads a model and reports the progress of all layers together, until Ollama says `success`. Throws OllamaCallError for an error
 * line (which comes after status 200), for an answer that ends without success, and for every other failure. Leaving the loop or
 * aborting the signal closes the connection, which stops the download.
 */
export async function* pullModel(url: string, model: string, signal: AbortSignal): AsyncGenerator<PullProgress> {
  const layers = new Map<string, { completed: number; total: number }>()
  const answer = await begin(url, model, signal)
  try {
    for await (const line of linesOf(answer, signal)) {
      const event = parse(line)
      if (typeof event['error'] === 'string') throw refusal(event['error'])
      const status = typeof event['status'] === 'string' ? event['status'] : ''
      const { digest, total } = event
      if (typeof digest === 'string' && typeof total === 'number') {
        // `completed` is missing until the first byte of the layer has come.
        const completed = typeof event['completed'] === 'number' ? event['completed'] : (layers.get(digest)?.completed ?? 0)
        layers.set(digest, { completed: Math.min(completed, total), total })
      }
      yield { status, ...sumOf([...layers.values()]) }
      if (status === 'success') return
    }
    throw new OllamaCallError('nonsense', 'the download ended early')
  } finally {
    answer.destroy()
  }
}

function sumOf(layers: readonly { completed: number; total: number }[]): Pick<PullProgress, 'completedBytes' | 'totalBytes'> {
  if (layers.length === 0) return { completedBytes: null, totalBytes: null }
  return {
    completedBytes: layers.reduce((sum, { completed }) => sum + completed, 0),
    totalBytes: layers.reduce((sum, { total }) => sum + total, 0),
  }
}

async function begin(url: string, model: string, signal: AbortSignal): Promise<IncomingMessage> {
  const body = JSON.stringify({ model, stream: true })
  const target = new URL(`${url.replace(/\/+$/, '')}/api/pull`)
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const start = target.protocol === 'https:' ? requestHttps : requestHttp
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const request = start(target, { method: 'POST', headers, signal }, resolve)
    request.setTimeout(IDLE_MS, () => request.destroy(new OllamaCallError('timeout', 'no answer in time')))
    request.on('error', (error: NodeJS.ErrnoException) => {
      const message = error.code === 'ECONNREFUSED' ? 'nothing listens at this address' : error.message
      reject(signal.aborted || error instanceof OllamaCallError ? error : new OllamaCallError('unreachable', message, error))
    })
    request.end(body)
  })
  if (answer.statusCode === 200) return answer
  let first = ''
  for await (const line of linesOf(answer, signal)) first ||= line
  answer.destroy()
  const { error } = first === '' ? {} : parse(first)
  if (typeof error === 'string') throw refusal(error)
  throw new OllamaCallError(answer.statusCode! >= 500 ? 'busy' : 'refused', `it answered with status ${answer.statusCode}`)
}

function refusal(message: string): OllamaCallError {
  return new OllamaCallError(/does not exist|not found/i.test(message) ? 'model_missing' : 'refused', message)
}

function parse(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // Thrown below, as for every other line that is not Ollama's.
  }
  throw new OllamaCallError('nonsense', "the answer to /api/pull is not in Ollama's format")
}

async function* linesOf(answer: IncomingMessage, signal: AbortSignal): AsyncGenerator<string> {
  let rest = ''
  try {
    for await (const part of answer.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (rest + part).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > MAX_LINE) throw new OllamaCallError('nonsense', 'a line of the answer is too long')
      yield* lines.filter((line) => line.trim() !== '')
    }
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof OllamaCallError ? error : new OllamaCallError('unreachable', 'the connection was closed', error)
  }
  if (rest.trim() !== '') yield rest
}
