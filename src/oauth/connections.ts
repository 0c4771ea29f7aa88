import { SCOPES, type GrantRecord } from '../core/model.ts'
import type { OAuthContext } from './context.ts'
import type { Connection, Connections } from './oauth.ts'

/** What a user has connected: an application once, however many times they agreed to it. */
export function createConnections({ records, clients }: Pick<OAuthContext, 'records' | 'clients'>): Connections {
  return {
    async list(userId) {
      const byClient = Map.groupBy(await records.grants.list(userId), ({ clientId }) => clientId)
      const found = [...byClient].map(async ([clientId, grants]): Promise<Connection | null> => {
        const client = await clients.get(clientId)
        return client && { client, ...summary(grants) }
      })
      return (await Promise.all(found)).filter((connection) => connection !== null)
    },
    end: async (userId, clientId) => (await records.grants.revokeAll(userId, clientId)) > 0,
  }
}

function summary(grants: readonly GrantRecord[]): Omit<Connection, 'client'> {
  const uses = grants.flatMap(({ lastUsedAt }) => (lastUsedAt === null ? [] : [lastUsedAt.getTime()]))
  return {
    scopes: SCOPES.filter((scope) => grants.some(({ scopes }) => scopes.includes(scope))),
    since: new Date(Math.min(...grants.map(({ createdAt }) => createdAt.getTime()))),
    lastUsedAt: uses.length === 0 ? null : new Date(Math.max(...uses)),
  }
}
