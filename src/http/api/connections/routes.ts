import { connectionList, type ConnectionList, type Connection as WireConnection } from '../../../contract/clients.ts'
import type { Dependencies } from '../../dependencies.ts'
import { routesWith, type Route } from '../../routing/route.ts'
import type { OwnConnection } from '../../../services/connections.ts'

const route = routesWith({ tag: 'Connected applications', access: 'manage:keys' })

export const connectionRoutes = ({ connections }: Pick<Dependencies, 'connections'>): Route[] => [
  route({
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
  route({
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
