import { AddressNotAllowedError, type IsAllowedAddress } from '../core/addresses.ts'
import { exchange } from '../core/http-fetch.ts'
import type { DeliveryError } from '../core/webhooks.ts'

/** The specification recommends 15 to 30 seconds at most. */
const TIMEOUT_MS = 10_000
/** How many bytes of an answer docsearch reads before it closes the connection. It ignores them. */
const MAX_ANSWER_BYTES = 64 * 1024

export interface AttemptRequest {
  url: string
  headers: Record<string, string>
  body: string
  isAllowedAddress: IsAllowedAddress
  signal: AbortSignal
  timeoutMs?: number | undefined
}

export interface AttemptResult {
  status: number | null
  error: DeliveryError | null
  retryAfter: string | null
  /** For the log. */
  cause?: unknown
}

/** Sends a message once. Rejects only when the signal aborts. */
export async function attempt(request: AttemptRequest): Promise<AttemptResult> {
  const { url, headers, body, isAllowedAddress, signal, timeoutMs = TIMEOUT_MS } = request
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json', 'User-Agent': 'docsearch', ...headers }, body }
  const limits = { timeoutMs, signal, maxBytes: MAX_ANSWER_BYTES, isBodyNeeded: false, isAllowedAddress }
  try {
    const { status, retryAfter } = await exchange(new URL(url), init, limits)
    return { status, retryAfter, error: status >= 200 && status < 300 ? null : 'bad_status' }
  } catch (error) {
    signal.throwIfAborted()
    return { status: null, retryAfter: null, error: reasonOf(error), cause: error }
  }
}

/** Codes of Node and OpenSSL for certificates. */
const CERTIFICATE_CODE = /^(?:ERR_TLS_CERT|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH)/
const NAME_CODES = ['ENOTFOUND', 'EAI_AGAIN', 'ENODATA']

function reasonOf(error: unknown): DeliveryError {
  if (error instanceof AddressNotAllowedError) return 'address_not_allowed'
  const { name, code } = error as { name?: string; code?: unknown }
  if (name === 'AbortError' || name === 'TimeoutError') return 'timeout'
  if (typeof code !== 'string') return 'connection_failed'
  if (NAME_CODES.includes(code)) return 'name_not_found'
  return CERTIFICATE_CODE.test(code) ? 'certificate_invalid' : 'connection_failed'
}
