import { DEFAULT_SCOPES, SCOPES, type ApplicationRecord, type Scope } from '../core/model.ts'
import { OAuthError } from './errors.ts'

/**
 * Returns the scopes to ask the user for: those that the request names, or else DEFAULT_SCOPES. Leaves out scopes that the
 * application is not registered for, because a generic application asks for every scope in the metadata. The token answer names
 * the granted scopes (RFC 6749 section 3.3). Throws `invalid_scope` if a scope does not exist, or if no scope is left.
 */
export function requestedScopes(sent: string | undefined, application: Pick<ApplicationRecord, 'scopes'>): Scope[] {
  const wanted = sent === undefined ? DEFAULT_SCOPES : parseScopes(sent)
  const scopes = registeredOf(wanted, application)
  if (scopes.length === 0)
    throw new OAuthError(
      'invalid_scope',
      `The application is registered for none of these scopes. It may ask for: ${application.scopes.join(' ')}.`,
    )
  return scopes
}

/**
 * Returns the allowed scopes for which the application is still registered, because its owner may have removed some since the
 * user allowed them. Throws `invalid_scope` if no scope is left.
 */
export function stillRegistered(allowed: readonly Scope[], application: Pick<ApplicationRecord, 'scopes'>): Scope[] {
  const scopes = registeredOf(allowed, application)
  if (scopes.length === 0)
    throw new OAuthError('invalid_scope', 'The application is no longer registered for any scope that the user allowed.')
  return scopes
}

/** Like stillRegistered, but may return no scopes. */
export function registeredOf(allowed: readonly Scope[], application: Pick<ApplicationRecord, 'scopes'>): Scope[] {
  return allowed.filter((scope) => application.scopes.includes(scope))
}

/**
 * Returns the scopes that a refresh request names. Throws `invalid_scope` for a scope that does not exist or that the user did not allow (RFC 6749
 * section 6).
 */
export function scopesWithin(sent: string, allowed: readonly Scope[]): Scope[] {
  const scopes = parseScopes(sent)
  if (!scopes.every((scope) => allowed.includes(scope)))
    throw new OAuthError('invalid_scope', `scope asks for more than the user has allowed. Allowed: ${allowed.join(' ')}.`)
  return scopes
}

/**
 * Returns the scopes in a text, in a fixed order and without duplicates. Throws `invalid_scope` for a scope that does not exist.
 */
function parseScopes(sent: string): Scope[] {
  const names = new Set(sent.split(' ').filter((name) => name !== ''))
  const scopes = SCOPES.filter((scope) => names.has(scope))
  if (scopes.length === 0 || scopes.length < names.size)
    throw new OAuthError('invalid_scope', `scope has a value that does not exist. Valid values: ${SCOPES.join(' ')}.`)
  return scopes
}

/**
 * Returns the resource that the tokens are for (RFC 8707), or null if none was sent. MCP clients always send one. It must be this instance or an
 * address below it; otherwise throws `invalid_target`.
 */
export function requestedResource(sent: string | undefined, issuer: string): string | null {
  if (sent === undefined) return null
  const isHere = sent === issuer || sent.startsWith(`${issuer}/`)
  if (isHere && URL.canParse(sent) && !/[?#]/.test(sent)) return sent
  throw new OAuthError('invalid_target', `resource must be ${issuer} or an address below it, without a query.`)
}

/**
 * Returns the resource of the first tokens of a consent. A token request may name one if the consent has none; otherwise it can only
 * repeat it (RFC 8707 section 2.2). Throws `invalid_target`.
 */
export function tokenResource(sent: string | undefined, agreed: string | null, issuer: string): string | null {
  const resource = requestedResource(sent, issuer)
  if (resource !== null && agreed !== null && resource !== agreed)
    throw new OAuthError('invalid_target', 'resource differs from the one that the user agreed to.')
  return agreed ?? resource
}
