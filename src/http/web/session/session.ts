import type { User } from '../../../core/model.ts'
import { actorOf } from '../../../services/access.ts'
import type { Ctx, Middleware } from '../../routing/context.ts'
import type { Dependencies } from '../../dependencies.ts'
import { readCookie, writeCookie } from './cookies.ts'

/** Longer than any token of ours; more is not even looked at. */
const MOST_CHARACTERS = 512
/** The session's row says how long it is good, so the cookie may outlast it: 400 days is the most a browser keeps (RFC 6265bis section 5.5). */
const COOKIE_SECONDS = 400 * 24 * 60 * 60

type Parts = Pick<Dependencies, 'accounts' | 'settings'>

/** Who is logged in, if anybody. The Authorization header counts for nothing on a page. */
export function loadSession({ accounts, settings }: Parts): Middleware {
  return async (ctx, next) => {
    const token = readCookie(ctx, settings, 'session')
    const found = token === undefined || token.length > MOST_CHARACTERS ? null : await accounts.findSession(token)
    if (found !== null && token !== undefined) ctx.state.login = { ...found, token, actor: actorOf(found.user) }
    await next()
  }
}

/**
 * Logs this browser in. Always a new session: one that was there before, by whomever, ends, so that nobody can plant one and have it raised
 * (session fixation).
 */
export async function beginSession(ctx: Ctx, { accounts, settings }: Parts, user: User): Promise<void> {
  const former = ctx.state.login
  const { token, session } = await accounts.startSession(user, {
    userAgent: ctx.get('User-Agent').slice(0, 300),
    address: ctx.ip,
  })
  if (former !== undefined) await accounts.endSession(former.user.id, former.session.id)
  ctx.state.login = { token, session, user, actor: actorOf(user) }
  writeCookie(ctx, settings, 'session', token, COOKIE_SECONDS)
  writeCookie(ctx, settings, 'form', '', 0)
}

/** Logs this browser out; without a session there is nothing to do. */
export async function finishSession(ctx: Ctx, { accounts, settings }: Parts): Promise<void> {
  const { login } = ctx.state
  if (login !== undefined) await accounts.endSession(login.user.id, login.session.id)
  delete ctx.state.login
  writeCookie(ctx, settings, 'session', '', 0)
}
