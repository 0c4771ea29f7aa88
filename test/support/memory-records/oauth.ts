import { KEEP_EXPIRED_MS } from '../../../src/records/oauth-records.ts'
import type { OAuthRecords } from '../../../src/records/oauth-records.ts'
import { deleteGrant } from './oauth-changes.ts'
import { memoryApplications } from './oauth-applications.ts'
import { memoryCodes } from './oauth-codes.ts'
import { memoryDevices } from './oauth-devices.ts'
import { memoryGrants } from './oauth-grants.ts'
import { memoryRegistrations, sweepRegistrations } from './oauth-registrations.ts'
import { deleteWhere } from './store.ts'
import type { MemoryStore } from './store.ts'

export function memoryOAuth(store: MemoryStore): OAuthRecords {
  return {
    applications: memoryApplications(store),
    registrations: memoryRegistrations(store),
    codes: memoryCodes(store),
    grants: memoryGrants(store),
    devices: memoryDevices(store),
    sweep: async () => sweep(store),
  }
}

function sweep(store: MemoryStore): number {
  const limit = store.now().getTime() - KEEP_EXPIRED_MS
  const isOver = ({ expiresAt }: { expiresAt: Date | null }) => expiresAt !== null && expiresAt.getTime() <= limit
  let deleted = deleteWhere(store.codes, isOver) + deleteWhere(store.tokens, isOver) + deleteWhere(store.devices, isOver)
  const withTokens = new Set([...store.tokens.values()].map(({ grantId }) => grantId))
  for (const id of store.grants.keys()) {
    if (withTokens.has(id)) continue
    deleteGrant(store, id)
    deleted += 1
  }
  for (const application of store.applications.values()) {
    const kept = application.secrets.filter((secret) => !isOver(secret))
    deleted += application.secrets.length - kept.length
    application.secrets = kept
  }
  return deleted + sweepRegistrations(store)
}
