import { isDocsearchError } from '../core/errors.ts'
import { DEFAULT_SCOPES, type Scope } from '../core/model.ts'
import { checkedName, checkedUris } from './application-registry.ts'
import type { AllowedCallbacks } from '../core/oauth-policy.ts'
import type { OAuthContext } from './context.ts'
import { OAuthError } from './errors.ts'
import type { RegisteredApplication, Registration } from './oauth.ts'

/** How many applications may wait for a first user. Each address may register a few of them an hour, and they expire after a day. */
const MAX_UNUSED = 1_000
const WITH_REDIRECT = 'authorization_code'
const GRANTS = [WITH_REDIRECT, 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code']

/** Dynamic registration (RFC 7591 section 3). Applications of this kind are public, and may ask for the default scopes at most. */
export async function register(context: OAuthContext, registration: Registration): Promise<RegisteredApplication> {
  const { records, log, clock, policy } = context
  const { name, redirectUris, scopes, grantTypes } = checkRegistration(registration, policy.callbacks)
  const { id } = await records.registrations.create({ name, redirectUris, scopes, grantTypes }, MAX_UNUSED)
  log.info({ client_id: id }, 'an application registered itself')
  return {
    client_id: id,
    client_id_issued_at: Math.floor(clock.now().getTime() / 1000),
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: grantTypes,
    response_types: grantTypes.includes(WITH_REDIRECT) ? ['code'] : [],
    token_endpoint_auth_method: 'none',
    scope: scopes.join(' '),
  }
}

/** Checks what an application says of itself. Throws OAuthError `invalid_redirect_uri` or `invalid_client_metadata`. */
export function checkRegistration(
  registration: Registration,
  callbacks: AllowedCallbacks,
): { name: string; redirectUris: string[]; scopes: Scope[]; grantTypes: string[] } {
  const grantTypes = grantsOf(registration)
  const redirectUris = redirectsOf(registration, grantTypes, callbacks)
  return { name: nameOf(registration, redirectUris), redirectUris, scopes: scopesOf(registration.scope), grantTypes }
}

/** Returns the grants that the application asks for and docsearch has. RFC 7591 section 2: without a value, only authorization codes. */
function grantsOf({ grant_types: sent = [WITH_REDIRECT], response_types: responses = ['code'] }: Registration): string[] {
  const grants = GRANTS.filter((grant) => sent.includes(grant))
  if (grants.every((grant) => grant === 'refresh_token'))
    throw invalid(`grant_types must contain ${WITH_REDIRECT} or ${GRANTS[2]}.`)
  if (grants.includes(WITH_REDIRECT) && !responses.includes('code')) throw invalid('response_types must contain code.')
  return grants
}

function redirectsOf(
  { redirect_uris: sent = [] }: Registration,
  grantTypes: readonly string[],
  callbacks: AllowedCallbacks,
): string[] {
  if (sent.length === 0 && grantTypes.includes(WITH_REDIRECT))
    throw new OAuthError('invalid_redirect_uri', 'redirect_uris is missing.')
  try {
    return checkedUris(sent, callbacks)
  } catch (error) {
    if (isDocsearchError(error, 'too_many_redirect_uris')) throw new OAuthError('invalid_redirect_uri', error.message)
    if (!isDocsearchError(error, 'invalid_redirect_uri')) throw error
    const schemes = 'https, http on loopback, a scheme such as com.example.app:/callback, or one that the operator allows'
    throw new OAuthError(
      'invalid_redirect_uri',
      `A redirect address is refused. It must be absolute, without a fragment or user name, and have ${schemes}.`,
    )
  }
}

/** Scopes of other servers, such as `openid`, are left out: the answer says what was registered. */
function scopesOf(sent: string | undefined): Scope[] {
  if (sent === undefined || sent.trim() === '') return [...DEFAULT_SCOPES]
  const names = new Set(sent.split(' '))
  const scopes = DEFAULT_SCOPES.filter((scope) => names.has(scope))
  if (scopes.length > 0) return scopes
  throw invalid(`scope must contain one or more of: ${DEFAULT_SCOPES.join(' ')}.`)
}

/** Returns the name, or else the host to which the browser returns. */
function nameOf({ client_name: name = '' }: Registration, [first]: readonly string[]): string {
  if (name.trim() === '') return (first !== undefined && URL.parse(first)?.hostname) || 'Application without a name'
  try {
    return checkedName(name)
  } catch (error) {
    if (!isDocsearchError(error, 'invalid_name')) throw error
    throw invalid('client_name must have at most 200 characters and no control characters.')
  }
}

function invalid(description: string): OAuthError {
  return new OAuthError('invalid_client_metadata', description)
}
