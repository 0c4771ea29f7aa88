import { z } from 'zod'
import { DEFAULT_SCOPES, SCOPES } from '../core/model.ts'

/** Bodies of the OAuth endpoints. Requests come as JSON or as a form; fields that are not known are ignored (RFC 6749 section 3.2). */
const client = {
  client_id: z.string().optional().meta({ description: 'Required where it is not in an Authorization header (HTTP Basic)' }),
  client_secret: z
    .string()
    .optional()
    .meta({ description: 'Of a confidential client, where it is not in an Authorization header' }),
}
const scope = z.string().meta({ description: `Separated by spaces: ${SCOPES.join(', ')}` })
const resource = z.string().optional().meta({ description: 'RFC 8707: the address of this instance, or one below it' })

/** Parameters of the page that asks for consent, and of nothing else (RFC 6749 section 4.1.1, RFC 7636, RFC 8707). */
export const authorizeQuery = z.object({
  response_type: z.literal('code'),
  client_id: z.string(),
  redirect_uri: z.string().meta({ description: 'As it was registered, character by character; a loopback address on any port' }),
  state: z.string().optional().meta({ description: 'Comes back unchanged; an application should send one, and compare' }),
  scope: scope.optional().meta({
    description: `Separated by spaces, of those the application may ask for. Default: ${DEFAULT_SCOPES.join(' ')}`,
  }),
  code_challenge: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/)
    .optional()
    .meta({ description: 'PKCE: SHA-256 of the code_verifier, in base64url. Required of public clients' }),
  code_challenge_method: z.literal('S256').optional().meta({ description: 'Required with code_challenge' }),
  resource,
})

export const tokenRequest = z.object({
  grant_type: z.enum(['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code']),
  code: z.string().optional().meta({ description: 'authorization_code: what the redirect brought. Good once, for 10 minutes' }),
  redirect_uri: z.string().optional().meta({ description: 'authorization_code: the same as in the authorization request' }),
  code_verifier: z.string().optional().meta({ description: 'authorization_code: of PKCE, where the request had a challenge' }),
  refresh_token: z.string().optional().meta({ description: 'refresh_token: good once; the answer brings the next one' }),
  scope: scope.optional().meta({ description: 'refresh_token: fewer scopes than were agreed to' }),
  device_code: z.string().optional().meta({ description: 'device_code: what POST /api/oauth/device gave' }),
  resource,
  ...client,
})

export const tokenAnswer = z
  .object({
    access_token: z.string().meta({ description: '64 characters of hex' }),
    token_type: z.literal('Bearer'),
    expires_in: z.int().meta({ description: 'Seconds: 3600' }),
    refresh_token: z.string().optional().meta({ description: '64 characters of hex, good for 30 days' }),
    scope,
  })
  .meta({ id: 'TokenAnswer' })

export const ownTokenRequest = z.object({
  token: z.string().meta({ description: 'Access or refresh token of this client' }),
  token_type_hint: z.string().optional().meta({ description: 'Makes no difference here' }),
  ...client,
})

export const introspection = z
  .object({
    active: z.boolean(),
    scope: scope.optional(),
    client_id: z.string().optional(),
    token_type: z.literal('Bearer').optional().meta({ description: 'Access tokens only' }),
    sub: z.string().optional().meta({ description: 'Id of the user' }),
    iss: z.string().optional(),
    aud: z.string().optional(),
    iat: z.int().optional(),
    exp: z.int().optional(),
  })
  .meta({ id: 'Introspection' })

export const deviceRequest = z.object({ scope: scope.optional(), resource, ...client })

export const deviceAnswer = z
  .object({
    device_code: z.string(),
    user_code: z.string().meta({ description: 'For the user to enter: two groups of four letters' }),
    verification_uri: z.string(),
    verification_uri_complete: z.string(),
    expires_in: z.int().meta({ description: 'Seconds' }),
    interval: z.int().meta({ description: 'Seconds to wait between two token requests' }),
  })
  .meta({ id: 'DeviceAnswer' })

/** RFC 6749 section 5.2. */
export const oauthError = z.object({ error: z.string(), error_description: z.string().optional() }).meta({ id: 'OAuthError' })

export const serverMetadata = z
  .looseObject({ issuer: z.string(), authorization_endpoint: z.string(), token_endpoint: z.string() })
  .meta({ id: 'AuthorizationServerMetadata' })

export const resourceMetadata = z
  .looseObject({ resource: z.string(), authorization_servers: z.array(z.string()) })
  .meta({ id: 'ProtectedResourceMetadata' })
