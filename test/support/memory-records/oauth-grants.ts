import type { OAuthGrants, TokenRecord } from '../../../src/records/oauth-grants.ts'
import { newestFirst } from './lists.ts'
import { addTokens, endGrants } from './oauth-changes.ts'
import type { MemoryStore, StoredToken } from './store.ts'

export function memoryGrants(store: MemoryStore): OAuthGrants {
  const { grants, tokens } = store

  function present({ grantId, ...token }: StoredToken): TokenRecord {
    return structuredClone({ ...token, grant: grants.get(grantId)! })
  }

  /** True when the token has not expired, its grant is not revoked and its user is not disabled. */
  function isValid({ grantId, expiresAt }: StoredToken): boolean {
    const { revokedAt, userId } = grants.get(grantId)!
    return !store.isPast(expiresAt) && revokedAt === null && store.isActiveUser(userId)
  }

  function givesAccess({ expiresAt, isUsed }: StoredToken): boolean {
    return !store.isPast(expiresAt) && !isUsed
  }

  return {
    async findToken(sha256) {
      const token = tokens.get(sha256)
      return token === undefined ? null : present(token)
    },
    async findAccess(sha256) {
      const token = tokens.get(sha256)
      return token?.kind === 'access' && isValid(token) ? present(token) : null
    },
    async findValidAccess(sha256s) {
      const isAccess = (sha256: string) => tokens.get(sha256)?.kind === 'access' && isValid(tokens.get(sha256)!)
      return new Set(sha256s.filter(isAccess))
    },
    async refresh(sha256, clientId, next) {
      const token = tokens.get(sha256)
      if (token?.kind !== 'refresh' || token.isUsed || !isValid(token)) return null
      const grant = grants.get(token.grantId)!
      if (grant.clientId !== clientId) return null
      token.isUsed = true
      token.successor = next.sealed === undefined ? null : { sealed: next.sealed, at: store.now() }
      for (const other of tokens.values())
        if (other.kind === 'access' && other.grantId === grant.id && !store.isPast(other.expiresAt)) other.expiresAt = store.now()
      addTokens(store, grant, next)
      return structuredClone(grant)
    },
    async revoke(grantId) {
      const grant = grants.get(grantId)
      if (grant === undefined || grant.revokedAt !== null) return false
      grant.revokedAt = store.now()
      store.record({ action: 'consent.withdraw', userId: grant.userId, details: { application: grant.clientId } })
      return true
    },
    async revokeAll(userId, clientId) {
      const ended = endGrants(store, { userId, clientId })
      if (ended > 0) store.record({ action: 'consent.withdraw', userId, details: { application: clientId } })
      return ended
    },
    async list(userId) {
      const live = new Set([...tokens.values()].filter(givesAccess).map(({ grantId }) => grantId))
      const own = [...grants.values()].filter(
        (grant) => grant.userId === userId && grant.revokedAt === null && live.has(grant.id),
      )
      return structuredClone(own.sort(newestFirst))
    },
    async touch(grantId) {
      const grant = grants.get(grantId)
      if (grant !== undefined && store.isTouchDue(grant.lastUsedAt)) grant.lastUsedAt = store.now()
    },
  }
}
