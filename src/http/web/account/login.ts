import { z } from 'zod'
import { DocsearchError } from '../../../core/errors.ts'
import type { OAuth } from '../../../oauth/oauth.ts'
import { renderLoggedOut, renderLogin } from '../../../pages/account/login.tsx'
import { paths } from '../../../pages/paths.ts'
import type { Dependencies } from '../../dependencies.ts'
import { authorizeRequestOf } from './authorize.ts'
import { loginPath, redirectToLogin, returnToApplication, type View, type ViewCall, safeReturnTo } from '../routing/page.ts'
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
    async handle({ ctx, visitor, csrf, show, goTo }) {
      const sent = ctx.query['return_to']
      const returnTo = safeReturnTo(typeof sent === 'string' ? sent : undefined)
      if (visitor !== null) return goTo(returnTo === null ? paths.home : withPassageAnchor(returnTo))
      show(renderLogin({ csrf, returnTo, email: '', failure: null, notice: await loginNotice(parts.oauth, returnTo) }))
    },
  },
  {
    method: 'POST',
    path: paths.login,
    access: 'anyone',
    isBeforeLogin: true,
    formAddress: (field) => loginPath(field('return_to')),
    async handle(call) {
      const { ctx, csrf, visitor, submitted, show } = call
      const { data } = submitted(loginForm)
      const { email = '', password = '', return_to } = data ?? {}
      const returnTo = safeReturnTo(return_to)
      const again = { csrf, returnTo, email, notice: await loginNotice(parts.oauth, returnTo) }
      try {
        const user = await parts.accounts.logIn({ email, password, address: ctx.ip })
        if (user === null) return show(renderLogin({ ...again, failure: 'wrong' }), 422)
        // The user may have logged in in another tab meanwhile. A new session would invalidate the forms of that tab.
        if (user.id !== visitor?.user.id) await beginSession(ctx, parts, user)
        await goOn(call, parts.oauth, returnTo)
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

/** Continues to the address that the user wanted to open before the login. */
async function goOn(call: ViewCall, oauth: OAuth, returnTo: string | null): Promise<void> {
  const outcome = await authorizeRequestOf(oauth, returnTo)
  // The authorization endpoint would redirect to the application as part of the login form's navigation.
  if (outcome?.kind === 'redirect') returnToApplication(call, outcome.location)
  else call.goTo(returnTo === null ? paths.home : withPassageAnchor(returnTo))
}

/** A browser keeps the part of a link after `#` to itself, and the form of the login loses it. */
function withPassageAnchor(address: string): string {
  const { pathname, searchParams } = new URL(address, 'http://origin.invalid')
  const isDocument = /^\/documents\/[^/]+$/.test(pathname)
  return isDocument && searchParams.has('passage') ? `${address}#${paths.passageAnchor}` : address
}

/** Returns why the user has to log in, or null. */
async function loginNotice(oauth: OAuth, returnTo: string | null): Promise<string | null> {
  if (returnTo?.startsWith(`${paths.device}?`) === true || returnTo === paths.device) return 'Log in to connect a device.'
  const outcome = await authorizeRequestOf(oauth, returnTo)
  return outcome?.kind === 'ask' ? `Log in to connect ${outcome.request.application.name}.` : null
}
