import type { Quotas, Usage, User } from '../core/model.ts'
import { effectiveQuotas, NO_USAGE } from '../records/quotas.ts'
import type { Records } from '../records/records.ts'

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
