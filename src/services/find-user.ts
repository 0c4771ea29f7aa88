import { DocsearchError } from '../core/errors.ts'
import type { User } from '../core/model.ts'
import type { Records } from '../records/records.ts'

/** Finds a user by ID or email. Throws `user_not_found`. */
export async function findUser(users: Pick<Records['users'], 'get' | 'findByEmail'>, idOrEmail: string): Promise<User> {
  const user = await (idOrEmail.includes('@') ? users.findByEmail(idOrEmail) : users.get(idOrEmail))
  if (user === null) throw userNotFound(idOrEmail)
  return user
}

export function userNotFound(idOrEmail: string): DocsearchError {
  return new DocsearchError('user_not_found', `No user has the ID or email ${JSON.stringify(idOrEmail.slice(0, 100))}.`)
}
