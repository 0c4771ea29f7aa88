import { newId } from '../../../src/core/ids.ts'
import type { SessionRecord } from '../../../src/core/model.ts'
import type { Sessions } from '../../../src/records/sessions.ts'
import { newestFirst } from './lists.ts'
import { deleteWhere } from './store.ts'
import type { MemoryStore, StoredSession } from './store.ts'
import { presentUser } from './users.ts'

export function memorySessions(store: MemoryStore): Sessions {
  const { sessions, users } = store
  const isValid = ({ expiresAt, userId }: StoredSession) => !store.isPast(expiresAt) && store.isActiveUser(userId)
  return {
    async create(session) {
      const createdAt = store.now()
      const stored = { ...session, id: newId('ses', createdAt), createdAt, lastSeenAt: createdAt }
      sessions.set(stored.id, stored)
      const user = users.get(session.userId)
      if (user !== undefined) user.lastLoginAt = createdAt
      const { userId, userAgent } = session
      store.record({ action: 'user.login', actorId: userId, userId, details: { session: stored.id, user_agent: userAgent } })
      return present(stored)
    },
    async findByHash(sha256) {
      const session = [...sessions.values()].find((one) => one.sha256 === sha256)
      if (session === undefined || !isValid(session)) return null
      return { session: present(session), user: presentUser(users.get(session.userId)!) }
    },
    async findValid(sha256s) {
      const all = [...sessions.values()]
      return new Set(all.filter((one) => sha256s.includes(one.sha256) && isValid(one)).map(({ sha256 }) => sha256))
    },
    async touch(id, expiresAt) {
      const session = sessions.get(id)
      if (session === undefined || store.isPast(session.expiresAt) || !store.isTouchDue(session.lastSeenAt)) return
      Object.assign(session, { lastSeenAt: store.now(), expiresAt })
    },
    async list(userId) {
      const own = [...sessions.values()].filter((session) => session.userId === userId && !store.isPast(session.expiresAt))
      return own.sort(newestFirst).map(present)
    },
    async delete(userId, id) {
      if (sessions.get(id)?.userId !== userId) return false
      store.record({ action: 'user.logout', userId, details: { session: id } })
      return sessions.delete(id)
    },
    async deleteOthers(userId, exceptId) {
      const ended = deleteWhere(sessions, (session) => session.userId === userId && session.id !== exceptId)
      if (ended > 0) store.record({ action: 'user.logout', userId, details: { sessions: ended } })
      return ended
    },
    sweep: async () => deleteWhere(sessions, ({ expiresAt }) => store.isPast(expiresAt)),
  }
}

function present({ sha256: _sha256, ...session }: StoredSession): SessionRecord {
  return session
}
