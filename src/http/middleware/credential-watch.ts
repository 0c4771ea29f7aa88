import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { type CredentialWatch, visibleDocument } from '../../auth/credential-watch.ts'
import { Moment } from '../../core/moment.ts'
import type { Actor } from '../../services/access.ts'
import { fail } from '../problems/problems.ts'
import { connectionClosed, type Ctx, type Middleware, onceAborted } from '../routing/context.ts'

/** How long an answer that has begun may take to end cleanly. */
const GRACE_MS = 200
/** How many times as long the refusal of a request that is still arriving may take on a busy machine. */
const MAX_GRACES = 10

/**
 * Ends a request whose credential ends while it is answered. `clientGone` aborts, so whatever waits for the client ends. What has not been
 * answered becomes a 401, unless it may have changed something. A transfer that still runs after the grace is cut.
 */
export function watchCredential(watch: CredentialWatch): Middleware {
  return async (ctx, next) => {
    const { credential } = ctx.state
    if (credential === undefined) return next()
    const { ended, stop } = watch.watch(credential)
    onceAborted(connectionClosed(ctx), stop)
    onceAborted(ended, () => cutLater(ctx, MAX_GRACES))
    ctx.state.ended = ended
    try {
      await next()
    } catch (error) {
      throw ended.aborted ? credentialEnded() : error
    }
    if (ended.aborted && (ctx.method === 'GET' || ctx.method === 'HEAD')) throw credentialEnded()
  }
}

/** Looks the credential up again after the body has arrived, which can take long. Skips this if the body had arrived before the first lookup. */
export function recheckCredential(watch: CredentialWatch): Middleware {
  return async (ctx, next) => {
    await requireCredentialOnArrival(ctx, watch)
    await next()
  }
}

/** Throws `invalid_token` if the credential has ended before the whole request has arrived. */
export async function requireCredentialOnArrival(ctx: Ctx, watch: CredentialWatch): Promise<void> {
  if (ctx.state.arrived !== undefined) return
  const moment = new Moment()
  await moment.run(() => requireCredential(ctx, watch))
  ctx.state.arrived = moment
}

/** Throws `invalid_token` if the credential has ended since the request began. */
export async function requireCredential(ctx: Ctx, watch: CredentialWatch): Promise<void> {
  const { credential } = ctx.state
  if (credential !== undefined && !(await watch.isValid(credential))) throw credentialEnded()
}

/**
 * Ends an answer about a document when the actor may no longer see it: the user is no longer a member of its project, or the document was
 * moved or deleted for good. A browser or program would notice a shorter text or file by its length, so there is no cleaner end than
 * closing the connection.
 */
export function endWithSight(ctx: Ctx, watch: CredentialWatch, { userId, projectIds }: Actor, documentId: string): void {
  const { ended, stop } = watch.watch(visibleDocument(userId, projectIds, documentId))
  onceAborted(connectionClosed(ctx), stop)
  onceAborted(ended, () => {
    if (!ctx.res.writableFinished) reset(ctx.req.socket)
  })
}

/** Cuts the request after the grace, or when it has been refused. */
function cutLater(ctx: Ctx, graces: number): void {
  setTimeout(() => {
    const isRefused = ctx.req.complete || ctx.res.headersSent
    if (isRefused || graces <= 1) cut(ctx)
    else cutLater(ctx, graces - 1)
  }, GRACE_MS).unref()
}

/**
 * Closes the connection if the request is still arriving or its answer is being sent. An operation that has its whole request can
 * complete.
 */
function cut({ req, res }: Ctx): void {
  const isAnswering = res.headersSent && !res.writableFinished
  if (!req.complete) req.destroy()
  else if (isAnswering) reset(req.socket)
}

/**
 * Closes a connection and drops the data that it has not sent. After an ordinary close, the system would still send several
 * buffered megabytes, which a slow client would receive for minutes. Only TCP connections can be reset.
 */
function reset(socket: Socket): void {
  if (socket.remoteAddress === undefined) socket.destroy()
  else socket.resetAndDestroy()
}

function credentialEnded(): Error {
  return fail(
    'invalid_token',
    'The credential was revoked or expired before the request was answered. Log in again or create a new key.',
  )
}

/** Most clients send a body of up to this size right after the header. */
const SHORT_BYTES = 16_384

/** Returns the moment in which to look up the credential of a request. If the whole request has arrived, its later steps may use this moment too. */
export async function beginMoment(ctx: Ctx): Promise<Moment> {
  // Node passes the header on before it parses the rest. After this wait, it has finished a request without a body.
  await Promise.resolve()
  // Lets Node read a short body that is already there, which saves a query later. Doesn't wait for a body that is still on its way.
  if (!ctx.req.complete && (ctx.request.length ?? Infinity) <= SHORT_BYTES) await setImmediate()
  const moment = new Moment()
  if (ctx.req.complete) ctx.state.arrived = moment
  return moment
}

/** Runs work that sees every change that was committed before the request had arrived. Don't use it for work that polls for changes. */
export function sinceArrival<T>(ctx: Ctx, work: () => Promise<T>): Promise<T> {
  return (ctx.state.arrived ?? new Moment()).run(work)
}
