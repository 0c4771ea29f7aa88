import type { Authenticator } from '../../auth/auth.ts'
import type { Operation } from '../../contract/operation.ts'
import type { KeyScope } from '../../core/model.ts'
import { hashSecret } from '../../core/secrets.ts'
import { requireOwner, requireScope } from '../../services/access.ts'
import type { Account } from '../../services/account.ts'
import { fail } from '../problems/problems.ts'
import type { Ctx, Middleware } from '../routing/context.ts'
import { beginMoment } from './credential-watch.ts'
import type { RateLimits } from './rate-limit.ts'
import { callAsUser, credentialOf } from './request.ts'

/** No credential is longer than this; a longer text is not looked at. */
const MAX_CHARACTERS = 512

/** Accepts bearer credentials in the Authorization header and nowhere else: one in an address ends up in histories and logs. */
export function authenticate(options: {
  access: Operation['access']
  authenticator: Authenticator
  account: Pick<Account, 'identify'>
  limits: RateLimits
  baseUrl: () => string
}): Middleware {
  const { access, authenticator, account, limits, baseUrl } = options
  return async (ctx, next) => {
    if (access === 'public') return next()
    ctx.state.access = access
    if (ctx.get('Authorization') === '') {
      if (access === 'optional') return next()
      throw fail('unauthorized', 'Send a credential: `Authorization: Bearer <API key or access token>`.')
    }
    const credential = bearerCredential(ctx)
    const moment = await beginMoment(ctx)
    const principal = credential === null ? null : await moment.run(() => authenticator.authenticate(credential))
    if (credential === null || principal === null) {
      await limits.countFailure(ctx)
      throw fail('invalid_token', 'The credential is unknown, revoked or expired. Create a new key or log in again.')
    }
    if (!isMeantFor(principal.resource ?? null, baseUrl(), ctx.path))
      throw fail(
        'invalid_token',
        `The token was issued for another resource. Ask for one with resource=${baseUrl()}${ctx.state.resource ?? ''}.`,
      )
    ctx.state.principal = principal
    ctx.state.credential = { kind: principal.via, key: hashSecret(credential) }
    ctx.state.actor = await moment.run(() => account.identify(principal))
    await callAsUser(ctx, principal.userId, credentialOf(principal), next)
  }
}

/** RFC 8707: a token that an application asked for with a resource is good for that address and those below it. */
function isMeantFor(resource: string | null, baseUrl: string, path: string): boolean {
  return resource === null || `${baseUrl}${path}/`.startsWith(resource.endsWith('/') ? resource : `${resource}/`)
}

function bearerCredential(ctx: Ctx): string | null {
  const credential = /^bearer +([^\s]+) *$/i.exec(ctx.get('Authorization'))?.[1]
  return credential === undefined || credential.length > MAX_CHARACTERS ? null : credential
}

/** Refuses a caller who may not use the operation at all, before the body is read. The services ask the same rules again. */
export function accessCheck({ access, role }: Pick<Operation, 'access' | 'role'>): Middleware {
  return async (ctx, next) => {
    const { actor } = ctx.state
    if (actor !== undefined && isScope(access)) requireScope(actor, access)
    if (actor !== undefined && role === 'owner') requireOwner(actor)
    await next()
  }
}

function isScope(access: Operation['access']): access is KeyScope {
  return access.includes(':')
}
