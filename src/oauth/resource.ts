import { OAuthError } from './errors.ts'

/**
 * RFC 8707: the resource that tokens are for, which MCP clients always name. It is this instance or something below it. Null when none was sent;
 * throws `invalid_target`.
 */
export function requestedResource(sent: string | undefined, issuer: string): string | null {
  if (sent === undefined) return null
  const isOurs = sent === issuer || sent.startsWith(`${issuer}/`)
  if (isOurs && URL.canParse(sent) && !sent.includes('#')) return sent
  throw new OAuthError('invalid_target', `resource is not part of this instance, which is ${issuer}.`)
}

/** At the token endpoint it may be named again, but not another one than was agreed to (RFC 8707 section 2.2). */
export function checkResource(sent: string | undefined, agreed: string | null, issuer: string): void {
  const resource = requestedResource(sent, issuer)
  if (resource !== null && agreed !== null && resource !== agreed)
    throw new OAuthError('invalid_target', 'resource is not the one that the user agreed to.')
}
