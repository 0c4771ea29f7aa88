import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import type { Records } from '../records/records.ts'
import type { Accounts } from './accounts.ts'
import { createLogins } from './logins.ts'
import { createOneTimeLinks } from './one-time-links.ts'
import { createPasswords } from './passwords.ts'
import type { Passwords } from './passwords.ts'
import { createSessions } from './sessions.ts'

export interface AccountsOptions {
  records: Pick<Records, 'users' | 'links' | 'sessions'>
  clock: Clock
  /** Failed logins allowed in 15 minutes, for an account and for an address; 0 for no limit. */
  loginFailures: number
  log: Logger
  passwords: Passwords
}

export function createAccounts(options: Omit<AccountsOptions, 'passwords'> & { passwords?: Passwords }): Accounts {
  const complete: AccountsOptions = { passwords: createPasswords(), ...options }
  return { ...createLogins(complete), ...createOneTimeLinks(complete), ...createSessions(complete) }
}
