import { z } from 'zod'
import { DEFAULT_SCOPES, SCOPES } from '../core/model.ts'

/** Fields of every OAuth request, as JSON or as a form. Unknown fields are ignored (RFC 6749 section 3.2). */
const client = {
  client_id: z.string().optional().meta({ description: 'Required unless it is in the Authorization header (HTTP Basic)' }),
  client_secret: z
    .string()
    .optional()
    .meta({ description: 'Secret of a confidential application, unless it is in the Authorization header' }),
}
const scope = z.string().meta({ description: `One or more of ${SCOPES.join(', ')}, separated by spaces` })
const resource = z
  .string()
  .optional()
  .meta({ description: 'RFC 8707: the address of this instance, or an address below it. The token works only there and below' })

/** Query parameters of the authorization endpoint (RFC 6749 section 4.1.1, RFC 7636, RFC 8707). */
export const authorizeQuery = z.object({
  response_type: z.literal('code'),
  client_id: z.string(),
  redirect_uri: z.string().meta({
    description:
      'A registered address, character by character. A loopback address that was registered without a port matches any port',
  }),
  state: z
    .string()
    .optional()
    .meta({ description: 'Returned unchanged. An application should send a random value and compare it' }),
  scope: scope.optional().meta({
    description: `Scopes that the application may request, separated by spaces. Default: ${DEFAULT_SCOPES.join(' ')}`,
  }),
  code_challenge: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/)
    .optional()
    .meta({ description: 'PKCE: SHA-256 of the code_verifier, in base64url. Required for public applications' }),
  code_challenge_method: z.literal('S256').optional().meta({ description: 'Required with code_challenge' }),
  resource,
})

export const tokenRequest = z.object({
  grant_type: z.enum(['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code']),
  code: z.string().optional().meta({ description: 'authorization_code: the code from the redirect. Works once, for 10 minutes' }),
  redirect_uri: z
    .string()
    .optional()
    .meta({ description: 'authorization_code: the same address as in the authorization request' }),
  code_verifier: z
    .string()
    .optional()
    .meta({ description: 'authorization_code: required if the authorization request had a code_challenge' }),
  refresh_token: z.string().optional().meta({ description: 'refresh_token: works once. The answer has the next one' }),
  scope: scope.optional().meta({ description: 'refresh_token: requests fewer scopes than the user allowed' }),
  device_code: z.string().optional().meta({ description: 'device_code: the code from POST /api/oauth/device' }),
  resource,
  ...client,
})

export const tokenAnswer = z
  .object({
    access_token: z.string().meta({ description: '64 hexadecimal digits' }),
    token_type: z.literal('Bearer'),
    expires_in: z.int().meta({ description: '3600 seconds' }),
    refresh_token: z.string().optional().meta({ description: '64 hexadecimal digits, valid for 30 days' }),
    scope,
  })
  .meta({ id: 'TokenAnswer' })

export const ownTokenRequest = z.object({
  token: z.string().meta({ description: 'Access or refresh token of this application' }),
  token_type_hint: z.string().optional().meta({ description: 'Has no effect' }),
  ...client,
})

export const introspection = z
  .object({
    active: z.boolean(),
    scope: scope.optional(),
    client_id: z.string().optional(),
    token_type: z.literal('Bearer').optional().meta({ description: 'Only for access tokens' }),
    sub: z.string().optional().meta({ description: 'ID of the user' }),
    iss: z.string().optional(),
    aud: z.string().optional(),
    iat: z.int().optional(),
    exp: z.int().optional(),
    projects: z
      .array(z.string())
      .optional()
      .meta({ description: 'IDs of the projects to which the token is limited. Missing without a limit' }),
  })
  .meta({ id: 'Introspection' })

/** RFC 7591 section 2. Other fields are ignored. */
export const registrationRequest = z.object({
  redirect_uris: z
    .array(z.string().max(2000))
    .max(20)
    .optional()
    .meta({ description: 'Addresses to which the browser returns. Required for authorization codes' }),
  client_name: z
    .string()
    .max(1000)
    .optional()
    .meta({ description: 'The name that users see. Default: the host of the first address' }),
  grant_types: z
    .array(z.string().max(200))
    .max(20)
    .optional()
    .meta({ description: 'The grants that the application uses. Default: `authorization_code`. Refresh tokens belong to each' }),
  response_types: z.array(z.string().max(200)).max(20).optional().meta({ description: '`code`' }),
  scope: z
    .string()
    .max(2000)
    .optional()
    .meta({ description: `Default, and the most that it may ask for: ${DEFAULT_SCOPES.join(' ')}. Other scopes are ignored` }),
  token_endpoint_auth_method: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'Has no effect: the application gets no secret, so the answer says `none`' }),
})

export const registrationAnswer = z
  .object({
    client_id: z.string(),
    client_id_issued_at: z.int().meta({ description: 'Seconds since 1970' }),
    client_name: z.string(),
    redirect_uris: z.array(z.string()),
    grant_types: z.array(z.string()),
    response_types: z.array(z.string()),
    token_endpoint_auth_method: z.literal('none'),
    scope,
  })
  .meta({ id: 'RegistrationAnswer' })

export const deviceRequest = z.object({ scope: scope.optional(), resource, ...client })

export const deviceAnswer = z
  .object({
    device_code: z.string().meta({ description: 'The code for token requests' }),
    user_code: z.string().meta({ description: 'The code that the user enters: two groups of four letters' }),
    verification_uri: z.string().meta({ description: 'The page where the user enters the code' }),
    verification_uri_complete: z.string().meta({ description: 'The same page with the code filled in' }),
    expires_in: z.int().meta({ description: 'Seconds until the codes expire' }),
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
