import { hashSecret } from '../core/secrets.ts'
import type { AccountsOptions, Sessions } from './accounts.ts'
import { newToken } from './one-time-links.ts'

const SESSION_LIFE_MS = 14 * 24 * 60 * 60 * 1000
const MAX_USER_AGENT_LENGTH = 300

/** Logins of browsers. */
export function createSessions({ records: { sessions }, clock, log }: AccountsOptions): Sessions {
  const expiry = (): Date => new Date(clock.now().getTime() + SESSION_LIFE_MS)
  return {
    async startSession(user, { userAgent, address }) {
      const token = newToken()
      const session = await sessions.create({
        userId: user.id,
        sha256: hashSecret(token),
        userAgent: userAgent.slice(0, MAX_USER_AGENT_LENGTH),
        address,
        expiresAt: expiry(),
      })
      return { token, session }
    },
    async findSession(token) {
      const found = await sessions.findByHash(hashSecret(token))
      if (found === null) return null
      try {
        await sessions.touch(found.session.id, expiry())
      } catch (error) {
        // Pages must still be shown when the disk is full, and "last seen" is only a convenience.
        log.warn({ err: error }, 'could not record the use of a session')
      }
      return found
    },
    endSession: (userId, sessionId) => sessions.delete(userId, sessionId),
    endOtherSessions: (userId, keepId) => sessions.deleteOthers(userId, keepId),
    listSessions: (userId) => sessions.list(userId),
  }
}
