import { DEFAULT_SCOPES, SCOPES, type OAuthClientRecord, type Scope } from '../core/model.ts'
import { OAuthError } from './errors.ts'

/**
 * What a request asks for (RFC 6749 section 3.3), in our order: the default where it does not say. Throws `invalid_scope` for one that does not exist, and for one
 * the client may not have: giving out less in silence would only fail later.
 */
export function requestedScopes(sent: string | undefined, client: Pick<OAuthClientRecord, 'scopes'>): Scope[] {
  if (sent !== undefined) return scopesWithin(sent, client.scopes)
  const scopes = DEFAULT_SCOPES.filter((scope) => client.scopes.includes(scope))
  if (scopes.length === 0)
    throw new OAuthError('invalid_scope', `scope is missing. This client may ask for: ${client.scopes.join(' ')}.`)
  return scopes
}

/** Throws `invalid_scope` where more is asked for than there may be. */
export function scopesWithin(sent: string, most: readonly Scope[]): Scope[] {
  const names = new Set(sent.split(' ').filter((name) => name !== ''))
  const scopes = SCOPES.filter((scope) => names.has(scope))
  if (scopes.length === 0 || scopes.length < names.size)
    throw new OAuthError('invalid_scope', `scope names one that does not exist. There are: ${SCOPES.join(' ')}.`)
  if (!scopes.every((scope) => most.includes(scope)))
    throw new OAuthError('invalid_scope', `scope asks for more than is allowed here, which is: ${most.join(' ')}.`)
  return scopes
}
