import type { OAuthErrorCode } from '../core/errors.ts'

const STATUS: Partial<Record<OAuthErrorCode, number>> = { invalid_client: 401, server_error: 500, temporarily_unavailable: 503 }

/**
 * What an application is told (RFC 6749 sections 4.1.2.1 and 5.2). The description goes out as it is: no secret, nothing that was sent, no quotes and no
 * backslash (they are not allowed in `error_description`).
 */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode
  readonly description: string
  /** Of the token endpoint and its kind. */
  readonly status: number
  /** The client tried HTTP Basic, so `WWW-Authenticate: Basic` is due. */
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
