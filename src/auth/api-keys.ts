import { DEFAULT_LIMITS } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import type { Principal } from '../core/model.ts'
import { hashSecret } from '../core/secrets.ts'
import type { Records } from '../records/records.ts'
import type { ApiKeys } from './auth.ts'
import { isWellFormedApiKey, newApiKey } from './format.ts'

/**
 * API keys in the records. A key is looked up by its hash, so no comparison leaks time.
 * @param options.maxKeys The keys that one user may have.
 */
export function createApiKeys(options: { records: Pick<Records, 'keys'>; clock: Clock; maxKeys?: number }): ApiKeys {
  const { records, clock, maxKeys = DEFAULT_LIMITS.apiKeys } = options
  return {
    async create({ ownerId, name, scopes, projectIds = null, expiresAt }) {
      const key = newApiKey()
      const record = await records.keys.create({
        ownerId,
        name,
        sha256: hashSecret(key),
        lastFour: key.slice(-4),
        scopes: [...new Set(scopes)],
        projectIds,
        expiresAt,
        maxKeys,
      })
      return { key, record }
    },

    async check(credential): Promise<Principal | null> {
      if (!isWellFormedApiKey(credential)) return null
      const record = await records.keys.findByHash(hashSecret(credential))
      if (record === null) return null
      if (record.expiresAt !== null && record.expiresAt.getTime() <= clock.now().getTime()) return null
      try {
        await records.keys.touch(record.id)
      } catch {
        // A search must still work when the disk is full, and "last used" is only a convenience.
      }
      return {
        userId: record.ownerId,
        scopes: new Set(record.scopes),
        projectIds: record.projectIds && new Set(record.projectIds),
        via: 'api_key',
        credentialId: record.id,
        credentialLastFour: record.lastFour,
        credentialName: record.name,
        expiresAt: record.expiresAt,
      }
    },
  }
}
