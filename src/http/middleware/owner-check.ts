import { fail } from '../problems.ts'
import type { Services } from '../services.ts'
import type { Middleware } from '../step.ts'

/** What belongs to the whole instance is the owner's: a member is refused, whatever the scopes of the credential. */
export function ownerCheck({ records }: Pick<Services, 'records'>): Middleware {
  return async (ctx, next) => {
    const { principal } = ctx.state
    if (principal !== undefined && (await records.users.get(principal.userId))?.role !== 'owner') {
      throw fail('owner_only', 'Only the owner of this instance may do this. Ask them, or use a credential of theirs.')
    }
    await next()
  }
}
