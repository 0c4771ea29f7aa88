import { DocsearchError } from '../core/errors.ts'
import { foldName } from '../core/fold-name.ts'
import type { User } from '../core/model.ts'
import { networkOf } from '../core/network.ts'
import { type Counter, countInMemory, type MakeCounter } from '../core/rate-counter.ts'
import { waitText } from '../core/wait-text.ts'
import type { AccountsOptions, Logins } from './accounts.ts'
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

const WINDOW_SECONDS = 15 * 60
/**
 * The longest email address (RFC 5321 section 4.5.3.1). An attacker chooses the account name, so longer names that start alike
 * share a count.
 */
const MAX_ACCOUNT_CHARACTERS = 320

interface LoginLimits {
  /**
   * Counts an attempt as failed before it is made, so that many attempts at the same time can't all pass. The account need not exist.
   * Throws DocsearchError `too_many_failures` with `retryAfter` if the account or the address has no attempt left. Such an attempt doesn't count.
   */
  begin(attempt: { account: string; address: string }): Promise<{ succeeded(): Promise<void> }>
}

/**
 * Limits failed logins for each account and for each address. The 15 minutes start with the first failure. In memory, a restart forgets all failures.
 * @param failures Failures allowed in 15 minutes; 0 for no limit.
 */
export function createLoginLimits(failures: number, counters: MakeCounter = countInMemory): LoginLimits {
  if (failures === 0) return { begin: async () => ({ async succeeded() {} }) }
  const options = { limit: failures, seconds: WINDOW_SECONDS }
  const accounts = counters({ name: 'login_accounts', ...options })
  const addresses = counters({ name: 'login_addresses', ...options })
  return {
    async begin({ account: named, address }) {
      const account = named.slice(0, MAX_ACCOUNT_CHARACTERS)
      const network = networkOf(address)
      // The address comes first: otherwise one address could fill the memory with invented accounts.
      await count(addresses, network)
      try {
        await count(accounts, account)
      } catch (error) {
        await addresses.takeBack(network)
        throw error
      }
      return {
        async succeeded() {
          await accounts.forget(account)
          // Only this attempt: a user who logs in between guesses must not get more guesses at other accounts.
          await addresses.takeBack(network)
        },
      }
    },
  }
}

async function count(counter: Counter, key: string): Promise<void> {
  const state = await counter.take(key)
  if (!state.isOver) return
  await counter.takeBack(key)
  throw tooManyFailures(Math.max(1, Math.ceil(state.resetMs / 1000)))
}

function tooManyFailures(seconds: number): DocsearchError {
  return new DocsearchError('too_many_failures', `Too many failed logins. Try again in ${waitText(seconds)}.`, {
    retryAfter: seconds,
  })
}
