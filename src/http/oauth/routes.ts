import { z } from 'zod'
import {
  authorizeQuery,
  deviceAnswer,
  deviceRequest,
  introspection,
  oauthError,
  ownTokenRequest,
  registrationAnswer,
  registrationRequest,
  resourceMetadata,
  serverMetadata,
  tokenAnswer,
  tokenRequest,
} from '../../contract/oauth.ts'
import type { Answer, Operation } from '../../contract/operation.ts'
import type { ApplicationRequest, OAuth } from '../../oauth/oauth.ts'
import { paths } from '../../pages/paths.ts'
import type { Dependencies } from '../dependencies.ts'
import { type Route, routesWith } from '../routing/route.ts'
import { clientRequest, registrationBody } from './client-request.ts'

const tag = 'OAuth 2.0'
const metadataRoute = routesWith({ method: 'GET', tag, access: 'public', cost: 'anonymous' })
const route = routesWith({ method: 'POST', tag, access: 'public', errors: 'oauth' })

/** The documents in which applications find the endpoints and the resources. */
const metadataRoutes = (oauth: Pick<OAuth, 'serverMetadata' | 'resourceMetadata'>): Route[] => [
  server(oauth, {
    operationId: 'getServerMetadata',
    path: '/.well-known/oauth-authorization-server',
    summary: 'List the endpoints and what they support (RFC 8414)',
  }),
  server(oauth, {
    operationId: 'getOpenIdConfiguration',
    path: '/.well-known/openid-configuration',
    summary: 'The same as `/.well-known/oauth-authorization-server`',
    description: 'Some libraries look for the metadata only here. docsearch issues no ID tokens.',
  }),
  resource(oauth, '', {
    operationId: 'getResourceMetadata',
    path: '/.well-known/oauth-protected-resource',
    summary: 'Show which access tokens the API accepts (RFC 9728)',
  }),
  resource(oauth, '/mcp', {
    operationId: 'getMcpResourceMetadata',
    path: '/.well-known/oauth-protected-resource/mcp',
    summary: 'Show which access tokens `/mcp` accepts (RFC 9728)',
  }),
]

type Row = Pick<Route, 'operationId' | 'path' | 'summary'> & { description?: string }

function server(oauth: Pick<OAuth, 'serverMetadata'>, row: Row): Route {
  return metadataRoute({
    ...row,
    answers: { 200: { description: 'The metadata', schema: serverMetadata } },
    async handle({ ctx }) {
      ctx.body = oauth.serverMetadata()
    },
  })
}

function resource(oauth: Pick<OAuth, 'resourceMetadata'>, path: '' | '/mcp', row: Row): Route {
  return metadataRoute({
    ...row,
    answers: { 200: { description: 'The metadata', schema: resourceMetadata } },
    async handle({ ctx }) {
      ctx.body = oauth.resourceMetadata(path)
    },
  })
}

const REFUSALS: Record<number, Answer> = {
  400: { description: 'The request is refused; `error` says why', schema: oauthError },
  401: {
    description: '`invalid_client`; with `WWW-Authenticate: Basic` when the application used HTTP Basic',
    schema: oauthError,
  },
  413: { description: 'The body is too long', schema: oauthError },
  429: { description: 'Too many requests, or too many wrong secrets; `Retry-After` says when to try again', schema: oauthError },
  500: { description: '`server_error`: an internal error', schema: oauthError },
  503: { description: '`temporarily_unavailable`: see `Retry-After`', schema: oauthError },
  507: { description: '`server_error`: the disk of the instance is full', schema: oauthError },
}

/** The endpoints of the authorization server for programs. Those for users are pages: web/account/. */
export const oauthRoutes = ({ oauth }: Pick<Dependencies, 'oauth'>): Route[] => [
  endpoint({
    operationId: 'issueToken',
    path: '/api/oauth/token',
    summary: 'Exchange a code, a refresh token or a device code for tokens',
    description:
      'Codes and refresh tokens work only once. A second use ends every token from the same consent, except that for 30 seconds a refresh ' +
      'token returns the same pair again while the new refresh token is unused. While a device ' +
      'waits for its user, the error is `authorization_pending`.',
    request: tokenRequest,
    answer: { description: 'New tokens', schema: tokenAnswer },
    act: (request) => oauth.token(request),
  }),
  endpoint({
    operationId: 'revokeToken',
    path: '/api/oauth/revoke',
    summary: 'End a token and all others from the same consent (RFC 7009)',
    request: ownTokenRequest,
    answer: { description: 'The token no longer works, or never did', schema: z.strictObject({}) },
    // An empty object, because some libraries accept only JSON.
    act: async (request) => {
      await oauth.revoke(request)
      return {}
    },
  }),
  endpoint({
    operationId: 'introspectToken',
    path: '/api/oauth/introspect',
    summary: 'Show what a token of this application may do (RFC 7662)',
    request: ownTokenRequest,
    answer: { description: 'The token, or only `active: false`', schema: introspection },
    act: (request) => oauth.introspect(request),
  }),
  endpoint({
    operationId: 'startDevice',
    path: '/api/oauth/device',
    summary: 'Start the login of a device without a browser (RFC 8628)',
    request: deviceRequest,
    answer: { description: 'A code for the device and one for its user', schema: deviceAnswer },
    // Each request leaves a row in the database, and the client id of the command line is public.
    addressLimit: { requests: 300, seconds: 15 * 60 },
    act: (request) => oauth.device.start(request),
  }),
  registration(oauth),
  ...metadataRoutes(oauth),
]

function registration(oauth: Dependencies['oauth']): Route {
  return route({
    operationId: 'registerApplication',
    path: '/api/oauth/register',
    summary: 'Register an application that nobody has registered by hand (RFC 7591)',
    description:
      'For public applications, such as agents: the answer has no secret. docsearch deletes a registration that nobody uses for a day. ' +
      'The operator can turn this off with `oauth.registration`.',
    content: { 'application/json': { schema: jsonSchemaOf(registrationRequest) } },
    // Each request leaves a row in the database.
    addressLimit: { requests: 60, seconds: 60 * 60 },
    answers: {
      201: { description: 'The registered application', schema: registrationAnswer },
      ...REFUSALS,
      400: { description: '`invalid_redirect_uri` or `invalid_client_metadata`', schema: oauthError },
      403: { description: '`access_denied`: applications cannot register themselves here', schema: oauthError },
    },
    async handle({ ctx }) {
      const registered = await oauth.register(await registrationBody(ctx))
      ctx.status = 201
      ctx.body = registered
    },
  })
}

function endpoint(row: {
  operationId: string
  path: string
  summary: string
  description?: string
  request: z.ZodType
  answer: Answer
  addressLimit?: NonNullable<Route['addressLimit']>
  act: (request: ApplicationRequest) => Promise<object>
}): Route {
  const { request, answer, act, ...rest } = row
  return route({
    ...rest,
    content: bothForms(request),
    answers: { 200: answer, ...REFUSALS },
    async handle({ ctx }) {
      ctx.body = await act(await clientRequest(ctx))
    },
  })
}

function bothForms(request: z.ZodType): NonNullable<Route['content']> {
  const schema = jsonSchemaOf(request)
  return { 'application/x-www-form-urlencoded': { schema }, 'application/json': { schema } }
}

function jsonSchemaOf(request: z.ZodType) {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(request, { io: 'input' })
  return schema
}

const redirect = 'Where the browser goes next'

/** The authorization endpoint, for the API's description. A user opens it in a browser, so a page answers it: web/account/authorize.ts. */
export const authorizeOperation: Operation = {
  operationId: 'authorize',
  method: 'GET',
  path: paths.authorize,
  tag: 'OAuth 2.0',
  summary: 'Ask a user for access in their browser',
  description:
    'The application sends the browser here. The user logs in, sees which application asks for what, and allows or denies it. Then ' +
    'docsearch redirects (303) to `redirect_uri` with `code` or `error`, and with `state` and `iss` (RFC 9207). An API key or an access token cannot allow access. For an unknown ' +
    'application or address there is no redirect.',
  access: 'public',
  documentedQuery: authorizeQuery,
  errors: 'oauth',
  answers: {
    200: { description: 'The page that asks the user', type: 'text/html; charset=utf-8' },
    302: {
      description:
        'Refused: to `redirect_uri` with `error`, one of invalid_request, unauthorized_client, unsupported_response_type, invalid_scope, invalid_target. Only ' +
        'for an application that a user registered, or to which this user has given access',
      headers: { Location: redirect },
    },
    303: { description: 'If no user is logged in: to the login page', headers: { Location: redirect } },
    400: {
      description:
        'A page that says why there is no redirect: invalid_client, invalid_redirect_uri, invalid_request. For other applications also ' +
        'the errors of 302, with a link to the application',
      type: 'text/html; charset=utf-8',
    },
  },
}
