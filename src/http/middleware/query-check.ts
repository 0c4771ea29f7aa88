import { hasTooManyFields, MAX_FIELDS } from '../body/fields.ts'
import { fail } from '../problems/problems.ts'
import type { Middleware } from '../routing/context.ts'

/**
 * Refuses a query with too many parameters before anything parses it. Koa compares each parameter with all others, so 60 kB of
 * parameters would take half a minute.
 */
export function queryCheck(): Middleware {
  return async (ctx, next) => {
    if (hasTooManyFields(ctx.querystring))
      throw fail('invalid_request', `The address has more than the limit of ${MAX_FIELDS} parameters.`, { limit: MAX_FIELDS })
    await next()
  }
}
