import type { Authenticator } from '../../auth/auth.ts'
import type { Operation } from '../../contract/openapi.ts'
import { fail } from '../problems.ts'
import type { Ctx } from '../route.ts'
import type { Middleware } from '../step.ts'
import type { RateLimits } from './rate-limit.ts'

/** Longer than any credential of ours; more is not even looked at. */
const MOST_CHARACTERS = 512

/**
 * Bearer credentials in the Authorization header and nowhere else: one in an address ends up in histories and logs.
 * RFC 6750 section 3: no error code where no credential was sent.
 */
export function authenticate(options: { access: Operation['access']; authenticator: Authenticator; baseUrl: () => string; limits: RateLimits }): Middleware {
  const { access, authenticator, baseUrl, limits } = options
  return async (ctx, next) => {
    if (access === 'public') return next()
    const header = ctx.get('Authorization')
    if (header === '') {
      if (access === 'optional') return next()
      ctx.set('WWW-Authenticate', challenge(baseUrl()))
      throw fail('unauthorized', 'Send a credential: `Authorization: Bearer <API key or access token>`.')
    }
    const credential = /^bearer +([^\s]+) *$/i.exec(header)?.[1]
    const principal = credential === undefined || credential.length > MOST_CHARACTERS ? null : await authenticator.authenticate(credential)
    if (principal === null) {
      await limits.countFailure(ctx)
      ctx.set('WWW-Authenticate', challenge(baseUrl(), { error: 'invalid_token', error_description: 'unknown, revoked or expired' }))
      throw fail('invalid_token', 'The credential is unknown, revoked or expired. Make a new key or log in again.')
    }
    ctx.state.principal = principal
    await next()
  }
}

/** Value of WWW-Authenticate, with the place that says how to get a token (RFC 9728). */
export function challenge(baseUrl: string, fields: Record<string, string> = {}): string {
  const all = { realm: 'docsearch', ...fields, resource_metadata: `${baseUrl}/.well-known/oauth-protected-resource` }
  return `Bearer ${Object.entries(all)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`
}

/** Whether the credential of a long answer is still good. */
export async function isStillValid(ctx: Ctx, authenticator: Authenticator): Promise<boolean> {
  const credential = /^bearer +([^\s]+) *$/i.exec(ctx.get('Authorization'))?.[1]
  return credential !== undefined && (await authenticator.authenticate(credential)) !== null
}
