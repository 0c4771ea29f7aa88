import type { Operation } from '../../contract/operation.ts'
import type { Scope } from '../../core/model.ts'
import { fail } from '../problems.ts'
import type { Middleware } from '../step.ts'

/** RFC 6750 section 3.1: 403 with the scope that would do. */
export function scopeCheck(access: Operation['access']): Middleware {
  return async (ctx, next) => {
    const { principal } = ctx.state
    if (isScope(access) && principal !== undefined && !principal.scopes.has(access)) {
      throw fail(
        'insufficient_scope',
        `This needs the scope ${access}, which the credential does not have. Use one that has it.`,
        { scope: access },
      )
    }
    await next()
  }
}

function isScope(access: Operation['access']): access is Scope {
  return access.includes(':')
}
