import { DEFAULT_SCOPES, SCOPES, type ApplicationRecord, type Scope } from '../core/model.ts'
import { OAuthError } from './errors.ts'

/**
 * Returns the scopes that a request asks for (RFC 6749 section 3.3), by default DEFAULT_SCOPES. Throws `invalid_scope` for a scope that does not exist
 * or that the application may not have: granting fewer scopes without an error would only fail later.
 */
export function requestedScopes(sent: string | undefined, application: Pick<ApplicationRecord, 'scopes'>): Scope[] {
  if (sent !== undefined) return scopesWithin(sent, application.scopes)
  const scopes = DEFAULT_SCOPES.filter((scope) => application.scopes.includes(scope))
  if (scopes.length === 0)
    throw new OAuthError('invalid_scope', `scope is missing. This application may ask for: ${application.scopes.join(' ')}.`)
  return scopes
}

/** Returns the scopes in a text. Throws `invalid_scope` for a scope that does not exist or is not allowed. */
export function scopesWithin(sent: string, allowed: readonly Scope[]): Scope[] {
  const names = new Set(sent.split(' ').filter((name) => name !== ''))
  const scopes = SCOPES.filter((scope) => names.has(scope))
  if (scopes.length === 0 || scopes.length < names.size)
    throw new OAuthError('invalid_scope', `scope has a value that does not exist. Valid values: ${SCOPES.join(' ')}.`)
  if (!scopes.every((scope) => allowed.includes(scope)))
    throw new OAuthError('invalid_scope', `scope asks for more than is allowed. Allowed: ${allowed.join(' ')}.`)
  return scopes
}
