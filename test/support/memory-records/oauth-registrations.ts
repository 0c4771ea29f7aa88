import { newId } from '../../../src/core/ids.ts'
import type { ApplicationRecord, Scope } from '../../../src/core/model.ts'
import { KEEP_UNUSED_MS, type OAuthRegistrations } from '../../../src/records/oauth-registrations.ts'
import { newestFirst } from './lists.ts'
import type { MemoryStore } from './store.ts'

interface NewRegistration {
  id: string
  name: string
  redirectUris: readonly string[]
  scopes: readonly Scope[]
}

export function memoryRegistrations(store: MemoryStore): OAuthRegistrations {
  return {
    async create(sent, maxUnused) {
      const application = put(store, { id: newId('app', store.now()), ...sent })
      for (const { id } of unused(store).toSorted(newestFirst).slice(maxUnused)) store.registrations.delete(id)
      return structuredClone(application)
    },
    put: async (application) => void put(store, application),
    get: async (id) => structuredClone(store.registrations.get(id) ?? null),
  }
}

function put(store: MemoryStore, { id, name, redirectUris, scopes }: NewRegistration): ApplicationRecord {
  const at = store.now()
  const application: ApplicationRecord = {
    id,
    ownerId: null,
    name,
    type: 'public',
    redirectUris: [...redirectUris],
    scopes: [...scopes],
    createdAt: at,
    updatedAt: at,
    secrets: [],
  }
  store.registrations.set(id, application)
  return application
}

export function sweepRegistrations(store: MemoryStore): number {
  const old = unused(store).filter(({ createdAt }) => createdAt.getTime() <= store.now().getTime() - KEEP_UNUSED_MS)
  for (const { id } of old) store.registrations.delete(id)
  return old.length
}

function unused(store: MemoryStore): ApplicationRecord[] {
  const named = [store.codes, store.devices, store.grants].flatMap((rows) => [...rows.values()].map(({ clientId }) => clientId))
  const used = new Set(named)
  return [...store.registrations.values()].filter(({ id }) => !used.has(id))
}
