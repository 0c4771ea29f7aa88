import type { Accounts, AccountsOptions } from './accounts.ts'
import { createLogins } from './logins.ts'
import { createOneTimeLinks } from './one-time-links.ts'
import { createPasswords } from './passwords.ts'
import type { Passwords } from './passwords.ts'
import { createSessions } from './sessions.ts'

export function createAccounts(options: Omit<AccountsOptions, 'passwords'> & { passwords?: Passwords }): Accounts {
  const complete: AccountsOptions = { passwords: createPasswords(), ...options }
  return { ...createLogins(complete), ...createOneTimeLinks(complete), ...createSessions(complete) }
}
