import { KEEP_EXPIRED_MS } from '../../../src/records/oauth-records.ts'
import type { OAuthRecords } from '../../../src/records/oauth-records.ts'
import { deleteGrant } from './oauth-changes.ts'
import { memoryClients } from './oauth-clients.ts'
import { memoryCodes } from './oauth-codes.ts'
import { memoryDevices } from './oauth-devices.ts'
import { memoryGrants } from './oauth-grants.ts'
import { deleteWhere } from './store.ts'
import type { MemoryStore } from './store.ts'

export function memoryOAuth(store: MemoryStore): OAuthRecords {
  return {
    clients: memoryClients(store),
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
  for (const client of store.clients.values()) {
    const kept = client.secrets.filter((secret) => !isOver(secret))
    deleted += client.secrets.length - kept.length
    client.secrets = kept
  }
  return deleted
}
