import type { OneTimeLinks } from '../../../src/records/links.ts'
import { deleteWhere } from './store.ts'
import type { MemoryStore, StoredLink } from './store.ts'
import { presentUser, refuseTakenEmail } from './users.ts'

export function memoryLinks(store: MemoryStore): OneTimeLinks {
  const { links } = store

  function findUsable(sha256: string): StoredLink | null {
    const link = links.get(sha256)
    if (link === undefined || link.isUsed || store.isPast(link.expiresAt) || !store.isActiveUser(link.userId)) return null
    return link
  }

  return {
    async create({ sha256, ...link }) {
      links.set(sha256, { ...link, isUsed: false })
      const action = link.purpose === 'reset' ? 'user.reset' : 'user.invite'
      store.record({ action, userId: link.userId, details: { expires_at: link.expiresAt.toISOString() } })
    },
    async find(sha256) {
      const link = findUsable(sha256)
      return link && { userId: link.userId, purpose: link.purpose, expiresAt: link.expiresAt }
    },
    async claim(sha256, { passwordHash, email, name }) {
      const link = findUsable(sha256)
      if (link === null) return null
      const user = store.users.get(link.userId)!
      if (email !== undefined) refuseTakenEmail(store, email, user.id)
      link.isUsed = true
      user.passwordHash = passwordHash
      user.email = email ?? user.email
      user.name = name ?? user.name
      deleteWhere(links, (other) => other.userId === user.id && !other.isUsed)
      deleteWhere(store.sessions, ({ userId }) => userId === user.id)
      store.record({ action: 'user.password', actorId: user.id, userId: user.id, details: { link: link.purpose } })
      return presentUser(user)
    },
    async revokeAll(userId) {
      deleteWhere(links, (link) => link.userId === userId && !link.isUsed)
    },
    sweep: async () => deleteWhere(links, ({ expiresAt }) => store.isPast(expiresAt)),
  }
}
