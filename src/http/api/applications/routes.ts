import {
  type Connection as WireConnection,
  connectionList,
  type ConnectionList,
  oauthClient,
  oauthClientCreate,
  oauthClientCreated,
  oauthClientList,
  oauthClientRotate,
  oauthClientRotated,
  oauthClientUpdate,
} from '../../../contract/clients.ts'
import {
  presentApplication,
  presentApplications,
  presentNewApplication,
  presentRotatedApplication,
} from '../../../contract/present.ts'
import type { OwnConnection } from '../../../services/applications.ts'
import type { Dependencies } from '../../dependencies.ts'
import { answerCreated, type Route, routesWith } from '../../routing/route.ts'

const route = routesWith({ tag: 'Applications', access: 'manage:keys', idDescription: '`client_id` of the application' })
const path = '/api/v1/clients/{id}'

type Parts = Pick<Dependencies, 'applications' | 'settings'>

export const applicationRoutes = (parts: Parts): Route[] => [...allApplications(parts), ...oneApplication(parts)]

const allApplications = ({ applications, settings }: Parts): Route[] => [
  route({
    operationId: 'listClients',
    method: 'GET',
    path: '/api/v1/clients',
    summary: 'List the applications you have registered',
    answers: { 200: { description: 'Your applications, newest first, without their secrets', schema: oauthClientList } },
    async handle({ ctx, actor }) {
      ctx.body = presentApplications(await applications.list(actor))
    },
  }),
  route({
    operationId: 'createClient',
    method: 'POST',
    path: '/api/v1/clients',
    summary: 'Register an application',
    description:
      'The application may then ask users of this instance for access (OAuth 2.0). The answer has the secret of a confidential application; it is ' +
      'shown only once. `scopes` may go beyond what the caller has: registering grants no access, and each user decides.',
    body: oauthClientCreate,
    answers: { 201: { description: 'The application', schema: oauthClientCreated, headers: { Location: 'Its address' } } },
    problems: ['invalid_redirect_uri', 'too_many_redirect_uris'],
    async handle({ ctx, actor, body: { redirect_uris: redirectUris, ...rest } }) {
      const made = await applications.create(actor, { ...rest, redirectUris })
      answerCreated(ctx, `${settings.baseUrl()}/api/v1/clients/${made.application.id}`, presentNewApplication(made))
    },
  }),
]

const oneApplication = ({ applications }: Parts): Route[] => [
  route({
    operationId: 'getClient',
    method: 'GET',
    path,
    summary: 'Show an application',
    answers: { 200: { description: 'The application', schema: oauthClient } },
    problems: ['client_not_found'],
    async handle({ ctx, actor, id }) {
      ctx.body = presentApplication(await applications.get(actor, id))
    },
  }),
  route({
    operationId: 'updateClient',
    method: 'PATCH',
    path,
    summary: 'Change an application',
    description: 'Access that users have already granted does not change.',
    body: oauthClientUpdate,
    answers: { 200: { description: 'The changed application', schema: oauthClient } },
    problems: ['client_not_found', 'invalid_redirect_uri', 'too_many_redirect_uris'],
    async handle({ ctx, actor, id, body: { redirect_uris: redirectUris, ...change } }) {
      ctx.body = presentApplication(await applications.update(actor, id, { ...change, redirectUris }))
    },
  }),
  route({
    operationId: 'rotateClient',
    method: 'POST',
    path: '/api/v1/clients/{id}/rotate',
    summary: 'Create a new secret for an application',
    description:
      'The new secret is shown only once. The old secrets stay valid for `grace_seconds`, so that you can update the application first.',
    body: oauthClientRotate,
    bodyOptional: true,
    answers: { 200: { description: 'The application with its new secret', schema: oauthClientRotated } },
    problems: ['client_not_found', 'client_is_public'],
    async handle({ ctx, actor, id, body }) {
      ctx.body = presentRotatedApplication(await applications.rotate(actor, id, body.grace_seconds))
    },
  }),
  route({
    operationId: 'deleteClient',
    method: 'DELETE',
    path,
    summary: 'Delete an application',
    description: 'All access that users have granted it ends at once.',
    answers: { 204: { description: 'The application is deleted, and its tokens no longer work' } },
    problems: ['client_not_found'],
    async handle({ ctx, actor, id }) {
      await applications.delete(actor, id)
      ctx.status = 204
    },
  }),
]

const connectionRoute = routesWith({ tag: 'Connected applications', access: 'manage:keys' })

export const connectionRoutes = ({ connections }: Pick<Dependencies, 'connections'>): Route[] => [
  connectionRoute({
    operationId: 'listConnections',
    method: 'GET',
    path: '/api/v1/connections',
    summary: 'List the applications connected to your account',
    answers: { 200: { description: 'The applications that can act for you now', schema: connectionList } },
    async handle({ ctx, actor }) {
      const found = await connections.list(actor)
      ctx.body = { connections: found.map(presentConnection) } satisfies ConnectionList
    },
  }),
  connectionRoute({
    operationId: 'deleteConnection',
    method: 'DELETE',
    path: '/api/v1/connections/{id}',
    summary: 'Disconnect an application',
    description: 'All tokens that the application has for your account end at once.',
    idDescription: '`client_id` of the application',
    answers: { 204: { description: 'The application can no longer act for you' } },
    problems: ['connection_not_found'],
    async handle({ ctx, actor, id }) {
      await connections.end(actor, id)
      ctx.status = 204
    },
  }),
]

/** Presents the connected applications of a user. */
function presentConnection({ application, scopes, projects, since, lastUsedAt }: OwnConnection): WireConnection {
  return {
    client_id: application.id,
    name: application.name,
    type: application.type,
    scopes,
    projects,
    connected_at: since.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
  }
}
