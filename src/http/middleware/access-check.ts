import type { Operation } from '../../contract/operation.ts'
import type { KeyScope } from '../../core/model.ts'
import { requireOwner, requireScope } from '../../services/access.ts'
import type { Middleware } from '../routing/context.ts'

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
