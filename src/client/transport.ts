import type { Agent, ClientRequest, IncomingMessage, OutgoingHttpHeaders, RequestOptions } from 'node:http'
import type { Readable } from 'node:stream'
import { ClientError, errorFromInstance, type ClientErrorOptions, type FieldFault } from './errors.ts'

export interface StreamBody {
  contentType: string
  /** Number of bytes, so that the instance can refuse a large body early; null sends chunked. */
  length: number | null
  open(): Readable
}

export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path below the address, such as `/api/v1/me`, with its parts encoded. */
  path: string
  /** A list is sent as one field for each of its values. */
  query?: Record<string, string | number | boolean | readonly string[] | undefined>
  headers?: OutgoingHttpHeaders
  json?: unknown
  /** Sent as `application/x-www-form-urlencoded`, to the OAuth endpoints. */
  form?: Record<string, string>
  body?: StreamBody
  signal?: AbortSignal | undefined
  /** Milliseconds without a byte in either direction after which the call fails. */
  idleMs?: number
  accept?: string
}

/** A credential that changes over time. */
export interface TokenSource {
  /** Returns a token for a request that is sent now. */
  current(): Promise<string>
  /** Replaces a token that the instance refused. Throws ClientError when there is no other. */
  renew(refused: string): Promise<string>
}

/** How to connect to any instance. */
export interface Connection {
  /** The program that calls, such as `docsearch/0.1.0`. */
  userAgent: string
  /** Certificates of further authorities to trust, in PEM format. */
  certificates?: string | undefined
}

export interface TransportOptions extends Connection {
  address: string
  /**
   * The data folder, if this user's own daemon serves the address: requests then go through its socket, never to the port. Null
   * for other instances.
   */
  dataDir: string | null
  token: string | TokenSource | null
  connectMs?: number
  idleMs?: number
}

export interface Transport {
  address: string
  /** Returns a 2xx answer with its body unread. Throws ClientError for any other status. */
  open(call: Call): Promise<IncomingMessage>
  /** Returns the parsed JSON body; null for 204. Throws ClientError `invalid_answer` for anything but a JSON object. */
  json(call: Call): Promise<Record<string, unknown> | null>
}

const CONNECT_MS = 10_000
// A cold embedding model may take a minute to load before the first byte of an answer.
const IDLE_MS = 120_000
const MAX_JSON_BYTES = 256 * 1024 * 1024

/**
 * Speaks HTTP to one instance only. Uses `node:http` with its own agent instead of `fetch`, which follows redirects, honours NODE_USE_ENV_PROXY
 * and loads slowly. So the credential reaches this address only, and for this user's own daemon only that daemon.
 */
export function createTransport(options: TransportOptions): Transport {
  const base = new URL(options.address)
  let agent: Agent | undefined
  let trusted = options.certificates === undefined ? undefined : withSystem(options.certificates)

  async function open(call: Call): Promise<IncomingMessage> {
    const { token } = options
    if (token === null || typeof token === 'string') return attempt(call, token)
    const current = await token.current()
    try {
      return await attempt(call, current)
    } catch (error) {
      // A streamed body can't be sent twice. The next request uses the new token.
      if (!(error instanceof ClientError && error.status === 401 && error.code === 'invalid_token') || call.body) throw error
      return attempt(call, await token.renew(current))
    }
  }

  /** Asks the system for its certificates only when they are needed, because reading them takes 70 ms. */
  async function attempt(call: Call, token: string | null): Promise<IncomingMessage> {
    try {
      return await attemptOnce(call, token)
    } catch (error) {
      if (trusted !== undefined || !isUntrusted(error)) throw error
      trusted = withSystem()
      agent = undefined
      return attemptOnce(call, token)
    }
  }

  async function attemptOnce(call: Call, token: string | null): Promise<IncomingMessage> {
    const secure = base.protocol === 'https:'
    // Not `import`: the namespace of node:http touches its WebSocket, which loads all of undici and costs a search 40 ms.
    const library = secure ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http')
    agent ??= new library.Agent({ keepAlive: false, ...(trusted !== undefined && { ca: trusted }) })
    const payload = payloadOf(call)
    const request: RequestOptions & { servername?: string } = {
      agent,
      // Only TLS needs a server name. Otherwise Node would compile a large expression to look for one, which takes a search 4 ms.
      ...(!secure && { servername: '' }),
      protocol: base.protocol,
      hostname: base.hostname.replace(/^\[|\]$/g, ''),
      port: base.port === '' ? (secure ? 443 : 80) : base.port,
      method: call.method,
      path: base.pathname.replace(/\/+$/, '') + call.path + queryOf(call.query),
    }
    const headers = headersOf(options.userAgent, call, payload, token)
    if (options.dataDir !== null) {
      const { localSocket } = await import('./local-daemon.ts')
      request.socketPath = localSocket(options.dataDir, options.address)
      // Every instance accepts this name in the Host header, whatever its public URL is.
      headers['Host'] = 'localhost'
    }
    request.headers = headers
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
      throw new ClientError('invalid_answer', `${options.address} is not a docsearch server. Check the address.`, {
        status: answer.statusCode ?? 0,
      })
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
    // Opens the source now, but reads it only when it is piped below.
    const source = call.body?.open()
    const connectMs = options.connectMs ?? CONNECT_MS
    const connecting = setTimeout(() => {
      outgoing.destroy(
        new ClientError('unreachable', `${options.address} did not accept the connection within ${connectMs / 1000} s.`),
      )
    }, connectMs)
    const idleMs = call.idleMs ?? options.idleMs ?? IDLE_MS
    outgoing.setTimeout(idleMs, () => {
      outgoing.destroy(new ClientError('timeout', `${options.address} did not answer for ${idleMs / 1000} s.`))
    })
    outgoing.once('socket', (socket) => {
      socket.once(request.protocol === 'https:' ? 'secureConnect' : 'connect', () => clearTimeout(connecting))
    })
    outgoing.once('response', (answer) => {
      clearTimeout(connecting)
      resolve(answer)
    })
    // Stays attached: after an early answer, such as 413, the connection may still be reset while the body is sent.
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

/** Reads the whole body as text. */
export async function readAll(answer: IncomingMessage, address: string, signal?: AbortSignal): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      size += part.length
      if (size > MAX_JSON_BYTES) throw new ClientError('invalid_answer', `The answer of ${address} is too large.`)
      parts.push(part)
    }
  } catch (error) {
    throw failureOf(error, address, signal)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** Turns anything that a socket or a stream threw into a ClientError. */
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
  for (const [name, value] of Object.entries(query ?? {}))
    for (const one of [value ?? []].flat()) parameters.append(name, String(one))
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // The caller throws `invalid_answer` with the address.
  }
}

/** Turns an answer other than 2xx into a ClientError: from RFC 9457, from RFC 6749 (section 5.2) of the OAuth endpoints, or from the status alone. */
function problemOf(answer: IncomingMessage, body: string, address: string): ClientError {
  const status = answer.statusCode ?? 0
  if (status >= 300 && status < 400) return redirected(answer, address)
  const problem = (answer.headers['content-type'] ?? '').includes('json') ? record(body) : {}
  const options: ClientErrorOptions = { status, fault: status >= 500 ? 'outside' : 'user' }
  const retryAfter = secondsOf(answer.headers['retry-after'])
  if (retryAfter !== null) options.retryAfter = retryAfter
  options.requestId = text(problem['request_id']) ?? text(answer.headers['x-request-id']) ?? null
  options.errors = faults(problem['errors'])
  options.details = problem
  const code = text(problem['code']) ?? text(problem['error'])
  const known = code !== undefined && /^[a-z][a-z0-9_]{0,99}$/.test(code)
  const detail =
    text(problem['detail']) ??
    text(problem['title']) ??
    text(problem['error_description']) ??
    `${address} answered ${status} ${answer.statusMessage ?? ''}`.trimEnd() + '.'
  return errorFromInstance(known ? code : `http_${status}`, detail, options)
}

/** Never follows a redirect, because the credential belongs to one address. */
function redirected(answer: IncomingMessage, address: string): ClientError {
  const location = answer.headers.location ?? 'an unknown address'
  return new ClientError(
    'redirected',
    `${address} redirects to ${location}. docsearch doesn't follow redirects, to protect your credentials.`,
    {
      status: answer.statusCode ?? 0,
      details: { location },
      advice: 'If the new address is right, pass it with --server and log in there.',
    },
  )
}

/** The seconds of a Retry-After header, which may also be a date (RFC 9110 section 10.2.3). */
function secondsOf(header: string | undefined): number | null {
  if (header === undefined) return null
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - Date.now()) / 1000))
}

function record(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
  } catch {
    return {} // A proxy's error page: only the status is known.
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function faults(value: unknown): FieldFault[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((fault: unknown) => {
    if (typeof fault !== 'object' || fault === null) return []
    const { path, message } = fault as Record<string, unknown>
    return typeof message === 'string' ? [{ path: typeof path === 'string' ? path : '', message }] : []
  })
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'the host name could not be resolved',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the network',
  ETIMEDOUT: 'the connection timed out',
  ECONNRESET: 'the connection was closed',
  ENOENT: 'its socket is missing',
  EPIPE: 'the connection was closed',
  EPROTO: 'the server does not speak HTTPS',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not speak HTTPS',
}

/** Explains a failed connection. */
function unreachable(error: unknown, address: string): ClientError {
  const code = codeOf(error)
  if (isUntrustedCode(code))
    return new ClientError(
      'unreachable',
      `Cannot reach ${address}: no authority that this machine trusts has signed its certificate.`,
      {
        cause: error,
        details: { reason: code },
        advice: 'If you know the authority, pass its certificate with --cacert FILE.',
      },
    )
  const reason = REASONS[code] ?? (error instanceof Error && error.message !== '' ? error.message : code)
  const isDown = code === 'ECONNREFUSED' || code === 'ENOENT'
  return new ClientError('unreachable', `Cannot reach ${address}: ${reason}.`, {
    cause: error,
    details: { reason: code },
    ...(isDown && { advice: 'Start the server with `docsearch serve`, or pass another address with --server.' }),
  })
}

function codeOf(error: unknown): string {
  // Node tries IPv6 and IPv4, and reports both failures in one error.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  if (typeof first === 'object' && first !== null && 'code' in first && typeof first.code === 'string') return first.code
  return 'connection failed'
}

/** What OpenSSL says about a server whose certificate no known authority has signed. */
const UNTRUSTED: readonly unknown[] = [
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]

function isUntrustedCode(code: string): boolean {
  return UNTRUSTED.includes(code)
}

function isUntrusted(error: unknown): boolean {
  return error instanceof ClientError && UNTRUSTED.includes(error.details['reason'])
}

/**
 * Returns the certificates of the authorities that Node and the system trust, and these further ones, in PEM format. Node 20, which the client
 * library supports, can't list the system's certificates, so they are missing there.
 */
function withSystem(further?: string): string[] {
  const tls: Partial<typeof import('node:tls')> = process.getBuiltinModule('node:tls')
  const own = tls.getCACertificates?.('default') ?? tls.rootCertificates ?? []
  return [...own, ...(tls.getCACertificates?.('system') ?? []), ...(further === undefined ? [] : [further])]
}
