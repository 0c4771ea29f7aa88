import type { SessionRecord, User } from '../../core/model.ts'
import type { Ctx } from '../route.ts'
import type { Services } from '../services.ts'
import type { Middleware } from '../step.ts'
import { readCookie, writeCookie } from './cookies.ts'

/** Longer than any token of ours; more is not even looked at. */
const MOST_CHARACTERS = 512
/** The session's row says how long it is good, so the cookie may outlast it: 400 days is the most a browser keeps (RFC 6265bis section 5.5). */
const COOKIE_SECONDS = 400 * 24 * 60 * 60

export interface Login {
  /** What the cookie holds. */
  token: string
  session: SessionRecord
  user: User
}

/** Who is logged in, if anybody. The Authorization header counts for nothing on a page. */
export function loadSession(services: Services): Middleware {
  return async (ctx, next) => {
    const token = readCookie(ctx, services.http, 'session')
    const found = token === undefined || token.length > MOST_CHARACTERS ? null : await services.accounts.findSession(token)
    if (found !== null && token !== undefined) ctx.state.login = { ...found, token }
    await next()
  }
}

/**
 * Logs this browser in. Always a new session: one that was there before, by whomever, ends, so that nobody can plant one and have it raised
 * (session fixation).
 */
export async function beginSession(ctx: Ctx, services: Services, user: User): Promise<void> {
  const { accounts, http } = services
  const former = ctx.state.login
  const { token, session } = await accounts.startSession(user, {
    userAgent: ctx.get('User-Agent').slice(0, 300),
    address: ctx.ip,
  })
  if (former !== undefined) await accounts.endSession(former.user.id, former.session.id)
  ctx.state.login = { token, session, user }
  writeCookie(ctx, http, 'session', token, COOKIE_SECONDS)
  writeCookie(ctx, http, 'form', '', 0)
}

/** Logs this browser out; without a session there is nothing to do. */
export async function finishSession(ctx: Ctx, { accounts, http }: Services): Promise<void> {
  const { login } = ctx.state
  if (login !== undefined) await accounts.endSession(login.user.id, login.session.id)
  delete ctx.state.login
  writeCookie(ctx, http, 'session', '', 0)
}
