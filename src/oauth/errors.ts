import type { OAuthErrorCode } from '../core/errors.ts'

const STATUS: Partial<Record<OAuthErrorCode, number>> = { invalid_client: 401, server_error: 500, temporarily_unavailable: 503 }

/**
 * An error that goes to an application (RFC 6749 sections 4.1.2.1 and 5.2). The description is sent as it is. It must not contain a secret, anything
 * from the request, a quote or a backslash (`error_description` does not allow the last two).
 */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode
  readonly description: string
  /** The HTTP status at the token endpoint and similar ones. */
  readonly status: number
  /** The application tried HTTP Basic, so the answer needs `WWW-Authenticate: Basic`. */
  readonly isBasicRefused: boolean

  constructor(code: OAuthErrorCode, description: string, options: { status?: number; isBasicRefused?: boolean } = {}) {
    super(description)
    this.name = 'OAuthError'
    this.code = code
    this.description = description
    this.status = options.status ?? STATUS[code] ?? 400
    this.isBasicRefused = options.isBasicRefused ?? false
  }
}
