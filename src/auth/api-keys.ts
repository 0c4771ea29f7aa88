import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { DEFAULT_LIMITS } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import type { Principal } from '../core/model.ts'
import { hashSecret } from '../core/secrets.ts'
import type { Records } from '../records/records.ts'
import type { ApiKeys } from './auth.ts'

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

/** Fixed, so that secret scanners and users recognise a key. */
const KEY_PREFIX = 'dsk_'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 30
const CHECKSUM_LENGTH = 6
const SHAPE = new RegExp(`^${KEY_PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`)

function checksum(text: string): string {
  let value = crc32(text)
  let out = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    out = ALPHABET.charAt(value % 62) + out
    value = Math.floor(value / 62)
  }
  return out
}

/** Returns a new API key: `dsk_`, 30 random base62 characters (178 bits), and 6 base62 characters of the CRC32 over everything before them. */
export function newApiKey(): string {
  let key = KEY_PREFIX
  for (let i = 0; i < RANDOM_LENGTH; i++) key += ALPHABET.charAt(randomInt(62))
  return key + checksum(key)
}

/** Returns whether shape and checksum are right, so that a mistyped key costs no database query. */
export function isWellFormedApiKey(text: string): boolean {
  if (!SHAPE.test(text)) return false
  const body = text.slice(0, -CHECKSUM_LENGTH)
  return text.slice(-CHECKSUM_LENGTH) === checksum(body)
}
