import type { AuditDetails, AuditFact } from '../../../src/core/audit.ts'
import { newId } from '../../../src/core/ids.ts'
import type { GrantRecord, ProjectLimit, Scope } from '../../../src/core/model.ts'
import type { NewTokens } from '../../../src/records/oauth-grants.ts'
import { deleteWhere } from './store.ts'
import type { MemoryStore, StoredApplication } from './store.ts'

interface Consent {
  userId: string
  clientId: string
  scopes: readonly Scope[]
  projectIds: ProjectLimit
  resource: string | null
}

/** Makes the grant that a code or a device code was exchanged for, with its first tokens. */
export function makeGrant(
  store: MemoryStore,
  { userId, clientId, scopes, projectIds, resource }: Consent,
  tokens: NewTokens,
): GrantRecord {
  const createdAt = store.now()
  const grant: GrantRecord = {
    id: newId('gnt', createdAt),
    userId,
    clientId,
    scopes: [...scopes],
    projectIds,
    resource,
    createdAt,
    lastUsedAt: null,
    revokedAt: null,
  }
  store.grants.set(grant.id, grant)
  addTokens(store, grant, tokens)
  return { ...grant }
}

export function addTokens(store: MemoryStore, grant: GrantRecord, { access, refresh, scopes }: NewTokens): void {
  const shared = { grantId: grant.id, createdAt: store.now(), isUsed: false, successor: null }
  store.tokens.set(access.sha256, { ...shared, kind: 'access', scopes: [...scopes], expiresAt: access.expiresAt })
  if (refresh === null) return
  store.tokens.set(refresh.sha256, { ...shared, kind: 'refresh', scopes: grant.scopes, expiresAt: refresh.expiresAt })
}

/** Revokes the user's grants and deletes codes that could still become one. Returns how many grants. */
export function endGrants(store: MemoryStore, of: { userId: string; clientId?: string }): number {
  const isMeant = ({ userId, clientId }: { userId: string | null; clientId: string }) =>
    userId === of.userId && (of.clientId === undefined || clientId === of.clientId)
  deleteWhere(store.codes, (code) => code.grantId === null && isMeant(code))
  deleteWhere(store.devices, (device) => device.status !== 'redeemed' && isMeant(device))
  const ended = [...store.grants.values()].filter((grant) => grant.revokedAt === null && isMeant(grant))
  for (const grant of ended) grant.revokedAt = store.now()
  return ended.length
}

/** Deletes applications with everything that names them. Returns how many. */
export function endApplications(store: MemoryStore, of: { ownerId: string; id?: string }): number {
  const ended = [...store.applications.values()].filter(
    ({ id, ownerId }) => ownerId === of.ownerId && (of.id === undefined || id === of.id),
  )
  for (const application of ended) {
    const { id } = application
    deleteWhere(store.codes, ({ clientId }) => clientId === id)
    deleteWhere(store.devices, ({ clientId }) => clientId === id)
    for (const grant of store.grants.values()) if (grant.clientId === id) deleteGrant(store, grant.id)
    store.applications.delete(id)
    store.record({ action: 'application.delete', ...describe(application) })
  }
  return ended.length
}

/** Names an application in the audit log. */
export function describe(
  { id, name, ownerId }: Pick<StoredApplication, 'id' | 'name' | 'ownerId'>,
  more: AuditDetails = {},
): Pick<AuditFact, 'userId' | 'details'> {
  return { userId: ownerId, details: { application: id, name, ...more } }
}

export function deleteGrant(store: MemoryStore, id: string): void {
  deleteWhere(store.tokens, ({ grantId }) => grantId === id)
  deleteWhere(store.codes, ({ grantId }) => grantId === id)
  store.grants.delete(id)
}
