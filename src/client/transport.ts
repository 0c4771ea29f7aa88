import type { Agent, ClientRequest, IncomingMessage, OutgoingHttpHeaders, RequestOptions } from 'node:http'
import type { Readable } from 'node:stream'
import { ClientError } from './errors.ts'
import { unreachable } from './unreachable.ts'
import { problemOf } from './problem.ts'

export interface StreamBody {
  contentType: string
  /** Bytes, known beforehand so that an instance can refuse before they are sent; null for chunked. */
  length: number | null
  open(): Readable
}

export interface Call {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below the address, e.g. `/api/v1/me`, its parts already encoded. */
  path: string
  query?: Record<string, string | number | boolean | undefined>
  headers?: OutgoingHttpHeaders
  json?: unknown
  /** `application/x-www-form-urlencoded`, as the OAuth endpoints are asked. */
  form?: Record<string, string>
  body?: StreamBody
  signal?: AbortSignal | undefined
  /** Milliseconds without a byte in either direction before it is given up. */
  idleMs?: number
  accept?: string
}

/** A credential that changes. */
export interface TokenSource {
  /** Good for a request that is sent now. */
  current(): Promise<string>
  /** The instance refused this one: another one, or a ClientError that says why there is none. */
  renew(refused: string): Promise<string>
}

export interface TransportOptions {
  address: string
  token: string | TokenSource | null
  userAgent: string
  connectMs?: number
  idleMs?: number
}

export interface Transport {
  address: string
  /** The answer with its body unread, status 2xx. Throws ClientError for everything else. */
  open(call: Call): Promise<IncomingMessage>
  /** The parsed JSON body; null for 204. Throws ClientError `invalid_answer` for anything that is not a JSON object. */
  json(call: Call): Promise<Record<string, unknown> | null>
}

const CONNECT_MS = 10_000
// A cold embedding model may take a minute to load before the first byte of an answer.
const IDLE_MS = 120_000
const MAX_JSON_BYTES = 256 * 1024 * 1024

/**
 * Speaks HTTP to one instance and to nothing else. `node:http` and not `fetch`, which follows redirects, honours NODE_USE_ENV_PROXY and takes long to load;
 * an agent of our own does none of it, so the credential goes to this address only.
 */
export function createTransport(options: TransportOptions): Transport {
  const base = new URL(options.address)
  let agent: Agent | undefined

  async function open(call: Call): Promise<IncomingMessage> {
    const { token } = options
    if (token === null || typeof token === 'string') return attempt(call, token)
    const current = await token.current()
    try {
      return await attempt(call, current)
    } catch (error) {
      // A body that is a stream is gone; the next request carries the new token.
      if (!(error instanceof ClientError && error.status === 401 && error.code === 'invalid_token') || call.body) throw error
      return attempt(call, await token.renew(current))
    }
  }

  async function attempt(call: Call, token: string | null): Promise<IncomingMessage> {
    const secure = base.protocol === 'https:'
    // Not `import`: the namespace of node:http touches its WebSocket, which loads all of undici, 40 ms of a search.
    const library = secure ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http')
    agent ??= new library.Agent({ keepAlive: false })
    const payload = payloadOf(call)
    const request: RequestOptions = {
      agent,
      protocol: base.protocol,
      hostname: base.hostname.replace(/^\[|\]$/g, ''),
      port: base.port === '' ? (secure ? 443 : 80) : base.port,
      method: call.method,
      path: base.pathname.replace(/\/+$/, '') + call.path + queryOf(call.query),
      headers: headersOf(options.userAgent, call, payload, token),
    }
    if (call.signal !== undefined) request.signal = call.signal
    const answer = await send(library.request, request, payload, call, options)
    const status = answer.statusCode ?? 0
    if (status >= 200 && status < 300) return answer
    throw problemOf(answer, await readAll(answer, options.address, call.signal), options.address)
  }

  return {
    address: options.address,
    open,
    async json(call) {
      const answer = await open({ accept: 'application/json', ...call })
      const body = await readAll(answer, options.address, call.signal)
      if (answer.statusCode === 204) return null
      const value = parseJson(body)
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
      throw new ClientError(
        'invalid_answer',
        `What answers at ${options.address} does not speak docsearch's language; check the address.`,
        {
          status: answer.statusCode ?? 0,
        },
      )
    },
  }
}

function send(
  start: (options: RequestOptions) => ClientRequest,
  request: RequestOptions,
  payload: Payload | null,
  call: Call,
  options: TransportOptions,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = start(request)
    // Opened now, read once it is piped.
    const source = call.body?.open()
    const connectMs = options.connectMs ?? CONNECT_MS
    const connecting = setTimeout(() => {
      outgoing.destroy(
        new ClientError('unreachable', `${options.address} did not take the connection within ${connectMs / 1000} s.`),
      )
    }, connectMs)
    const idleMs = call.idleMs ?? options.idleMs ?? IDLE_MS
    outgoing.setTimeout(idleMs, () => {
      outgoing.destroy(new ClientError('timeout', `${options.address} was silent for ${idleMs / 1000} s.`))
    })
    outgoing.once('socket', (socket) => {
      socket.once(request.protocol === 'https:' ? 'secureConnect' : 'connect', () => clearTimeout(connecting))
    })
    outgoing.once('response', (answer) => {
      clearTimeout(connecting)
      resolve(answer)
    })
    // Stays on: once an answer has come (413 before the body was sent whole) a reset of the sending side says nothing new.
    outgoing.on('error', (error) => {
      clearTimeout(connecting)
      source?.destroy()
      reject(failureOf(error, options.address, call.signal))
    })
    if (source === undefined) {
      outgoing.end(payload?.bytes)
      return
    }
    source.once('error', (error) => outgoing.destroy(error))
    source.pipe(outgoing)
  })
}

/** Whole body as text. */
export async function readAll(answer: IncomingMessage, address: string, signal?: AbortSignal): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      size += part.length
      if (size > MAX_JSON_BYTES)
        throw new ClientError('invalid_answer', `The answer of ${address} is larger than any it should give.`)
      parts.push(part)
    }
  } catch (error) {
    throw failureOf(error, address, signal)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** Anything a socket or a stream threw, as a ClientError. */
export function failureOf(error: unknown, address: string, signal?: AbortSignal): ClientError {
  if (signal?.aborted === true) return new ClientError('aborted', 'Cancelled.', { cause: error })
  return error instanceof ClientError ? error : unreachable(error, address)
}

interface Payload {
  contentType: string
  bytes: Buffer
}

function payloadOf({ json, form }: Call): Payload | null {
  if (json !== undefined) return { contentType: 'application/json', bytes: Buffer.from(JSON.stringify(json)) }
  if (form === undefined) return null
  return { contentType: 'application/x-www-form-urlencoded', bytes: Buffer.from(new URLSearchParams(form).toString()) }
}

function headersOf(userAgent: string, call: Call, payload: Payload | null, token: string | null): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { 'User-Agent': userAgent, Accept: call.accept ?? '*/*', ...call.headers }
  if (token !== null) headers['Authorization'] = `Bearer ${token}`
  if (payload !== null) {
    headers['Content-Type'] = payload.contentType
    headers['Content-Length'] = payload.bytes.length
  }
  if (call.body !== undefined) {
    headers['Content-Type'] = call.body.contentType
    if (call.body.length !== null) headers['Content-Length'] = call.body.length
  }
  return headers
}

function queryOf(query: Call['query']): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) parameters.append(name, String(value))
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // The caller turns this into `invalid_answer`, with the address.
  }
}
