import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { OllamaCallError } from './client.ts'

/** The whole of a download so far. Bytes are null before anything is known to come. */
export interface PullProgress {
  /** Ollama's own word: `pulling manifest`, `verifying sha256 digest`, `success`. */
  status: string
  completedBytes: number | null
  totalBytes: number | null
}

/** Longer than a registry that is slow to begin; a silent connection after that is a dead one. */
const IDLE_MS = 5 * 60_000
/** A line is some hundred bytes. */
const MAX_LINE = 1_000_000

/**
 * Ollama's `/api/pull` as progress of the whole: it tells of each layer on its own, and in the end `success`. Ends with that line; throws OllamaCallError for an error line
 * (which comes after a status of 200), an answer that ends without success, and everything else. Leaving the loop, or the signal, hangs up, which ends the download.
 */
export async function* pullModel(url: string, model: string, signal: AbortSignal): AsyncGenerator<PullProgress> {
  const layers = new Map<string, { completed: number; total: number }>()
  const answer = await begin(url, model, signal)
  try {
    for await (const line of linesOf(answer, signal)) {
      const said = parse(line)
      if (typeof said['error'] === 'string') throw refusal(said['error'])
      const status = typeof said['status'] === 'string' ? said['status'] : ''
      const { digest, total } = said
      if (typeof digest === 'string' && typeof total === 'number') {
        // Left out until the first byte of the layer has come.
        const completed = typeof said['completed'] === 'number' ? said['completed'] : (layers.get(digest)?.completed ?? 0)
        layers.set(digest, { completed: Math.min(completed, total), total })
      }
      yield { status, ...sumOf([...layers.values()]) }
      if (status === 'success') return
    }
    throw new OllamaCallError('nonsense', 'the download ended before it was whole')
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
      const message = error.code === 'ECONNREFUSED' ? 'nothing listens there' : error.message
      reject(signal.aborted || error instanceof OllamaCallError ? error : new OllamaCallError('unreachable', message, error))
    })
    request.end(body)
  })
  if (answer.statusCode === 200) return answer
  let said = ''
  for await (const line of linesOf(answer, signal)) said ||= line
  answer.destroy()
  const { error } = said === '' ? {} : parse(said)
  if (typeof error === 'string') throw refusal(error)
  throw new OllamaCallError(answer.statusCode! >= 500 ? 'busy' : 'refused', `it answers with status ${answer.statusCode}`)
}

function refusal(message: string): OllamaCallError {
  return new OllamaCallError(/does not exist|not found/i.test(message) ? 'model_missing' : 'refused', message)
}

function parse(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // Said below, as for every other line that is none of Ollama's.
  }
  throw new OllamaCallError('nonsense', 'the answer is not what Ollama answers to a pull')
}

async function* linesOf(answer: IncomingMessage, signal: AbortSignal): AsyncGenerator<string> {
  let rest = ''
  try {
    for await (const part of answer.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (rest + part).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > MAX_LINE) throw new OllamaCallError('nonsense', 'a line of the answer has no end')
      yield* lines.filter((line) => line.trim() !== '')
    }
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof OllamaCallError ? error : new OllamaCallError('unreachable', 'the connection was cut', error)
  }
  if (rest.trim() !== '') yield rest
}
