import { limitFact } from '../../../src/core/audit.ts'
import type { OAuthCodes } from '../../../src/records/oauth-codes.ts'
import { makeGrant } from './oauth-changes.ts'
import type { MemoryStore } from './store.ts'

export function memoryCodes(store: MemoryStore): OAuthCodes {
  const { codes } = store
  return {
    async create({ sha256, ...code }) {
      codes.set(sha256, { ...code, grantId: null })
      const { userId, clientId, scopes, projectIds } = code
      store.record({
        action: 'consent.give',
        userId,
        details: { application: clientId, scopes: [...scopes], ...limitFact(projectIds) },
      })
    },
    async find(sha256) {
      const code = codes.get(sha256)
      return code === undefined ? null : structuredClone(code)
    },
    async redeem(sha256, tokens) {
      const code = codes.get(sha256)
      if (code === undefined || code.grantId !== null) return null
      if (store.isPast(code.expiresAt) || !store.isActiveUser(code.userId)) return null
      const grant = makeGrant(store, code, tokens)
      code.grantId = grant.id
      return grant
    },
  }
}
