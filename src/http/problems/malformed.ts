import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Problem } from '../../contract/common.ts'
import type { Clock } from '../../core/clock.ts'
import type { ApiErrorCode } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { PROBLEMS } from './problems.ts'

/** The address of the search page contains the query. 4,000 characters take up to 48 kB when percent-encoded. */
export const MAX_HEADER_BYTES = 64 * 1024

const CODES: Readonly<Record<string, ApiErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/**
 * Returns a listener for the server's `clientError`. It answers requests that Node's HTTP parser refused before any middleware saw them,
 * in the form of every other error (RFC 9457).
 */
export function malformedRequests(clock: Clock, baseUrl: () => string) {
  return (error: NodeJS.ErrnoException, socket: Duplex): void => {
    // The client hung up, or it is getting an answer already.
    if (error.code === 'ECONNRESET' || !socket.writable || ('bytesWritten' in socket && Number(socket.bytesWritten) > 0)) {
      socket.destroy()
      return
    }
    const code = CODES[error.code ?? ''] ?? 'invalid_http'
    const { status, means: detail } = PROBLEMS[code]
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
