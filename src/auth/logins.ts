import { DocsearchError } from '../core/errors.ts'
import { foldName } from '../core/fold-name.ts'
import type { User } from '../core/model.ts'
import type { AccountsOptions, Logins } from './accounts.ts'
import { createLoginLimits } from './login-limits.ts'
import { checkNewPassword } from './password-rules.ts'

/** Logins by password. A caller can't learn whether an account exists, neither from the time an attempt takes nor from the limits. */
export function createLogins({ records, loginFailures, counters, log, passwords }: AccountsOptions): Logins {
  const { users, links, audit } = records
  const limits = createLoginLimits(loginFailures, counters)

  /** @param account What the caller named, even if there is no such user. */
  async function verify(account: string, user: User | null, password: string, address: string): Promise<boolean> {
    const attempt = await limits.begin({ account: foldName(account), address })
    const phc = user === null ? null : await users.passwordHash(user.id)
    if (!(await passwords.verify(password, phc)) || user === null || phc === null || user.disabledAt !== null) {
      log.info({ user: user?.id ?? null, address }, 'a login failed')
      await recordFailure(user)
      return false
    }
    await attempt.succeeded()
    if (passwords.isOutdated(phc)) await users.setPasswordHash(user.id, await passwords.hash(password), phc)
    return true
  }

  /** Records no name that has no account: some people type their password there. The answer to the login doesn't depend on the record. */
  async function recordFailure(user: User | null): Promise<void> {
    try {
      await audit.record({ action: 'user.login_failed', isRepeated: true, ...(user !== null && { userId: user.id }) })
    } catch (error) {
      log.warn({ err: error }, 'could not record a failed login')
    }
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
      if (user === null) throw new DocsearchError('user_not_found', 'This user no longer exists.')
      checkNewPassword(password, user)
      await users.setPasswordHash(userId, await passwords.hash(password))
      // A link that was sent earlier must not replace the new password.
      await links.revokeAll(userId)
    },
  }
}
