import type { Connection } from '../../../oauth/oauth.ts'
import { paths } from '../../../pages/paths.ts'
import { renderConnectionEnd, renderConnections, type ConnectionRow } from '../../../pages/settings/connections.tsx'
import { fail } from '../../problems.ts'
import type { Page } from '../page.ts'

export const connectionPages: Page[] = [
  {
    method: 'GET',
    path: paths.connections,
    access: 'user',
    async handle({ services, user, show, signedIn }) {
      const connections = await services.oauth.connections.list(user.id)
      show(renderConnections({ ...signedIn(), connections: connections.map(connectionRow) }))
    },
  },
  {
    method: 'GET',
    path: paths.connectionEnd(':id'),
    access: 'user',
    async handle({ services, user, id, show, signedIn }) {
      const found = (await services.oauth.connections.list(user.id)).find(({ client }) => client.id === id)
      if (found === undefined) throw missing()
      show(renderConnectionEnd({ ...signedIn(), connection: connectionRow(found) }))
    },
  },
  {
    method: 'POST',
    path: paths.connectionEnd(':id'),
    access: 'user',
    async handle({ services, user, id, goTo }) {
      if (!(await services.oauth.connections.end(user.id, id))) throw missing()
      goTo(paths.connections, 'disconnected')
    },
  },
]

function connectionRow({ client, scopes, since, lastUsedAt }: Connection): ConnectionRow {
  return {
    clientId: client.id,
    name: client.name,
    scopes,
    since: since.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  }
}

function missing(): Error {
  return fail('not_found', 'No such application is connected to your account.')
}
