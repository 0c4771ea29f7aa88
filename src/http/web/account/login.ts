import { z } from 'zod'
import { DocsearchError } from '../../../core/errors.ts'
import type { OAuth } from '../../../oauth/oauth.ts'
import { type LoginProps, renderLoggedOut, renderLogin } from '../../../pages/account/login.tsx'
import { paths } from '../../../pages/paths.ts'
import type { Dependencies } from '../../dependencies.ts'
import { authorizeRequestOf } from './authorize.ts'
import { allowFormsTo, loginPath, redirectToLogin, type View, type ViewCall, safeReturnTo } from '../routing/page.ts'
import { beginSession, finishSession } from '../session/session.ts'

const returnToField = z.string().optional()
/** Missing fields get the same answer as wrong ones. */
const loginForm = z.object({ email: z.string().default(''), password: z.string().default(''), return_to: returnToField })

type Parts = Pick<Dependencies, 'accounts' | 'oauth' | 'settings'>

export const loginPages = (parts: Parts): View[] => [
  {
    method: 'GET',
    path: paths.login,
    access: 'anyone',
    isBeforeLogin: true,
    async handle(call) {
      const { ctx, visitor, goTo } = call
      const sent = ctx.query['return_to']
      const returnTo = safeReturnTo(typeof sent === 'string' ? sent : undefined)
      if (visitor !== null) return goTo(returnTo === null ? paths.home : withPassageAnchor(returnTo))
      await showLogin(call, parts.oauth, { returnTo, email: '', failure: null })
    },
  },
  {
    method: 'POST',
    path: paths.login,
    access: 'anyone',
    isBeforeLogin: true,
    formAddress: (field) => loginPath(field('return_to')),
    async handle(call) {
      const { ctx, visitor, submitted, goTo } = call
      const { data } = submitted(loginForm)
      const { email = '', password = '', return_to } = data ?? {}
      const returnTo = safeReturnTo(return_to)
      const again = { returnTo, email }
      try {
        const user = await parts.accounts.logIn({ email, password, address: ctx.ip })
        if (user === null) return await showLogin(call, parts.oauth, { ...again, failure: 'wrong' }, 422)
        // The user may have logged in in another tab meanwhile. A new session would invalidate the forms of that tab.
        if (user.id !== visitor?.user.id) await beginSession(ctx, parts, user)
        goTo(returnTo === null ? paths.home : withPassageAnchor(returnTo))
      } catch (error) {
        if (!(error instanceof DocsearchError) || error.code !== 'too_many_failures') throw error
        const seconds = Math.ceil(error.retryAfter ?? 60)
        ctx.set('Retry-After', String(seconds))
        await showLogin(call, parts.oauth, { ...again, failure: { waitMinutes: Math.ceil(seconds / 60) } }, 429)
      }
    },
  },
  {
    method: 'POST',
    path: paths.logout,
    access: 'anyone',
    formAddress: (field) => (field('return_to') === '' ? paths.loggedOut : field('return_to')),
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
    handle: ({ visitor, show, goTo }) => (visitor === null ? show(renderLoggedOut()) : goTo(paths.home)),
  },
]

/** A browser keeps the part of a link after `#` to itself, and the form of the login loses it. */
function withPassageAnchor(address: string): string {
  const { pathname, searchParams } = new URL(address, 'http://origin.invalid')
  const isDocument = /^\/documents\/[^/]+$/.test(pathname)
  return isDocument && searchParams.has('passage') ? `${address}#${paths.passageAnchor}` : address
}

/** Says why the user has to log in, if an application or a device asks for access. */
async function showLogin(
  { ctx, csrf, show }: ViewCall,
  oauth: OAuth,
  { returnTo, ...props }: Pick<LoginProps, 'returnTo' | 'email' | 'failure'>,
  status = 200,
): Promise<void> {
  const outcome = await authorizeRequestOf(oauth, returnTo)
  const isForDevice = returnTo === paths.device || returnTo?.startsWith(`${paths.device}?`) === true
  const application = outcome?.kind === 'ask' ? outcome.request.application.name : isForDevice ? 'a device' : null
  // After the login, the authorization endpoint may redirect to the application, as part of the navigation of this form.
  const location = outcome?.kind === 'redirect' || outcome?.kind === 'page' ? outcome.location : null
  if (location !== null) allowFormsTo(ctx, location)
  show(renderLogin({ ...props, csrf, returnTo, notice: application && `Log in to connect ${application}.` }), status)
}
