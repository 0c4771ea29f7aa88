import type { ApiKey } from '../../../contract/account.ts'
import type { OwnKey } from '../../../services/keys.ts'

/** A key as the wire has it: never the key itself. */
export function presentKey(key: OwnKey): ApiKey {
  return {
    id: key.id,
    name: key.name,
    scopes: key.scopes,
    projects: key.projects,
    last_four: key.lastFour,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    expires_at: key.expiresAt?.toISOString() ?? null,
  }
}
