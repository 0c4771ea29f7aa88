import { ClientError } from './errors.ts'

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name could not be looked up',
  EHOSTUNREACH: 'no way to that host',
  ENETUNREACH: 'no way to that network',
  ETIMEDOUT: 'it did not answer in time',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  EPROTO: 'what answers there does not speak https',
  ERR_SSL_WRONG_VERSION_NUMBER: 'what answers there does not speak https',
}

/** A connection that failed, in words. The cause is kept. */
export function unreachable(error: unknown, address: string): ClientError {
  const code = codeOf(error)
  const reason = REASONS[code] ?? (error instanceof Error && error.message !== '' ? error.message : code)
  const hint = code === 'ECONNREFUSED' ? ' Start it with `docsearch serve`, or name another with --server.' : ''
  return new ClientError('unreachable', `Cannot reach ${address}: ${reason}.${hint}`, {
    cause: error,
    details: { reason: code },
  })
}

function codeOf(error: unknown): string {
  // Node tries IPv6 and IPv4 and hands back both failures in one.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  if (typeof first === 'object' && first !== null && 'code' in first && typeof first.code === 'string') return first.code
  return 'connection failed'
}
