import { randomBytes } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { DocsearchError } from '../core/errors.ts'
import { foldName } from '../core/fold-name.ts'
import type { Logger } from '../core/logger.ts'
import type { LinkPurpose, SessionRecord, User } from '../core/model.ts'
import { networkOf } from '../core/network.ts'
import { type Counter, countInMemory, type MakeCounter } from '../core/rate-counter.ts'
import { hashSecret } from '../core/secrets.ts'
import { waitText } from '../core/wait-text.ts'
import type { Records } from '../records/records.ts'
import { checkNewPassword } from './password-rules.ts'
import { createPasswords, type Passwords } from './passwords.ts'

/** Users' passwords, one-time links and browser sessions. */
export interface Accounts extends Logins, OneTimeLinks, Sessions {}

export interface Logins {
  /**
   * Checks an email address and a password. Returns null if they are wrong, the user is disabled or has no password. An unknown address takes as
   * long as a known one. Throws DocsearchError `too_many_failures` with `retryAfter` if the account or the address has failed too often.
   */
  logIn(attempt: { email: string; password: string; address: string }): Promise<User | null>
  /** Asks for the password again, before something dangerous or a change of password. Counts as a login. */
  checkPassword(userId: string, password: string, address: string): Promise<boolean>
  /**
   * Sets a password and ends all one-time links of the user.
   * Throws `password_too_short`, `password_too_long`, `password_too_common` or `user_not_found`.
   */
  setPassword(userId: string, password: string): Promise<void>
}

export interface OneTimeLinks {
  /** Makes a link and ends the user's earlier ones. A setup link lives 30 minutes, an invitation 7 days, a reset 1 day. The token is shown only once. */
  issueLink(userId: string, purpose: LinkPurpose): Promise<{ token: string; expiresAt: Date }>
  /** Returns null if the link is unknown, used or expired. */
  findLink(token: string): Promise<{ user: User; purpose: LinkPurpose } | null>
  /**
   * Uses a link: sets the password, and name and email if they are given (the first owner has neither yet), and ends all sessions of the user.
   * Returns null if the link is unknown, used or expired. Before the link is used up, throws as setPassword does, and `user_exists` or
   * `email_required` (the user has no address and none is given).
   */
  useLink(token: string, account: { password: string; email?: string; name?: string }): Promise<User | null>
}

export interface Sessions {
  /** Starts a session of 14 days, which each use extends. The token goes into the cookie. */
  startSession(user: User, from: { userAgent: string; address: string }): Promise<{ token: string; session: SessionRecord }>
  /** Returns null if the session is unknown, ended or expired, or its user is disabled. */
  findSession(token: string): Promise<{ session: SessionRecord; user: User } | null>
  endSession(userId: string, sessionId: string): Promise<boolean>
  /** Ends all sessions of the user except `keepId`, and returns how many. */
  endOtherSessions(userId: string, keepId: string | null): Promise<number>
  listSessions(userId: string): Promise<SessionRecord[]>
}

/** What logins, one-time links and sessions are made of. */
export interface AccountsOptions {
  records: Pick<Records, 'users' | 'links' | 'sessions' | 'audit'>
  clock: Clock
  /** Failed logins allowed in 15 minutes, for an account and for an address; 0 for no limit. */
  loginFailures: number
  /** Counts failed logins. By default, this process counts its own. */
  counters?: MakeCounter | undefined
  log: Logger
  passwords: Passwords
}

export function createAccounts(options: Omit<AccountsOptions, 'passwords'> & { passwords?: Passwords }): Accounts {
  const complete: AccountsOptions = { passwords: createPasswords(), ...options }
  return { ...createLogins(complete), ...createOneTimeLinks(complete), ...createSessions(complete) }
}

const SESSION_LIFE_MS = 14 * 24 * 60 * 60 * 1000
const MAX_USER_AGENT_LENGTH = 300

/** Logins of browsers. */
function createSessions({ records: { sessions }, clock, log }: AccountsOptions): Sessions {
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

const HOUR_MS = 60 * 60 * 1000
const LINK_LIFE_MS: Record<LinkPurpose, number> = { setup: HOUR_MS / 2, invitation: 7 * 24 * HOUR_MS, reset: 24 * HOUR_MS }

/** Links with which a user sets a password without knowing an old one. */
function createOneTimeLinks({ records, clock, passwords }: AccountsOptions): OneTimeLinks {
  const { users, links } = records

  async function findLink(token: string): ReturnType<OneTimeLinks['findLink']> {
    const link = await links.find(hashSecret(token))
    const user = link && (await users.get(link.userId))
    return link && user ? { user, purpose: link.purpose } : null
  }

  return {
    async issueLink(userId, purpose) {
      const token = newToken()
      const expiresAt = new Date(clock.now().getTime() + LINK_LIFE_MS[purpose])
      await links.revokeAll(userId)
      await links.create({ userId, purpose, sha256: hashSecret(token), expiresAt })
      return { token, expiresAt }
    },
    findLink,
    async useLink(token, { password, email, name }) {
      const found = await findLink(token)
      if (found === null) return null
      const { user } = found
      const changed = { email: email ?? user.email, name: name ?? user.name }
      if (changed.email === null)
        throw new DocsearchError('email_required', 'You need an email address to log in with. Enter yours.')
      checkNewPassword(password, changed)
      return links.claim(hashSecret(token), {
        passwordHash: await passwords.hash(password),
        ...(email === undefined ? {} : { email }),
        ...(name === undefined ? {} : { name }),
      })
    },
  }
}

/** Returns 256 random bits, for a link or a cookie. */
function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Logins by password. A caller can't learn whether an account exists, neither from the time an attempt takes nor from the limits. */
function createLogins({ records, loginFailures, counters, log, passwords }: AccountsOptions): Logins {
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
