import { createServer } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fakeRelevance, type Reading } from './fake-relevance.ts'

/** The servers that the fake can be, each with its path, its fields and its scale of scores. */
export type Server = 'llama-server' | 'vllm' | 'tei' | 'jina' | 'cohere-v1' | 'cohere-v2'

export interface FakeReranker {
  /** The endpoint's address, with its path. */
  readonly url: string
  readonly origin: string
  readonly calls: { path: string; headers: IncomingHttpHeaders; body: Record<string, unknown> }[]
  /** Replaces the right answer from now on. Null ends it. */
  answerWith(change: Change | null): void
  close(): Promise<void>
}

export interface Change {
  status?: number
  headers?: Record<string, string>
  /** Replaces the whole body, or the list of scores by index. */
  body?: string
  scores?: (scores: { index: number; score: number }[]) => { index: number; score: number | null }[]
  /** Never answers. */
  hang?: boolean
  /** Limits it to the requests for which this returns true. */
  when?: (body: Record<string, unknown>) => boolean
}

const PATHS: Record<Server, string[]> = {
  'llama-server': ['/v1/rerank', '/rerank'],
  vllm: ['/v1/rerank', '/v2/rerank', '/rerank'],
  tei: ['/rerank'],
  jina: ['/v1/rerank'],
  'cohere-v1': ['/v1/rerank'],
  'cohere-v2': ['/v2/rerank'],
}

const TEI_BATCH = 32

/** Starts a rerank endpoint over real HTTP on port 0 that answers like this server. With `key` it demands that key. */
export async function startFakeReranker(
  kind: Server,
  { key = null, reading = 'reads' }: { key?: string | null; reading?: Reading } = {},
): Promise<FakeReranker> {
  const calls: FakeReranker['calls'] = []
  let change: Change | null = null
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error))
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const part of request.setEncoding('utf8')) text += part as string
    const body = JSON.parse(text) as Record<string, unknown>
    calls.push({ path: request.url!, headers: request.headers, body })
    const lie = change !== null && (change.when?.(body) ?? true) ? change : null
    if (lie?.hang) return
    if (lie?.body !== undefined || lie?.status !== undefined) {
      return void response.writeHead(lie.status ?? 200, lie.headers).end(lie.body ?? JSON.stringify({ error: { message: 'no' } }))
    }
    if (!PATHS[kind].includes(request.url!)) return send(response, 404, { detail: 'Not Found' })
    if (key !== null && request.headers.authorization !== `Bearer ${key}`)
      return send(response, 401, { message: 'invalid api token' })
    const refused = refusal(kind, body)
    if (refused !== null) return send(response, 422, refused)
    const texts = (kind === 'tei' ? body['texts'] : body['documents']) as string[]
    const right = texts.map((passage, index) => ({
      index,
      score: scaled(kind, fakeRelevance(reading, String(body['query']), passage)),
    }))
    const scores = lie?.scores?.(right) ?? right
    // Best first, as all these servers answer: a client must use the index, not the place in the list.
    const sorted = scores.toSorted((a, b) => Number(b.score) - Number(a.score))
    if (kind === 'tei') return send(response, 200, sorted)
    const results = sorted.map(({ index, score }) => ({
      index,
      relevance_score: score,
      ...(kind === 'vllm' && { document: { text: texts[index] } }),
    }))
    send(response, 200, {
      ...(kind.startsWith('cohere') ? { id: 'x', meta: {} } : { model: 'm', usage: { total_tokens: 1 } }),
      results,
    })
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: origin + PATHS[kind][0]!,
    origin,
    calls,
    answerWith: (next) => void (change = next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Returns what a strict server says to a request in another dialect. */
function refusal(kind: Server, body: Record<string, unknown>): object | null {
  if (kind === 'tei') {
    if (!Array.isArray(body['texts']))
      return { error: 'Failed to deserialize the JSON body: missing field `texts`', error_type: 'Validation' }
    return body['texts'].length > TEI_BATCH
      ? { error: 'batch size > maximum allowed batch size 32', error_type: 'Validation' }
      : null
  }
  const hosted = kind === 'jina' || kind.startsWith('cohere')
  const known = ['model', 'query', 'documents', 'top_n', ...(hosted ? [] : ['texts'])]
  if (Object.keys(body).some((field) => !known.includes(field))) return { message: 'unknown field' }
  if (!Array.isArray(body['documents'])) return { message: 'documents is missing' }
  return hosted && typeof body['model'] !== 'string' ? { message: 'model is missing' } : null
}

/** llama-server gives logits for most models, the other servers 0 to 1. */
function scaled(kind: Server, relevance: number): number {
  return kind === 'llama-server' ? Math.log(relevance / (1 - relevance)) * 2 : relevance
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
