import { limitFact } from '../../../src/core/audit.ts'
import { newId } from '../../../src/core/ids.ts'
import type { ApiKeyRecord } from '../../../src/core/model.ts'
import { tooManyKeys } from '../../../src/records/errors.ts'
import type { Keys } from '../../../src/records/keys.ts'
import { byNewest, listPart } from './lists.ts'
import type { MemoryStore, StoredKey } from './store.ts'

export function memoryKeys(store: MemoryStore): Keys {
  const { keys } = store
  const isValid = (key: StoredKey) => store.isActiveUser(key.ownerId) && (key.expiresAt === null || !store.isPast(key.expiresAt))
  return {
    async create({ maxKeys, ...key }) {
      makeRoom(store, key.ownerId, maxKeys)
      const createdAt = store.now()
      const stored = { ...key, id: newId('key', createdAt), scopes: [...key.scopes], createdAt, lastUsedAt: null }
      keys.set(stored.id, stored)
      store.record({
        action: 'key.create',
        userId: key.ownerId,
        details: { ...describe(stored), scopes: stored.scopes, ...limitFact(stored.projectIds) },
      })
      return present(stored)
    },
    async findByHash(sha256) {
      const key = [...keys.values()].find((one) => one.sha256 === sha256)
      return key !== undefined && isValid(key) ? present(key) : null
    },
    async findValid(sha256s) {
      return new Set([...keys.values()].filter((key) => sha256s.includes(key.sha256) && isValid(key)).map((key) => key.sha256))
    },
    async touch(id) {
      const key = keys.get(id)
      if (key !== undefined && store.isTouchDue(key.lastUsedAt)) key.lastUsedAt = store.now()
    },
    async list(ownerId, request) {
      const own = [...keys.values()].filter((key) => key.ownerId === ownerId)
      return listPart(own, byNewest, request, present)
    },
    async delete(ownerId, id) {
      const key = keys.get(id)
      if (key?.ownerId !== ownerId) return false
      keys.delete(id)
      store.record({ action: 'key.revoke', userId: ownerId, details: describe(key) })
      return true
    },
  }
}

function makeRoom(store: MemoryStore, ownerId: string, maxKeys: number): void {
  const { keys } = store
  const own = [...keys.values()].filter((key) => key.ownerId === ownerId)
  const excess = own.length + 1 - maxKeys
  if (excess <= 0) return
  const expired = own
    .filter(({ expiresAt }) => expiresAt !== null && store.isPast(expiresAt))
    .sort((a, b) => a.expiresAt!.getTime() - b.expiresAt!.getTime())
  if (expired.length < excess) throw tooManyKeys(maxKeys)
  for (const { id } of expired.slice(0, excess)) keys.delete(id)
}

function describe({ id, name, lastFour }: StoredKey) {
  return { key: id, name, last_four: lastFour }
}

function present({ sha256: _sha256, ...key }: StoredKey): ApiKeyRecord {
  return key
}
