import { Agent as HttpAgent, request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { checkAddress, lookupAllowed, type IsAllowedAddress } from './addresses.ts'

/** Far above the answer to any batch of vectors. A server that sends more is not a model's server. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024

export interface FetchLimits {
  /** Milliseconds from the request to the end of the answer. */
  timeoutMs: number
  signal?: AbortSignal | undefined
  /** A longer answer makes the call fail, unless `isBodyNeeded` is false. */
  maxBytes?: number
  /** False returns an empty body. A longer answer than `maxBytes` is then cut off. */
  isBodyNeeded?: boolean
  /** Sends nothing to another address: the call fails with AddressNotAllowedError. For addresses that come from outside. */
  isAllowedAddress?: IsAllowedAddress
}

/**
 * Returns a `fetch` for calls to a model's server. It differs from Node's `fetch` in two ways: it does not give up after five minutes without
 * headers, because a cold model on a slow machine takes longer, and it follows no redirect, because documents and keys go only to the
 * configured address. It reads the whole answer. An error always has the JSON body `{error}` that the `ollama` package expects;
 * otherwise that package writes to the console.
 */
export function httpFetch(limits: FetchLimits): typeof fetch {
  return async (input, init) => {
    const answer = await exchange(new URL(input instanceof Request ? input.url : input), init, limits)
    const { status, body } = answer
    const ok = status >= 200 && status < 300
    const json = ok || isErrorObject(body) ? body : JSON.stringify({ error: describeAnswer(answer) })
    return new Response(json, {
      status: status >= 200 && status <= 599 ? status : 502,
      headers: { 'content-type': 'application/json' },
    })
  }
}

/** Returns an address without user name, password and query. */
export function withoutCredentials(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null) return url
  return `${parsed.protocol}//${parsed.host}${parsed.pathname === '/' ? '' : parsed.pathname}`
}

export interface Answer {
  status: number
  contentType: string
  /** The header Retry-After, or null. */
  retryAfter: string | null
  body: string
}

/** Sends one request and returns the whole answer, whatever its status. Follows no redirect. Throws network errors and the signal's reason as they are. */
export function exchange(
  url: URL,
  init: RequestInit | undefined,
  { timeoutMs, signal, maxBytes = MAX_ANSWER_BYTES, isBodyNeeded = true, isAllowedAddress }: FetchLimits,
): Promise<Answer> {
  const deadline = AbortSignal.timeout(timeoutMs)
  const bounds = { maxBytes, isBodyNeeded, isAllowedAddress }
  return send(url, init, { ...bounds, signal: signal ? AbortSignal.any([signal, deadline]) : deadline })
}

interface SendOptions {
  maxBytes: number
  isBodyNeeded: boolean
  isAllowedAddress: IsAllowedAddress | undefined
  signal: AbortSignal
}

function send(url: URL, init: RequestInit | undefined, { isAllowedAddress, signal, ...bounds }: SendOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (isAllowedAddress !== undefined) checkAddress(url, isAllowedAddress)
    const start = url.protocol === 'https:' ? requestHttps : requestHttp
    const body = typeof init?.body === 'string' ? init.body : ''
    const headers: Record<string, string> = Object.fromEntries(new Headers(init?.headers))
    if (body !== '') headers['content-length'] = String(Buffer.byteLength(body))
    const request = start(
      url,
      { method: init?.method ?? 'GET', headers, signal, ...(isAllowedAddress && optionsFor(url, isAllowedAddress)) },
      (response) => void readAnswer(response, bounds).then(resolve, reject),
    )
    request.on('error', reject)
    // An answer that switches protocols has neither a body nor an end. Without a listener, no event would settle this promise.
    request.on('upgrade', (response, socket) => {
      socket.destroy()
      resolve(answerOf(response, ''))
    })
    request.end(body)
  })
}

function readAnswer(
  response: IncomingMessage,
  { maxBytes, isBodyNeeded }: Pick<SendOptions, 'maxBytes' | 'isBodyNeeded'>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    let bytes = 0
    const answer = () => resolve(answerOf(response, Buffer.concat(parts).toString('utf8')))
    response.on('data', (part: Buffer) => {
      bytes += part.length
      if (bytes <= maxBytes) {
        if (isBodyNeeded) parts.push(part)
      } else if (isBodyNeeded) response.destroy(new Error(`the answer is larger than ${maxBytes} bytes`))
      else {
        answer()
        response.destroy()
      }
    })
    response.on('error', reject)
    response.on('end', answer)
  })
}

function answerOf({ statusCode = 0, headers }: IncomingMessage, body: string): Answer {
  const { 'content-type': contentType = 'no content type', 'retry-after': retryAfter = null } = headers
  return { status: statusCode, contentType, retryAfter, body }
}

/** An agent of its own, because the connections that the global one keeps open may lead to an address that is not allowed. */
function optionsFor({ protocol }: URL, isAllowed: IsAllowedAddress): Pick<RequestOptions, 'agent' | 'lookup'> {
  return { agent: protocol === 'https:' ? new HttpsAgent() : new HttpAgent(), lookup: lookupAllowed(isAllowed) }
}

function isErrorObject(body: string): boolean {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null && 'error' in value && typeof value.error === 'string'
  } catch {
    // Not JSON, so no error object.
    return false
  }
}

/** Describes an unexpected answer in a few words. */
export function describeAnswer({ status, contentType, body }: Answer): string {
  if (status >= 300 && status < 400) return `the address answered with a redirect (${status}), which docsearch does not follow`
  return `status ${status} with ${contentType}: ${body.slice(0, 200).trim() || 'nothing'}`
}
