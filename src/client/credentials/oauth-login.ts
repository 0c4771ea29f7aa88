/** The result of an OAuth login, stored as one secret. */
export interface OAuthLogin {
  accessToken: string
  /** RFC 3339, by the clock of this machine. */
  expiresAt: string
  /** Null when the instance gave none. The login then ends with its access token. */
  refreshToken: string | null
  clientId: string
  /** For an application with a secret, which a refresh needs again. */
  clientSecret: string | null
  /** Granted scopes, separated by spaces. */
  scope: string
}

/** A token is renewed this long before it expires, so that it stays valid during a request. */
const MARGIN_MS = 60_000

export function expiresSoon(login: OAuthLogin): boolean {
  return Date.parse(login.expiresAt) - Date.now() < MARGIN_MS
}

/** Parses a login that `JSON.stringify` has written; undefined for anything else. */
export function parseLogin(text: string): OAuthLogin | undefined {
  let value: Partial<Record<keyof OAuthLogin, unknown>> | null
  try {
    value = JSON.parse(text) as typeof value
  } catch {
    return undefined // The caller names the credential. The parser's message would quote it.
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { accessToken, expiresAt, refreshToken, clientId, clientSecret, scope } = value
  if (typeof accessToken !== 'string' || typeof clientId !== 'string' || typeof scope !== 'string') return undefined
  if (typeof expiresAt !== 'string' || Number.isNaN(Date.parse(expiresAt))) return undefined
  return {
    accessToken,
    expiresAt,
    refreshToken: textOrNull(refreshToken),
    clientId,
    clientSecret: textOrNull(clientSecret),
    scope,
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
