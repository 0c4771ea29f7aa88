import type { IncomingMessage } from 'node:http'
import { ClientError, errorFromInstance } from './errors.ts'
import type { ClientErrorOptions, FieldFault } from './errors.ts'

/** An answer that is not 2xx as a ClientError: RFC 9457 where the instance speaks it, RFC 6749 (5.2) of the OAuth endpoints, else what the status says. */
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

/** A redirect is never followed: the credential belongs to one address. */
function redirected(answer: IncomingMessage, address: string): ClientError {
  const location = answer.headers.location ?? 'an address it does not name'
  return new ClientError(
    'redirected',
    `${address} sends on to ${location}. Credentials are not sent to another address; if that one is right, name it with --server and log in there.`,
    { status: answer.statusCode ?? 0, details: { location } },
  )
}

/** Seconds of a Retry-After header, which may also be a date (RFC 9110, 10.2.3). */
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
    return {} // A proxy's page in front of the instance: the status alone has to do.
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
