import { hashSecret } from '../../../core/secrets.ts'
import type { User } from '../../../core/model.ts'
import { actorOf } from '../../../services/access.ts'
import { beginMoment } from '../../middleware/arrival.ts'
import { callAsUser } from '../../middleware/caller.ts'
import type { Ctx, Middleware } from '../../routing/context.ts'
import type { Dependencies } from '../../dependencies.ts'
import { readCookie, writeCookie } from './cookies.ts'

/** Session tokens are shorter than this, so longer cookies are ignored. */
const MAX_CHARACTERS = 512
/** The session's row decides when the login ends, so the cookie may live longer. Browsers keep a cookie for at most 400 days (RFC 6265bis section 5.5). */
const COOKIE_SECONDS = 400 * 24 * 60 * 60

type Parts = Pick<Dependencies, 'accounts' | 'settings'>

/** Finds out who is logged in. The Authorization header has no effect on a page. */
export function loadSession({ accounts, settings }: Parts): Middleware {
  return async (ctx, next) => {
    const token = readCookie(ctx, settings, 'session')
    const moment = await beginMoment(ctx)
    const found =
      token === undefined || token.length > MAX_CHARACTERS ? null : await moment.run(() => accounts.findSession(token))
    if (found === null || token === undefined) return next()
    const { user, session } = found
    ctx.state.login = { ...found, token, actor: actorOf(user) }
    ctx.state.credential = { kind: 'session', key: hashSecret(token) }
    await callAsUser(ctx, user.id, { kind: 'session', id: session.id, name: null, lastFour: null }, next)
  }
}

/**
 * Logs this browser in with a new session, and ends the session it had. So nobody can plant a session and wait until its user logs in
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
}

/** Logs this browser out. */
export async function finishSession(ctx: Ctx, { accounts, settings }: Parts): Promise<void> {
  const { login } = ctx.state
  if (login !== undefined) await accounts.endSession(login.user.id, login.session.id)
  delete ctx.state.login
  writeCookie(ctx, settings, 'session', '', 0)
}
