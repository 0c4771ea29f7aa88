import { DocsearchError } from '../../core/errors.ts'
import { ClientError } from '../errors.ts'

/** How a login waits for the user. */
export interface Waiting {
  signal: AbortSignal
  /** Resolves after `ms` milliseconds, or when the signal aborts. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>
}

export function timedOut(what: string): DocsearchError {
  return new DocsearchError('login_timed_out', `${what}. Try again with \`docsearch login\`.`)
}

/** Explains an `error` that the instance returned instead of a login (RFC 6749 section 4.1.2.1, RFC 8628 section 3.5). */
export function denied(error: string, description: string | null, address: string): DocsearchError {
  if (error === 'access_denied') return new DocsearchError('login_denied', `The login at ${address} was declined.`)
  const what = description ?? error.replaceAll('_', ' ')
  if (error === 'server_error') return new ClientError('server_error', `${address} failed: ${what}`, { status: 500 })
  if (error === 'temporarily_unavailable') return new ClientError(error, `${address} is busy: ${what}`, { status: 503 })
  return new DocsearchError('login_refused', `${address} refused the login: ${what}`)
}
