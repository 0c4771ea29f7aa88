import type { User } from '../../../contract/users.ts'
import { isIdSuffix } from '../../../core/ids.ts'
import type { Administration } from '../administer.ts'
import { endsWith, onlyMatch } from '../find.ts'
import { collectPages } from '../pages.ts'

export const USER = 'Email address or ID'

/** Returns the email address or ID to ask the instance for. Finds the user if the argument may be the end of an ID, as tables show it. */
export async function userNamed({ users }: Administration, given: string): Promise<string> {
  if (!isIdSuffix(given)) return given
  const all = await collectPages<User>(undefined, async (page) => {
    const answer = await users.list(page)
    return { items: answer.users, next: answer.next_cursor }
  })
  const missing = { code: 'user_not_found', message: `No user has the ID or email ${JSON.stringify(given)}.` } as const
  const matches = all.filter(({ id }) => endsWith(id, given))
  return onlyMatch(matches, { given, nouns: 'users', missing }).id
}
