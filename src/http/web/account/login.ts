import { z } from 'zod'
import { DocsearchError } from '../../../core/errors.ts'
import type { OAuth } from '../../../oauth/oauth.ts'
import { renderLoggedOut, renderLogin } from '../../../pages/account/login.tsx'
import { paths } from '../../../pages/paths.ts'
import type { Ctx } from '../../routing/context.ts'
import type { Dependencies } from '../../dependencies.ts'
import { authorizeRequestOf } from './authorize.ts'
import { redirectToLogin, type Page } from '../routing/page.ts'
import { allowFormTarget } from '../routing/page-policy.ts'
import { safeReturnTo } from '../routing/return-to.ts'
import { beginSession, finishSession } from '../session/session.ts'

const returnToField = z.string().optional()
/** Missing fields get the same answer as wrong ones. */
const loginForm = z.object({ email: z.string().default(''), password: z.string().default(''), return_to: returnToField })

type Parts = Pick<Dependencies, 'accounts' | 'oauth' | 'settings'>

export const loginPages = (parts: Parts): Page[] => [
  {
    method: 'GET',
    path: paths.login,
    access: 'anyone',
    async handle({ ctx, visitor, csrf, show, goTo }) {
      const sent = ctx.query['return_to']
      const returnTo = safeReturnTo(typeof sent === 'string' ? sent : undefined)
      if (visitor !== null) return goTo(returnTo ?? paths.home)
      const notice = await loginNotice(ctx, parts.oauth, returnTo)
      show(renderLogin({ csrf, returnTo, email: '', failure: null, notice }))
    },
  },
  {
    method: 'POST',
    path: paths.login,
    access: 'anyone',
    async handle({ ctx, csrf, submitted, show, goTo }) {
      const { data } = submitted(loginForm)
      const { email = '', password = '', return_to } = data ?? {}
      const returnTo = safeReturnTo(return_to)
      const again = { csrf, returnTo, email, notice: await loginNotice(ctx, parts.oauth, returnTo) }
      try {
        const user = await parts.accounts.logIn({ email, password, address: ctx.ip })
        if (user === null) return show(renderLogin({ ...again, failure: 'wrong' }), 422)
        await beginSession(ctx, parts, user)
        goTo(returnTo ?? paths.home)
      } catch (error) {
        if (!(error instanceof DocsearchError) || error.code !== 'too_many_failures') throw error
        const seconds = Math.ceil(error.retryAfter ?? 60)
        ctx.set('Retry-After', String(seconds))
        show(renderLogin({ ...again, failure: { waitMinutes: Math.ceil(seconds / 60) } }), 429)
      }
    },
  },
  {
    method: 'POST',
    path: paths.logout,
    access: 'anyone',
    async handle({ ctx, submitted, goTo }) {
      const returnTo = safeReturnTo(submitted(z.object({ return_to: returnToField })).data?.return_to)
      await finishSession(ctx, parts)
      if (returnTo === null) return goTo(paths.loggedOut)
      redirectToLogin(ctx, returnTo)
    },
  },
  {
    method: 'GET',
    path: paths.loggedOut,
    access: 'anyone',
    handle: ({ show }) => show(renderLoggedOut()),
  },
]

/**
 * Returns why the user has to log in, or null. When an application asks for access, the login form may lead to the application's address through
 * a chain of redirects, so the page's policy has to allow that address.
 */
async function loginNotice(ctx: Ctx, oauth: OAuth, returnTo: string | null): Promise<string | null> {
  if (returnTo?.startsWith(`${paths.device}?`) === true || returnTo === paths.device) return 'Log in to connect a device.'
  const outcome = await authorizeRequestOf(oauth, returnTo)
  if (outcome?.kind === 'redirect') allowFormTarget(ctx, outcome.location)
  if (outcome?.kind !== 'ask') return null
  allowFormTarget(ctx, outcome.request.redirectUri)
  return `Log in to connect ${outcome.request.application.name}.`
}
