import { SCOPES, type ApplicationRecord, type GrantRecord } from '../core/model.ts'
import type { OAuthContext } from './context.ts'
import type { Connection, Connections } from './oauth.ts'
import { registeredOf } from './scopes.ts'

/** The applications that users have connected. An application counts once, even if the user agreed to it several times. */
export function createConnections({ records, applications }: Pick<OAuthContext, 'records' | 'applications'>): Connections {
  return {
    async list(userId) {
      const byClient = Map.groupBy(await records.grants.list(userId), ({ clientId }) => clientId)
      const found = [...byClient].map(async ([clientId, grants]): Promise<Connection | null> => {
        const application = await applications.get(clientId)
        return application && { application, ...summary(grants, application) }
      })
      return (await Promise.all(found)).filter((connection) => connection !== null)
    },
    end: async (userId, clientId) => (await records.grants.revokeAll(userId, clientId)) > 0,
  }
}

function summary(grants: readonly GrantRecord[], application: ApplicationRecord): Omit<Connection, 'application'> {
  const uses = grants.flatMap(({ lastUsedAt }) => (lastUsedAt === null ? [] : [lastUsedAt.getTime()]))
  return {
    scopes: registeredOf(
      SCOPES.filter((scope) => grants.some(({ scopes }) => scopes.includes(scope))),
      application,
    ),
    projectIds: grants.some(({ projectIds }) => projectIds === null)
      ? null
      : [...new Set(grants.flatMap(({ projectIds }) => projectIds ?? []))],
    since: new Date(Math.min(...grants.map(({ createdAt }) => createdAt.getTime()))),
    lastUsedAt: uses.length === 0 ? null : new Date(Math.max(...uses)),
  }
}
