import { createServer } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { ErrorCode } from '../../src/core/errors.ts'
import { errorCode } from './codes.ts'

export interface Received {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

/** An answer: a value as JSON, or a function that writes it. */
export type Script = Record<string, unknown>
type Handler = (request: Received, response: ServerResponse) => void | Promise<void>

export interface ScriptedInstance {
  url: string
  requests: Received[]
}

/**
 * Starts a fake instance with the given answers, by `METHOD /path`, for answers that a real instance never gives. Other paths are 404.
 * Uses real HTTP on a free port.
 */
export async function scriptedInstance(script: Script): Promise<ScriptedInstance> {
  const requests: Received[] = []
  const server = createServer((request, response) => void answer(request, response))
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
    const { pathname, search } = new URL(request.url!, 'http://x')
    const received = { method: request.method!, path: pathname + search, headers: request.headers, body: Buffer.concat(parts) }
    requests.push(received)
    const told = script[`${request.method} ${pathname}`]
    if (typeof told === 'function') await (told as Handler)(received, response)
    else if (told !== undefined) json(response, 200, told)
    else problem(response, 404, errorCode('not_found'), 'There is nothing at this path.')
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

export function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))
}

export function problem(
  response: ServerResponse,
  status: number,
  code: ErrorCode,
  detail: string,
  more: object = {},
  headers: Record<string, string> = {},
): void {
  response
    .writeHead(status, { 'Content-Type': 'application/problem+json', ...headers })
    .end(JSON.stringify({ type: 'about:blank', title: code, status, detail, code, request_id: 'req_1', ...more }))
}

/** Returns a search result with these parts. */
export function result(
  parts: { rank?: number; name?: string; text?: string; page?: number; highlights?: [number, number][] } = {},
) {
  const { rank = 1, name = 'lease.pdf', text = 'The rent is due on the third working day.', page = 2, highlights = [] } = parts
  return {
    rank,
    score: 0.91,
    document: {
      id: 'doc_1',
      name,
      path: name,
      title: null,
      media_type: 'application/pdf',
      project: { id: 'prj_1', name: 'default' },
    },
    chunk: {
      id: 'chk_1',
      index: 0,
      page_start: page,
      page_end: page,
      heading: 'Terms › Rent',
      context: '',
      char_start: 0,
      char_end: text.length,
    },
    text,
    highlights,
    joined_chunks: 1,
    also_in: [],
    url: `http://127.0.0.1:4747/documents/doc_1?page=${page}&passage=0-${text.length}-0a1b2c3d#passage`,
  }
}

export function answerWith(results: unknown[], more: object = {}) {
  return {
    query: 'q',
    results,
    truncated: false,
    took_ms: 1,
    mode: 'hybrid',
    mode_reason: null,
    embedding_model: 'builtin',
    corrected_query: null,
    correction_reason: null,
    relaxed_phrases: [],
    rerank: { applied: false, model: null, took_ms: 0, reason: null },
    pending_documents: 0,
    ...more,
  }
}

/** Returns a document as in the answer to an upload. */
export function uploaded(id: string, path: string, more: object = {}) {
  const at = '2026-01-01T00:00:00.000Z'
  return {
    id,
    project: { id: 'prj_1', name: 'default' },
    name: path.split('/').at(-1),
    path,
    media_type: 'text/plain',
    size_bytes: 1,
    sha256: '0'.repeat(64),
    status: 'queued',
    created_at: at,
    updated_at: at,
    ready_at: null,
    page_count: null,
    chunk_count: null,
    embedding_model: null,
    error: null,
    warnings: [],
    health: { pages: 0, pages_with_text: 0, pages_without_text: 0, chunks_skipped: 0 },
    title: null,
    tags: [],
    parse: {},
    outcome: 'created',
    ...more,
  }
}
