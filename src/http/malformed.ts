import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Problem } from '../contract/common.ts'
import type { Clock } from '../core/clock.ts'
import { newId } from '../core/ids.ts'

/** A question of 4,000 characters stands percent-encoded in the address of its page: up to 48 kB. */
export const MOST_HEADER_BYTES = 64 * 1024

const KNOWN: Record<string, { status: number; code: string; detail: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'headers_too_large', detail: 'The headers of the request are over 64 kB.' },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'request_timeout',
    detail: 'The headers of the request did not arrive in time.',
  },
}
const OTHER = { status: 400, code: 'invalid_http', detail: 'What arrived is not an HTTP/1.1 request.' }

/**
 * Answers what Node's HTTP parser refused before any middleware saw it, in the shape of every other error (RFC 9457).
 * For `server.on('clientError')`.
 */
export function malformedRequests(clock: Clock, baseUrl: () => string) {
  return (error: NodeJS.ErrnoException, socket: Duplex): void => {
    // Hung up, or an answer is under way already: there is nobody to tell.
    if (error.code === 'ECONNRESET' || !socket.writable || ('bytesWritten' in socket && Number(socket.bytesWritten) > 0)) {
      socket.destroy()
      return
    }
    const { status, code, detail } = KNOWN[error.code ?? ''] ?? OTHER
    const requestId = newId('req', clock.now())
    const title = STATUS_CODES[status] ?? 'Error'
    const problem: Problem = { type: `${baseUrl()}/api/docs#problem-${code}`, title, status, detail, code, request_id: requestId }
    const body = JSON.stringify(problem)
    socket.end(
      [
        `HTTP/1.1 ${status} ${title}`,
        'Connection: close',
        'Content-Type: application/problem+json; charset=utf-8',
        `Content-Length: ${Buffer.byteLength(body)}`,
        `X-Request-Id: ${requestId}`,
        '',
        body,
      ].join('\r\n'),
    )
  }
}
