import type { HttpSettings } from '../../dependencies.ts'
import type { Middleware } from '../../routing/context.ts'
import { csrfFailed, hasValidToken } from '../session/csrf.ts'
import { redirect, type Page } from './page.ts'
import { safeReturnTo } from './return-to.ts'

/**
 * Refuses a posted form without a valid token. It runs before the handler, so nothing has changed yet. Often the form is only out
 * of date, because the user has logged in or out in another tab. If no user is logged in, the browser goes to the address that
 * shows the form again, which asks for the login. Otherwise the error view links to that address. `viewAbove` returns the nearest
 * view for forms without such an address.
 */
export function formCheck(row: Page, settings: HttpSettings, viewAbove: (path: string) => string): Middleware {
  return async (ctx, next) => {
    if (hasValidToken(ctx, settings, row)) return next()
    const { form, login } = ctx.state
    const field = (name: string) => form?.fields[name]?.[0] ?? ''
    const address = safeReturnTo(row.formAddress?.(field)) ?? viewAbove(ctx.path)
    const isSent = form !== undefined && form.csrf !== ''
    if (isSent && login === undefined && row.isBeforeLogin !== true) return redirect(ctx, address, 303)
    ctx.state.formAddress = address
    throw csrfFailed()
  }
}
