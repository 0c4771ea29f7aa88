import { z } from 'zod'
import {
  deviceAnswer,
  deviceRequest,
  introspection,
  oauthError,
  ownTokenRequest,
  resourceMetadata,
  serverMetadata,
  tokenAnswer,
  tokenRequest,
} from '../../contract/oauth.ts'
import type { Answer } from '../../contract/operation.ts'
import type { ApplicationRequest } from '../../oauth/oauth.ts'
import type { Dependencies } from '../dependencies.ts'
import { route, type Route } from '../routing/route.ts'
import { clientRequest } from './client-request.ts'

const tag = 'OAuth 2.0'

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
      'Codes and refresh tokens work only once. A second use ends every token from the same consent. While a device ' +
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
  route({
    operationId: 'getServerMetadata',
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    tag,
    summary: 'List the endpoints and what they support (RFC 8414)',
    access: 'public',
    answers: { 200: { description: 'The metadata', schema: serverMetadata } },
    async handle({ ctx }) {
      ctx.body = oauth.serverMetadata()
    },
  }),
  route({
    operationId: 'getResourceMetadata',
    method: 'GET',
    path: '/.well-known/oauth-protected-resource',
    tag,
    summary: 'Show which access tokens the API accepts (RFC 9728)',
    access: 'public',
    answers: { 200: { description: 'The metadata', schema: resourceMetadata } },
    async handle({ ctx }) {
      ctx.body = oauth.resourceMetadata()
    },
  }),
]

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
    method: 'POST',
    tag,
    access: 'public',
    errors: 'oauth',
    content: bothForms(request),
    answers: { 200: answer, ...REFUSALS },
    async handle({ ctx }) {
      ctx.body = await act(await clientRequest(ctx))
    },
  })
}

function bothForms(request: z.ZodType): NonNullable<Route['content']> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(request, { io: 'input' })
  return { 'application/x-www-form-urlencoded': { schema }, 'application/json': { schema } }
}
