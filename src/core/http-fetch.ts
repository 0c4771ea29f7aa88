import { Agent as HttpAgent, request as requestHttp, type RequestOptions } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { checkAddress, publicLookup } from './addresses.ts'

/** Far above the answer to any batch of vectors. A server that sends more is not a model's server. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024

export interface FetchLimits {
  /** Milliseconds from the request to the end of the answer. */
  timeoutMs: number
  signal?: AbortSignal | undefined
  /** A longer answer makes the call fail. */
  maxBytes?: number
  /** Sends nothing to an address that is not one of the internet's: the call fails with NotPublicError. For addresses that come from outside. */
  onlyPublic?: boolean
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
  body: string
}

/** Sends one request and returns the whole answer, whatever its status. Follows no redirect. Throws network errors and the signal's reason as they are. */
export function exchange(
  url: URL,
  init: RequestInit | undefined,
  { timeoutMs, signal, maxBytes = MAX_ANSWER_BYTES, onlyPublic = false }: FetchLimits,
): Promise<Answer> {
  const deadline = AbortSignal.timeout(timeoutMs)
  return send(url, init, { maxBytes, onlyPublic, signal: signal ? AbortSignal.any([signal, deadline]) : deadline })
}

interface SendOptions {
  maxBytes: number
  onlyPublic: boolean
  signal: AbortSignal
}

function send(url: URL, init: RequestInit | undefined, { maxBytes, onlyPublic, signal }: SendOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (onlyPublic) checkAddress(url)
    const start = url.protocol === 'https:' ? requestHttps : requestHttp
    const body = typeof init?.body === 'string' ? init.body : ''
    const headers: Record<string, string> = Object.fromEntries(new Headers(init?.headers))
    if (body !== '') headers['content-length'] = String(Buffer.byteLength(body))
    const request = start(
      url,
      { method: init?.method ?? 'GET', headers, signal, ...(onlyPublic && publicOptions(url)) },
      (response) => {
        const parts: Buffer[] = []
        let bytes = 0
        response.on('data', (part: Buffer) => {
          bytes += part.length
          if (bytes > maxBytes) response.destroy(new Error(`the answer is larger than ${maxBytes} bytes`))
          else parts.push(part)
        })
        response.on('error', reject)
        response.on('end', () => {
          resolve({
            status: response.statusCode ?? 0,
            contentType: response.headers['content-type'] ?? 'no content type',
            body: Buffer.concat(parts).toString('utf8'),
          })
        })
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}

/** An agent of its own, because the connections that the global one keeps open may lead to an address that is not public. */
function publicOptions({ protocol }: URL): Pick<RequestOptions, 'agent' | 'lookup'> {
  return { agent: protocol === 'https:' ? new HttpsAgent() : new HttpAgent(), lookup: publicLookup }
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
