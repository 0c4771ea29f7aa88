import type { IncomingMessage } from 'node:http'
import { ClientError, errorFromInstance } from './errors.ts'
import type { ClientErrorOptions, FieldFault } from './errors.ts'

/** Turns an answer other than 2xx into a ClientError: from RFC 9457, from RFC 6749 (section 5.2) of the OAuth endpoints, or from the status alone. */
export function problemOf(answer: IncomingMessage, body: string, address: string): ClientError {
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
