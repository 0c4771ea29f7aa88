/** What a login through OAuth left: kept as one secret, all of it or nothing. */
export interface OAuthLogin {
  accessToken: string
  /** RFC 3339, by the clock of this machine. */
  expiresAt: string
  /** Null where the instance gave none: then the login ends with its access token. */
  refreshToken: string | null
  clientId: string
  /** For a client that was registered with one; the refresh needs it again. */
  clientSecret: string | null
  /** What the instance granted, parted by blanks. */
  scope: string
}

/** Renewed when less than this is left, so that a request under way does not outlive its token. */
const MARGIN_MS = 60_000

export function expiresSoon(login: OAuthLogin): boolean {
  return Date.parse(login.expiresAt) - Date.now() < MARGIN_MS
}

/** Undefined for anything that `JSON.stringify` of a login would not give. */
export function parseLogin(text: string): OAuthLogin | undefined {
  let value: Partial<Record<keyof OAuthLogin, unknown>> | null
  try {
    value = JSON.parse(text) as typeof value
  } catch {
    return undefined // The caller says which credential it is; the parser's message would quote it.
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
