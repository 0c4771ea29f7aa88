import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import type { LinkPurpose, SessionRecord, User } from '../core/model.ts'
import type { MakeCounter } from '../core/rate-counter.ts'
import type { Records } from '../records/records.ts'
import type { Passwords } from './passwords.ts'

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
