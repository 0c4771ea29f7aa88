import { resourceMetadata, serverMetadata } from '../../contract/oauth.ts'
import type { OAuth } from '../../oauth/oauth.ts'
import { route, type Route } from '../routing/route.ts'

/** The documents in which applications find the endpoints and the resources. */
export const metadataRoutes = (oauth: Pick<OAuth, 'serverMetadata' | 'resourceMetadata'>): Route[] => [
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
const SHARED = { method: 'GET', tag: 'OAuth 2.0', access: 'public' } as const

function server(oauth: Pick<OAuth, 'serverMetadata'>, row: Row): Route {
  return route({
    ...row,
    ...SHARED,
    answers: { 200: { description: 'The metadata', schema: serverMetadata } },
    async handle({ ctx }) {
      ctx.body = oauth.serverMetadata()
    },
  })
}

function resource(oauth: Pick<OAuth, 'resourceMetadata'>, path: '' | '/mcp', row: Row): Route {
  return route({
    ...row,
    ...SHARED,
    answers: { 200: { description: 'The metadata', schema: resourceMetadata } },
    async handle({ ctx }) {
      ctx.body = oauth.resourceMetadata(path)
    },
  })
}
