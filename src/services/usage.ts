import { isDocsearchError } from '../core/errors.ts'
import type { Quotas, Usage, User } from '../core/model.ts'
import { effectiveQuotas, NO_USAGE, ownersQuotaExceeded } from '../records/quotas.ts'
import type { Records } from '../records/records.ts'
import type { Actor } from './access.ts'

/** A user with usage and the quotas that apply. */
export interface UserWithUsage extends User {
  usage: Usage
  quotas: Quotas
}

/** Adds usage and quotas to each user. `ofInstance` are the quotas of users who have none of their own. */
export async function withUsage(
  users: readonly User[],
  { records, ofInstance }: { records: Pick<Records, 'users'>; ofInstance: Quotas },
): Promise<UserWithUsage[]> {
  const usage = await records.users.usage(users.map(({ id }) => id))
  return users.map((user) => ({
    ...user,
    usage: usage.get(user.id) ?? NO_USAGE,
    quotas: effectiveQuotas(user.ownQuotas, ofInstance),
  }))
}

/**
 * Runs a change of a document that counts towards the quotas of an owner. The numbers of `quota_exceeded` are about all projects of the owner, so only
 * the owner gets them, and only with a credential that sees all of these projects.
 */
export async function withinQuotaOf<T>(ownerId: string, actor: Actor, change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    const mayKnow = actor.userId === ownerId && actor.projectIds === null
    throw !mayKnow && isDocsearchError(error, 'quota_exceeded') ? ownersQuotaExceeded(error) : error
  }
}
