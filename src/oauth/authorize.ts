import type { OAuthClientRecord } from '../core/model.ts'
import { hashSecret } from '../core/secrets.ts'
import { after, type OAuthContext } from './context.ts'
import { OAuthError } from './errors.ts'
import type { Authorize, AuthorizeRequest } from './oauth.ts'
import { requestedChallenge } from './pkce.ts'
import { isRegistered } from './redirect-uri.ts'
import { requestedResource } from './resource.ts'
import { requestedScopes } from './scopes.ts'
import { LIFETIMES, newSecret } from './tokens.ts'

type Parameters = Readonly<Record<string, string | undefined>>
type Return = Pick<AuthorizeRequest, 'redirectUri' | 'state'>

/** The authorization endpoint (RFC 6749 section 4.1.1) without its pages. */
export function createAuthorize(context: OAuthContext): Authorize {
  const { records, clock, log, issuer } = context
  const refusal = (to: Return, { code, description }: OAuthError) =>
    addressOf(to, { error: code, error_description: description }, issuer())

  return {
    async begin(query) {
      const parameters = sentOnce(query)
      if (parameters instanceof OAuthError) return page(parameters)
      const target = await findTarget(context, parameters)
      if (target instanceof OAuthError) return page(target)
      const { client, redirectUri } = target
      const state = parameters['state'] ?? null
      try {
        return { kind: 'ask', request: { client, redirectUri, state, ...checkRequest(parameters, client, issuer()) } }
      } catch (error) {
        if (!(error instanceof OAuthError)) throw error
        return { kind: 'redirect', location: refusal({ redirectUri, state }, error) }
      }
    },
    async approve(request, user) {
      const code = newSecret()
      try {
        await records.codes.create({
          sha256: hashSecret(code),
          clientId: request.client.id,
          userId: user.id,
          redirectUri: request.redirectUri,
          scopes: request.scopes,
          codeChallenge: request.codeChallenge,
          resource: request.resource,
          expiresAt: after(clock, LIFETIMES.code),
        })
      } catch (error) {
        // The application waits for an answer, also when it is this one (RFC 6749 section 4.1.2.1).
        log.error({ err: error, client_id: request.client.id }, 'an authorization code could not be stored')
        return { location: refusal(request, new OAuthError('server_error', 'The instance failed. Its log has the reason.')) }
      }
      return { location: addressOf(request, { code }, issuer()) }
    },
    deny: (request) => ({ location: refusal(request, new OAuthError('access_denied', 'The user declined.')) }),
  }
}

/** A parameter without a value counts as not sent; one sent twice is refused (RFC 6749 section 3.1). */
function sentOnce(query: Readonly<Record<string, string | string[] | undefined>>): Parameters | OAuthError {
  const parameters: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) return new OAuthError('invalid_request', 'The request has a parameter more than once.')
    if (value !== undefined && value !== '') parameters[name] = value
  }
  return parameters
}

/** Where an answer may go at all. Until that is sure nobody is redirected anywhere (RFC 9700 section 4.11.2). */
async function findTarget(
  { clients }: Pick<OAuthContext, 'clients'>,
  parameters: Parameters,
): Promise<{ client: OAuthClientRecord; redirectUri: string } | OAuthError> {
  const { client_id: id, redirect_uri: redirectUri } = parameters
  if (id === undefined) return new OAuthError('invalid_request', 'client_id is missing.')
  const client = await clients.get(id)
  if (client === null) return new OAuthError('invalid_client', 'No application with this client_id is registered here.')
  if (redirectUri === undefined) return new OAuthError('invalid_request', 'redirect_uri is missing.')
  if (!isRegistered(client.redirectUris, redirectUri))
    return new OAuthError('invalid_redirect_uri', 'redirect_uri is not one that this application has registered.')
  return { client, redirectUri }
}

/** Everything else, one check after the other; each throws what the application is told. */
function checkRequest(parameters: Parameters, client: OAuthClientRecord, issuer: string) {
  checkResponseType(parameters['response_type'])
  checkResponseMode(parameters['response_mode'])
  return {
    scopes: requestedScopes(parameters['scope'], client),
    codeChallenge: requestedChallenge(
      { challenge: parameters['code_challenge'], method: parameters['code_challenge_method'] },
      client,
    ),
    resource: requestedResource(parameters['resource'], issuer),
  }
}

function checkResponseType(type: string | undefined): void {
  if (type === undefined) throw new OAuthError('invalid_request', 'response_type is missing; it has to be code.')
  if (type !== 'code') throw new OAuthError('unsupported_response_type', 'response_type has to be code.')
}

function checkResponseMode(mode: string | undefined): void {
  if (mode !== undefined && mode !== 'query') throw new OAuthError('invalid_request', 'response_mode has to be query.')
}

function page({ code, description }: OAuthError): { kind: 'page'; error: OAuthError['code']; description: string } {
  return { kind: 'page', error: code, description }
}

/** The redirect address with the answer; a query of its own stays as it is. `iss` says who answers (RFC 9207). */
function addressOf({ redirectUri, state }: Return, answer: Record<string, string>, issuer: string): string {
  const pairs = Object.entries({ ...answer, ...(state !== null && { state }), iss: issuer })
  const query = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`
}
