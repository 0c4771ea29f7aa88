import type { ApiKey } from '../../../contract/account.ts'
import type { ApiKeyRecord } from '../../../core/model.ts'

/** A key as the wire has it: never the key itself. */
export function presentKey(key: ApiKeyRecord): ApiKey {
  return {
    id: key.id,
    name: key.name,
    scopes: key.scopes,
    last_four: key.lastFour,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    expires_at: key.expiresAt?.toISOString() ?? null,
  }
}
