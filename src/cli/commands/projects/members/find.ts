import type { Client } from '../../../../client/client.ts'
import type { Member } from '../../../../contract/members.ts'
import { isDocsearchError } from '../../../../core/errors.ts'
import { isIdSuffix } from '../../../../core/ids.ts'
import { EVERYONE } from '../../../../core/model.ts'
import { endsWith, onlyMatch } from '../../find.ts'
import { userNamed } from '../../users/find.ts'

/** A member as messages name them. */
export function nameOf(user: Member['user']): string {
  return user === EVERYONE ? EVERYONE : (user.email ?? user.name)
}

/**
 * Returns the email address or ID to send to the instance. Finds the user if the argument may be the end of an ID, as tables show it:
 * among the members of the project, and for the owner of the instance among all users.
 */
export async function personNamed(client: Client, project: string, given: string): Promise<string> {
  if (given === EVERYONE || !isIdSuffix(given)) return given
  const { members } = await client.projects.members.list(project)
  const people = members.flatMap(({ user }) => (user === EVERYONE ? [] : [user])).filter(({ id }) => endsWith(id, given))
  if (people.length === 0)
    return userNamed(client, given).catch((error: unknown) => {
      // Only the owner may list users. For others, the instance says that it does not know this one.
      if (isDocsearchError(error, 'owner_only') || isDocsearchError(error, 'insufficient_scope')) return given
      throw error
    })
  const missing = { code: 'user_not_found', message: `No member has the ID ${JSON.stringify(given)}.` } as const
  return onlyMatch(people, { given, nouns: 'members', missing }).id
}
