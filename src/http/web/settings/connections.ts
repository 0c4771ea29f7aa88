import type { OwnConnection } from '../../../services/connections.ts'
import { paths } from '../../../pages/paths.ts'
import { renderConnectionEnd, renderConnections, type ConnectionRow } from '../../../pages/settings/connections.tsx'
import type { Dependencies } from '../../dependencies.ts'
import { fail } from '../../problems/problems.ts'
import type { View } from '../routing/page.ts'

export const connectionPages = ({ connections }: Pick<Dependencies, 'connections'>): View[] => [
  {
    method: 'GET',
    path: paths.connections,
    async handle({ actor, show, signedIn }) {
      const found = await connections.list(actor)
      show(renderConnections({ ...signedIn(), connections: found.map(connectionRow) }))
    },
  },
  {
    method: 'GET',
    path: paths.connectionEnd(':id'),
    async handle({ actor, id, show, signedIn }) {
      const found = (await connections.list(actor)).find(({ application }) => application.id === id)
      if (found === undefined) throw fail('connection_not_found', 'No such application is connected to your account.')
      show(renderConnectionEnd({ ...signedIn(), connection: connectionRow(found) }))
    },
  },
  {
    method: 'POST',
    path: paths.connectionEnd(':id'),
    async handle({ actor, id, goTo }) {
      await connections.end(actor, id)
      goTo(paths.connections, 'disconnected')
    },
  },
]

function connectionRow({ application, scopes, projects, since, lastUsedAt }: OwnConnection): ConnectionRow {
  return {
    clientId: application.id,
    name: application.name,
    scopes,
    projects: projects && projects.map((project) => project.name),
    since: since.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  }
}
