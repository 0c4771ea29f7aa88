import type { ApplicationRecord } from '../core/model.ts'
import { hashSecret } from '../core/secrets.ts'
import { isSelfRegistered } from './application-registry.ts'
import { isDocumentAddress } from './client-documents.ts'
import { after, type OAuthContext, required, requireGrant, type Grant } from './context.ts'
import { OAuthError } from './errors.ts'
import type { Authorize, AuthorizeOutcome, AuthorizeRequest } from './oauth.ts'
import { requestedChallenge, checkVerifier } from './pkce.ts'
import { isRegistered } from './redirect-uri.ts'
import { requestedResource, requestedScopes, stillRegistered, tokenResource } from './scopes.ts'
import { LIFETIMES, newSecret, newTokens } from './tokens.ts'

type Parameters = Readonly<Record<string, string | undefined>>
interface Target {
  application: ApplicationRecord
  redirectUri: string
}
type Return = Pick<AuthorizeRequest, 'redirectUri' | 'state'>

/** The authorization endpoint (RFC 6749 section 4.1.1), without its pages. */
export function createAuthorize(context: OAuthContext): Authorize {
  const { records, clock, log, issuer } = context
  const refusal = (to: Return, { code, description }: OAuthError) =>
    addressOf(to, { error: code, error_description: description }, issuer())

  return {
    async begin(query, { userId }) {
      const parameters = sentOnce(query)
      if (parameters instanceof OAuthError) return page(parameters)
      if (context.documents !== null && userId === null && isDocumentAddress(parameters['client_id'] ?? ''))
        return { kind: 'log_in' }
      let target: Target
      try {
        target = await findTarget(context, parameters)
      } catch (error) {
        if (error instanceof OAuthError) return page(error)
        throw error
      }
      const { application, redirectUri } = target
      const state = parameters['state'] ?? null
      try {
        return { kind: 'ask', request: { application, redirectUri, state, ...checkRequest(parameters, application, issuer()) } }
      } catch (error) {
        if (!(error instanceof OAuthError)) throw error
        const location = refusal({ redirectUri, state }, error)
        return (await isTrusted(application, userId, records)) ? { kind: 'redirect', location } : page(error, location)
      }
    },
    async approve(request, user, projectIds = null) {
      const code = newSecret()
      const { application } = request
      try {
        // What other endpoints read. Until a user agrees, nothing is stored.
        if (isDocumentAddress(application.id)) await records.registrations.put(application)
        await records.codes.create({
          sha256: hashSecret(code),
          clientId: application.id,
          userId: user.id,
          redirectUri: request.redirectUri,
          scopes: request.scopes,
          projectIds,
          codeChallenge: request.codeChallenge,
          resource: request.resource,
          expiresAt: after(clock, LIFETIMES.code),
        })
      } catch (error) {
        // The application still waits for an answer (RFC 6749 section 4.1.2.1).
        log.error({ err: error, client_id: application.id }, 'could not store an authorization code')
        return { location: refusal(request, new OAuthError('server_error', 'Internal error. See the server log.')) }
      }
      return { location: addressOf(request, { code }, issuer()) }
    },
    deny: (request) => ({ location: refusal(request, new OAuthError('access_denied', 'The user declined.')) }),
  }
}

/** Returns the parameters. An empty one counts as not sent; one that was sent twice is an error (RFC 6749 section 3.1). */
function sentOnce(query: Readonly<Record<string, string | string[] | undefined>>): Parameters | OAuthError {
  const parameters: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) return new OAuthError('invalid_request', 'The request has a parameter more than once.')
    if (value !== undefined && value !== '') parameters[name] = value
  }
  return parameters
}

/** Throws the OAuthError that the user sees: until both are known to be right, nothing may redirect (RFC 9700 section 4.11.2). */
async function findTarget(
  { applications, documents }: Pick<OAuthContext, 'applications' | 'documents'>,
  parameters: Parameters,
): Promise<Target> {
  const { client_id: id, redirect_uri: redirectUri } = parameters
  if (id === undefined) throw new OAuthError('invalid_request', 'client_id is missing.')
  const application = await (documents !== null && isDocumentAddress(id) ? documents : applications).get(id)
  if (application === null) throw new OAuthError('invalid_client', 'No application with this client_id is registered here.')
  if (redirectUri === undefined) throw new OAuthError('invalid_request', 'redirect_uri is missing.')
  if (!isRegistered(application.redirectUris, redirectUri))
    throw new OAuthError('invalid_redirect_uri', 'redirect_uri is not one that this application has registered.')
  return { application, redirectUri }
}

/** Checks the other parameters. Throws the OAuthError that the application gets. */
function checkRequest(parameters: Parameters, application: ApplicationRecord, issuer: string) {
  requireGrant(application, 'authorization_code')
  checkResponseType(parameters['response_type'])
  checkResponseMode(parameters['response_mode'])
  return {
    scopes: requestedScopes(parameters['scope'], application),
    codeChallenge: requestedChallenge(
      { challenge: parameters['code_challenge'], method: parameters['code_challenge_method'] },
      application,
    ),
    resource: requestedResource(parameters['resource'], issuer),
  }
}

function checkResponseType(type: string | undefined): void {
  if (type === undefined) throw new OAuthError('invalid_request', 'response_type is missing. It must be code.')
  if (type !== 'code') throw new OAuthError('unsupported_response_type', 'response_type must be code.')
}

function checkResponseMode(mode: string | undefined): void {
  if (mode !== undefined && mode !== 'query') throw new OAuthError('invalid_request', 'response_mode must be query.')
}

function page({ code, description }: OAuthError, location: string | null = null): AuthorizeOutcome {
  return { kind: 'page', error: code, description, location }
}

/**
 * Returns whether an error redirects to the application by itself. Otherwise, anybody could register an application whose faulty
 * requests lead from the address of this instance to any site (RFC 9700 section 4.11.2). The addresses of an application with a
 * document are unknown until the user has logged in, so the policy of the login view can't allow such a redirect after the login.
 */
async function isTrusted(
  application: ApplicationRecord,
  userId: string | null,
  { grants }: Pick<OAuthContext['records'], 'grants'>,
): Promise<boolean> {
  if (!isSelfRegistered(application)) return true
  if (userId === null || isDocumentAddress(application.id)) return false
  return (await grants.list(userId)).some(({ clientId }) => clientId === application.id)
}

/** Returns the redirect address with the answer added to its query. `iss` names this instance (RFC 9207). */
function addressOf({ redirectUri, state }: Return, answer: Record<string, string>, issuer: string): string {
  const pairs = Object.entries({ ...answer, ...(state !== null && { state }), iss: issuer })
  const query = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`
}

/**
 * The authorization code grant (RFC 6749 section 4.1.3). It checks application, redirect address and verifier before one statement claims the code,
 * so that an attempt by another application does not use the code up.
 */
export const authorizationCode: Grant = async (context, application, fields) => {
  const { records, clock, issuer } = context
  const sha256 = hashSecret(required(fields, 'code'))
  const redirectUri = required(fields, 'redirect_uri')
  const code = await records.codes.find(sha256)
  if (code === null || code.clientId !== application.id) throw refused()
  if (code.redirectUri !== redirectUri)
    throw new OAuthError('invalid_grant', 'redirect_uri differs from the one in the authorization request.')
  checkVerifier(fields['code_verifier'], code.codeChallenge)
  const resource = tokenResource(fields['resource'], code.resource, issuer())
  const { tokens, answer } = newTokens(clock, stillRegistered(code.scopes, application))
  if ((await records.codes.redeem(sha256, { ...tokens, resource })) !== null) return answer
  await revokeGrantOfCode(context, sha256)
  throw refused()
}

/** RFC 6749 section 4.1.2: if a code is used twice, someone else has seen it and may have the first tokens. */
async function revokeGrantOfCode({ records, log }: OAuthContext, sha256: string): Promise<void> {
  const code = await records.codes.find(sha256)
  if (code === null || code.grantId === null) return
  await records.grants.revoke(code.grantId)
  log.warn(
    { client_id: code.clientId, grant_id: code.grantId },
    'an authorization code was used twice, so its tokens were revoked',
  )
}

function refused(): OAuthError {
  return new OAuthError('invalid_grant', 'The code is unknown, expired, already used, or belongs to another application.')
}
