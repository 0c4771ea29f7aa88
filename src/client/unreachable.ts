import { isUntrustedCode } from './certificates.ts'
import { ClientError } from './errors.ts'

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
export function unreachable(error: unknown, address: string): ClientError {
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
