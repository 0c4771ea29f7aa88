import { connectionList, type ConnectionList } from '../../../contract/clients.ts'
import { fail } from '../../problems.ts'
import { route } from '../../route.ts'
import { presentConnection } from './present.ts'

const tag = 'Connected applications'
const access = 'manage:keys'

export const connectionRoutes = [
  route({
    operationId: 'listConnections',
    method: 'GET',
    path: '/api/v1/connections',
    tag,
    summary: 'List the applications you have connected',
    access,
    answers: { 200: { description: 'Applications that can act for you now', schema: connectionList } },
    async handle({ ctx, services, caller }) {
      const connections = await services.oauth.connections.list(caller.userId)
      ctx.body = { connections: connections.map(presentConnection) } satisfies ConnectionList
    },
  }),
  route({
    operationId: 'deleteConnection',
    method: 'DELETE',
    path: '/api/v1/connections/{id}',
    tag,
    summary: 'Disconnect an application',
    description: 'All of its tokens for you are dead at once.',
    access,
    idDescription: '`client_id` of the application',
    answers: { 204: { description: 'It can no longer act for you' } },
    problems: ['connection_not_found'],
    async handle({ ctx, services, caller, id }) {
      if (!(await services.oauth.connections.end(caller.userId, id))) {
        throw fail('connection_not_found', `No application ${JSON.stringify(id.slice(0, 100))} is connected to your account.`)
      }
      ctx.status = 204
    },
  }),
]
