import type Koa from 'koa'
import type { Operation } from '../../contract/operation.ts'
import type { Principal, SessionRecord, User } from '../../core/model.ts'
import type { Moment } from '../../core/moment.ts'
import type { Condition } from '../../auth/credential-watch.ts'
import type { Glance } from '../../services/instance.ts'
import type { Actor } from '../../services/access.ts'

/** What the steps of a request leave for the steps after them. */
export interface State {
  requestId: string
  /** The path of the public URL without the slash at its end; empty if it has none. Set by the first step. */
  basePath: string
  /** Routes of the API only: the scope that the route needs. A refusal names it. */
  access?: Operation['access']
  /** The path of the protected resource that the route belongs to, if that is not the whole instance. */
  resource?: string
  /** The accepted credential. */
  principal?: Principal
  /** On whose behalf the request is made. */
  actor?: Actor
  /** The credential or session of the request, for looking it up again. */
  credential?: Condition
  /** A moment that began after the whole request had arrived. The credential was valid in it. */
  arrived?: Moment
  /** Aborts when the credential ends before the answer is complete. */
  ended?: AbortSignal
  /** See `connectionClosed`. */
  closed?: AbortSignal
  /** The pattern of the route that took the request, for the log. */
  route?: string
  /** The path belongs to a page, so a person reads the answer, also when it is a refusal. */
  isPage?: boolean
  /** Pages only: who is logged in. */
  login?: Login
  /** Pages only: what the bar says about the instance. */
  glance?: Glance
  /** Pages only: the posted form. */
  form?: FormBody
  /** Pages only: the token for the forms of this answer, and the secret that it derives from. */
  csrf?: { secret: string; token: string }
  /** Pages only: the content of the form cookie. */
  formSecret?: string
  /** Pages only: the view shows a new secret, so its size must not depend on the secret. */
  hasSecret?: boolean
  /** Pages only: the address that shows the posted form again, after docsearch refused its token. */
  formAddress?: string
}

export interface Login {
  /** The content of the session cookie. */
  token: string
  session: SessionRecord
  user: User
  actor: Actor
}

export interface FormBody {
  csrf: string
  /** The other fields: a separate object without a prototype. */
  fields: Readonly<Record<string, readonly string[]>>
}

export type Ctx = Koa.ParameterizedContext<State>

/** One step in the chain that handles a request: one check, one file. */
export type Middleware = Koa.Middleware<State>

/** All requests share this reason, because creating an error with its stack would cost every request 30 µs. */
const CONNECTION_CLOSED = new DOMException('The connection was closed, or the answer is complete.', 'AbortError')

/** Returns a signal that aborts when the client has gone or has its answer. All steps of a request share this signal. */
export function connectionClosed(ctx: Ctx): AbortSignal {
  if (ctx.state.closed !== undefined) return ctx.state.closed
  const closed = new AbortController()
  if (ctx.res.closed) closed.abort(CONNECTION_CLOSED)
  else ctx.res.once('close', () => closed.abort(CONNECTION_CLOSED))
  ctx.state.closed = closed.signal
  return closed.signal
}

/** Calls `work` when the signal aborts, or now if it has aborted. */
export function onceAborted(signal: AbortSignal, work: () => void): void {
  if (signal.aborted) work()
  else signal.addEventListener('abort', work, { once: true })
}

/** Returns a signal that aborts when the client has gone or has its answer, or when its credential has ended. */
export function clientGone(ctx: Ctx): AbortSignal {
  const { ended } = ctx.state
  return ended === undefined ? connectionClosed(ctx) : AbortSignal.any([connectionClosed(ctx), ended])
}
