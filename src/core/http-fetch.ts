import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

/** Far above the answer to any batch of vectors; a server that sends more is not the one meant. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024

export interface FetchLimits {
  /** Milliseconds from the request to the end of the answer. */
  timeoutMs: number
  signal?: AbortSignal | undefined
  /** Of the answer; beyond it the call fails. */
  maxBytes?: number
}

/**
 * A `fetch` for calls to a model's server, without two habits of Node's own: giving up after five minutes without headers (a cold model on a slow
 * machine takes longer), and following redirects (documents go to the address that was set up, and nowhere else, nor does a key).
 * The answer is read whole. Errors always have the JSON body `{error}` that the `ollama` package looks for, so that it writes nothing to the console.
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

/** An address without the name and password it may hold. */
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

/** One request and its whole answer, whatever the status; redirects are not followed. Throws what the network throws, or the signal's reason. */
export function exchange(
  url: URL,
  init: RequestInit | undefined,
  { timeoutMs, signal, maxBytes = MAX_ANSWER_BYTES }: FetchLimits,
): Promise<Answer> {
  const deadline = AbortSignal.timeout(timeoutMs)
  return send(url, init, maxBytes, signal ? AbortSignal.any([signal, deadline]) : deadline)
}

function send(url: URL, init: RequestInit | undefined, maxBytes: number, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const start = url.protocol === 'https:' ? requestHttps : requestHttp
    const body = typeof init?.body === 'string' ? init.body : ''
    const headers: Record<string, string> = Object.fromEntries(new Headers(init?.headers))
    if (body !== '') headers['content-length'] = String(Buffer.byteLength(body))
    const request = start(url, { method: init?.method ?? 'GET', headers, signal }, (response) => {
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
    })
    request.on('error', reject)
    request.end(body)
  })
}

function isErrorObject(body: string): boolean {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null && 'error' in value && typeof value.error === 'string'
  } catch {
    // Not JSON at all, so certainly no error object.
    return false
  }
}

/** An answer that was not hoped for, in few words. */
export function describeAnswer({ status, contentType, body }: Answer): string {
  if (status >= 300 && status < 400) return `the address answers with a redirect (${status}), which is not followed`
  return `status ${status} with ${contentType}: ${body.slice(0, 200).trim() || 'nothing'}`
}
