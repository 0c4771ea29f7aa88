import { newId } from '../../../src/core/ids.ts'
import type { ApplicationRecord } from '../../../src/core/model.ts'
import type { ApplicationSecret, OAuthApplications } from '../../../src/records/oauth-applications.ts'
import { newestFirst } from './lists.ts'
import { describe, endApplications } from './oauth-changes.ts'
import type { MemoryStore, StoredApplication, StoredSecret } from './store.ts'

export function memoryApplications(store: MemoryStore): OAuthApplications {
  const { applications } = store
  const isGood = ({ expiresAt }: StoredSecret) => expiresAt === null || !store.isPast(expiresAt)
  const newSecret = (secret: ApplicationSecret) => ({ ...secret, createdAt: store.now(), expiresAt: null })

  function present({ secrets, ...application }: StoredApplication): ApplicationRecord {
    const shown = secrets.filter(isGood).map(({ lastFour, createdAt, expiresAt }) => ({ lastFour, createdAt, expiresAt }))
    return structuredClone({ ...application, secrets: shown })
  }

  function find(ownerId: string, id: string): StoredApplication | undefined {
    const application = applications.get(id)
    return application?.ownerId === ownerId ? application : undefined
  }

  return {
    async create({ secret, redirectUris, scopes, ...application }) {
      const createdAt = store.now()
      const secrets = secret === null ? [] : [newSecret(secret)]
      const lists = { redirectUris: [...redirectUris], scopes: [...scopes], secrets }
      const stored = { ...application, ...lists, id: newId('app', createdAt), createdAt, updatedAt: createdAt }
      applications.set(stored.id, stored)
      store.record({ action: 'application.create', ...describe(stored) })
      return present(stored)
    },
    async get(id) {
      const application = applications.get(id)
      return application === undefined ? null : present(application)
    },
    async list(ownerId) {
      const own = [...applications.values()].filter((application) => application.ownerId === ownerId)
      return own.sort(newestFirst).map(present)
    },
    async update(ownerId, id, change) {
      const application = find(ownerId, id)
      if (application === undefined) return null
      Object.assign(application, structuredClone(change), { updatedAt: store.now() })
      const columns = { name: 'name', redirectUris: 'redirect_uris', scopes: 'scopes' } as const
      const changed = (Object.keys(columns) as (keyof typeof columns)[]).filter((field) => change[field] !== undefined)
      const details = { changed: changed.map((field) => columns[field]) }
      store.record({ action: 'application.update', ...describe(application, details) })
      return present(application)
    },
    async rotate(ownerId, id, secret, oldUntil) {
      const application = find(ownerId, id)
      if (application?.type !== 'confidential') return null
      for (const old of application.secrets) if (old.expiresAt === null || old.expiresAt > oldUntil) old.expiresAt = oldUntil
      application.secrets = [newSecret(secret), ...application.secrets.filter(isGood)]
      application.updatedAt = store.now()
      store.record({ action: 'application.rotate', ...describe(application, { last_four: secret.lastFour }) })
      return present(application)
    },
    hasSecret: async (id, sha256) =>
      applications.get(id)?.secrets.some((secret) => secret.sha256 === sha256 && isGood(secret)) ?? false,
    delete: async (ownerId, id) => endApplications(store, { ownerId, id }) > 0,
  }
}
