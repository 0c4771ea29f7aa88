import type { LinkPurpose, SessionRecord, User } from '../core/model.ts'

/** People: passwords, one-time links, sessions of browsers. */
export interface Accounts {
  /**
   * Checks email and password; takes as long for an unknown address as for a known one. Null when wrong, disabled or without a password.
   * Throws DocsearchError `too_many_failures` (retryAfter) above the configured failures within 15 minutes for the account or the address the caller has.
   */
  logIn(attempt: { email: string; password: string; address: string }): Promise<User | null>
  /** Again, for what is dangerous, and for changing the password. Counts as a login attempt. */
  checkPassword(userId: string, password: string, address: string): Promise<boolean>
  /** Throws `password_too_short` (under 10 characters), `password_too_long` (over 1,000), `password_too_common`, `user_not_found`. Links sent before end. */
  setPassword(userId: string, password: string): Promise<void>

  /** A new link; those before it end. Setup 30 minutes, invitation 7 days, reset 1 day. The token is returned this once. */
  issueLink(userId: string, purpose: LinkPurpose): Promise<{ token: string; expiresAt: Date }>
  findLink(token: string): Promise<{ user: User; purpose: LinkPurpose } | null>
  /**
   * Uses a link up: sets the password, and name and email where given (the first owner has neither yet). Null when the link is unknown, used or expired;
   * throws like setPassword, `user_exists`, and `email_required` (the user has none and none is given) before anything is used up. All sessions of the user end.
   */
  useLink(token: string, account: { password: string; email?: string; name?: string }): Promise<User | null>

  /** A new session for this user; the token goes into the cookie. 14 days, moved on while it is used. */
  startSession(user: User, from: { userAgent: string; address: string }): Promise<{ token: string; session: SessionRecord }>
  /** Null when unknown, ended or expired, or the user is disabled. */
  findSession(token: string): Promise<{ session: SessionRecord; user: User } | null>
  endSession(userId: string, sessionId: string): Promise<boolean>
  /** All but this one. */
  endOtherSessions(userId: string, keepId: string | null): Promise<number>
  listSessions(userId: string): Promise<SessionRecord[]>
}
