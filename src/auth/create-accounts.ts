import { randomBytes } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { DocsearchError } from '../core/errors.ts'
import { foldName } from '../core/fold-name.ts'
import type { Logger } from '../core/logger.ts'
import type { LinkPurpose, User } from '../core/model.ts'
import { hashSecret } from '../core/secrets.ts'
import type { Records } from '../records/records.ts'
import type { Accounts } from './accounts.ts'
import { createLoginLimits } from './login-limits.ts'
import { checkNewPassword } from './password-rules.ts'
import { createPasswords } from './passwords.ts'
import type { Passwords } from './passwords.ts'

const HOUR_MS = 60 * 60 * 1000
const LINK_LIFE_MS: Record<LinkPurpose, number> = { setup: HOUR_MS / 2, invitation: 7 * 24 * HOUR_MS, reset: 24 * HOUR_MS }
const SESSION_LIFE_MS = 14 * 24 * HOUR_MS
const LONGEST_USER_AGENT = 300

/** `loginFailures`: within 15 minutes, for an account and for an address; 0 for no limit. */
export function createAccounts(options: {
  records: Pick<Records, 'users' | 'links' | 'sessions'>
  clock: Clock
  loginFailures: number
  log: Logger
  passwords?: Passwords
}): Accounts {
  const { records, clock, loginFailures, log, passwords = createPasswords() } = options
  const { users, links, sessions } = records
  const limits = createLoginLimits(loginFailures)
  const after = (ms: number) => new Date(clock.now().getTime() + ms)

  /** `account` is what was named, whether or not there is such a user: neither time nor limits tell. */
  async function verify(account: string, user: User | null, password: string, address: string): Promise<boolean> {
    const attempt = await limits.begin({ account: foldName(account), address })
    const phc = user === null ? null : await users.passwordHash(user.id)
    if (!(await passwords.verify(password, phc)) || user === null || phc === null || user.disabledAt !== null) {
      log.info({ user: user?.id ?? null, address }, 'a login failed')
      return false
    }
    await attempt.succeeded()
    if (passwords.isOutdated(phc)) await users.setPasswordHash(user.id, await passwords.hash(password), phc)
    return true
  }

  return {
    async logIn({ email, password, address }) {
      const user = await users.findByEmail(email)
      return (await verify(email, user, password, address)) ? user : null
    },
    async checkPassword(userId, password, address) {
      const user = await users.get(userId)
      return verify(user?.email ?? userId, user, password, address)
    },
    async setPassword(userId, password) {
      const user = await users.get(userId)
      if (user === null) throw new DocsearchError('user_not_found', 'There is no such user any more.')
      checkNewPassword(password, user)
      await users.setPasswordHash(userId, await passwords.hash(password))
      // A link that was sent before must not undo this.
      await links.revokeAll(userId)
    },

    async issueLink(userId, purpose) {
      const token = newToken()
      const expiresAt = after(LINK_LIFE_MS[purpose])
      await links.revokeAll(userId)
      await links.create({ userId, purpose, sha256: hashSecret(token), expiresAt })
      return { token, expiresAt }
    },
    async findLink(token) {
      const link = await links.find(hashSecret(token))
      const user = link && (await users.get(link.userId))
      return link && user ? { user, purpose: link.purpose } : null
    },
    async useLink(token, { password, email, name }) {
      const found = await this.findLink(token)
      if (found === null) return null
      const { user } = found
      const person = { email: email ?? user.email, name: name ?? user.name }
      if (person.email === null)
        throw new DocsearchError('email_required', 'An account needs an email address to log in with. Give yours.')
      checkNewPassword(password, person)
      return links.claim(hashSecret(token), {
        passwordHash: await passwords.hash(password),
        ...(email === undefined ? {} : { email }),
        ...(name === undefined ? {} : { name }),
      })
    },

    async startSession(user, { userAgent, address }) {
      const token = newToken()
      const session = await sessions.create({
        userId: user.id,
        sha256: hashSecret(token),
        userAgent: userAgent.slice(0, LONGEST_USER_AGENT),
        address,
        expiresAt: after(SESSION_LIFE_MS),
      })
      return { token, session }
    },
    async findSession(token) {
      const found = await sessions.findByHash(hashSecret(token))
      if (found === null) return null
      try {
        await sessions.touch(found.session.id, after(SESSION_LIFE_MS))
      } catch (error) {
        // "Last seen" is a convenience: on a full disk pages must still be shown.
        log.warn({ err: error }, 'the use of a session could not be noted')
      }
      return found
    },
    endSession: (userId, sessionId) => sessions.delete(userId, sessionId),
    endOtherSessions: (userId, keepId) => sessions.deleteOthers(userId, keepId),
    listSessions: (userId) => sessions.list(userId),
  }
}

/** 256 random bits, for a link or a cookie. */
function newToken(): string {
  return randomBytes(32).toString('base64url')
}
