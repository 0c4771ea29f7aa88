import { OAuthError } from './errors.ts'

/**
 * Returns the resource that the tokens are for (RFC 8707), or null if none was sent. MCP clients always send one. It must be this instance or an
 * address below it; otherwise throws `invalid_target`.
 */
export function requestedResource(sent: string | undefined, issuer: string): string | null {
  if (sent === undefined) return null
  const isHere = sent === issuer || sent.startsWith(`${issuer}/`)
  if (isHere && URL.canParse(sent) && !sent.includes('#')) return sent
  throw new OAuthError('invalid_target', `resource must be ${issuer} or an address below it.`)
}

/** Checks the resource of a token request: it must be the one that the user agreed to (RFC 8707 section 2.2). */
export function checkResource(sent: string | undefined, agreed: string | null, issuer: string): void {
  const resource = requestedResource(sent, issuer)
  if (resource !== null && agreed !== null && resource !== agreed)
    throw new OAuthError('invalid_target', 'resource differs from the one that the user agreed to.')
}
