import { newId } from '../../../src/core/ids.ts'
import type { ApplicationRecord } from '../../../src/core/model.ts'
import type { ClientSecret, OAuthClients } from '../../../src/records/oauth-clients.ts'
import { newestFirst } from './lists.ts'
import { endClients } from './oauth-changes.ts'
import type { MemoryStore, StoredClient, StoredSecret } from './store.ts'

export function memoryClients(store: MemoryStore): OAuthClients {
  const { clients } = store
  const isGood = ({ expiresAt }: StoredSecret) => expiresAt === null || !store.isPast(expiresAt)
  const newSecret = (secret: ClientSecret) => ({ ...secret, createdAt: store.now(), expiresAt: null })

  function present({ secrets, ...client }: StoredClient): ApplicationRecord {
    const shown = secrets.filter(isGood).map(({ lastFour, createdAt, expiresAt }) => ({ lastFour, createdAt, expiresAt }))
    return structuredClone({ ...client, secrets: shown })
  }

  function find(ownerId: string, id: string): StoredClient | undefined {
    const client = clients.get(id)
    return client?.ownerId === ownerId ? client : undefined
  }

  return {
    async create({ secret, redirectUris, scopes, ...client }) {
      const createdAt = store.now()
      const secrets = secret === null ? [] : [newSecret(secret)]
      const lists = { redirectUris: [...redirectUris], scopes: [...scopes], secrets }
      const stored = { ...client, ...lists, id: newId('app', createdAt), createdAt, updatedAt: createdAt }
      clients.set(stored.id, stored)
      return present(stored)
    },
    async get(id) {
      const client = clients.get(id)
      return client === undefined ? null : present(client)
    },
    async list(ownerId) {
      const own = [...clients.values()].filter((client) => client.ownerId === ownerId)
      return own.sort(newestFirst).map(present)
    },
    async update(ownerId, id, change) {
      const client = find(ownerId, id)
      if (client === undefined) return null
      return present(Object.assign(client, structuredClone(change), { updatedAt: store.now() }))
    },
    async rotate(ownerId, id, secret, oldUntil) {
      const client = find(ownerId, id)
      if (client?.type !== 'confidential') return null
      for (const old of client.secrets) if (old.expiresAt === null || old.expiresAt > oldUntil) old.expiresAt = oldUntil
      client.secrets = [newSecret(secret), ...client.secrets.filter(isGood)]
      client.updatedAt = store.now()
      return present(client)
    },
    hasSecret: async (id, sha256) =>
      clients.get(id)?.secrets.some((secret) => secret.sha256 === sha256 && isGood(secret)) ?? false,
    delete: async (ownerId, id) => endClients(store, { ownerId, id }) > 0,
  }
}
