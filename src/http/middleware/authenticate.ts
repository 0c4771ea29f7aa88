import type { Authenticator } from '../../auth/auth.ts'
import type { Operation } from '../../contract/operation.ts'
import { fail } from '../problems.ts'
import type { Ctx } from '../route.ts'
import type { Middleware } from '../step.ts'
import type { RateLimits } from './rate-limit.ts'

/** Longer than any credential of ours; more is not even looked at. */
const MOST_CHARACTERS = 512

/**
 * Bearer credentials in the Authorization header and nowhere else: one in an address ends up in histories and logs.
 */
export function authenticate(options: {
  access: Operation['access']
  authenticator: Authenticator
  limits: RateLimits
}): Middleware {
  const { access, authenticator, limits } = options
  return async (ctx, next) => {
    if (access === 'public') return next()
    const header = ctx.get('Authorization')
    if (header === '') {
      if (access === 'optional') return next()
      throw fail('unauthorized', 'Send a credential: `Authorization: Bearer <API key or access token>`.')
    }
    const credential = /^bearer +([^\s]+) *$/i.exec(header)?.[1]
    const principal =
      credential === undefined || credential.length > MOST_CHARACTERS ? null : await authenticator.authenticate(credential)
    if (principal === null) {
      await limits.countFailure(ctx)
      throw fail('invalid_token', 'The credential is unknown, revoked or expired. Make a new key or log in again.')
    }
    ctx.state.principal = principal
    await next()
  }
}

/** Whether the credential of a long answer is still good. */
export async function isStillValid(ctx: Ctx, authenticator: Authenticator): Promise<boolean> {
  const credential = /^bearer +([^\s]+) *$/i.exec(ctx.get('Authorization'))?.[1]
  return credential !== undefined && (await authenticator.authenticate(credential)) !== null
}
