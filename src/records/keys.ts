import type { ApiKeyRecord, ProjectLimit, KeyScope } from '../core/model.ts'
import type { ListRequest, ResultPage } from './result-page.ts'

/** API keys. Only the SHA-256 of a whole key is stored, in hex. */
export interface Keys {
  /** Throws `too_many_keys` if the owner has `maxKeys` valid keys. Deletes the keys that expired first if the new key needs room. */
  create(key: {
    ownerId: string
    name: string
    sha256: string
    lastFour: string
    scopes: readonly KeyScope[]
    projectIds: ProjectLimit
    expiresAt: Date | null
    maxKeys: number
  }): Promise<ApiKeyRecord>
  /** Returns null when the key is unknown or expired, or its user is disabled. */
  findByHash(sha256: string): Promise<ApiKeyRecord | null>
  /** Returns the hashes for which `findByHash` finds a key. */
  findValid(sha256s: readonly string[]): Promise<Set<string>>
  /** Sets the time of the last use. Writes at most once a minute for each key. */
  touch(id: string): Promise<void>
  /** Newest first. */
  list(ownerId: string, page: ListRequest): Promise<ResultPage<ApiKeyRecord>>
  /** Returns false when the owner has no such key. */
  delete(ownerId: string, id: string): Promise<boolean>
}
