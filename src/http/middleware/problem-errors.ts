import type { IncomingMessage } from 'node:http'
import type { Problem } from '../../contract/common.ts'
import type { Operation } from '../../contract/operation.ts'
import type { Logger } from '../../core/logger.ts'
import type { KeyScope } from '../../core/model.ts'
import { networkOf } from '../../core/network.ts'
import { RateCounter } from '../../core/rate-counter.ts'
import { toProblem } from '../problems/problems.ts'
import type { Ctx, Middleware } from '../routing/context.ts'

/** Shows an error to a person in a browser. Handed in, so that middleware/ doesn't import from web/. */
interface ErrorPages {
  wantsPage(ctx: Ctx): boolean
  showErrorPage(ctx: Ctx, problem: Problem): void
}

/** Turns every error of the later steps into an RFC 9457 answer, or into an error page. Logs the errors that are the instance's fault. */
export function problemErrors(log: Logger, baseUrl: () => string, pages: ErrorPages): Middleware {
  const drain = drainer()
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const { problem, headers } = toProblem(error, ctx.state.requestId, baseUrl())
      if (problem.status >= 500 && !ctx.res.closed)
        log.error({ request_id: ctx.state.requestId, route: ctx.state.route, err: error }, 'request failed')
      for (const [name, value] of Object.entries(headers)) ctx.set(name, value)
      const authenticate = challenge(problem, ctx.state.access, { baseUrl: baseUrl(), path: ctx.state.resource ?? '' })
      if (authenticate !== null) ctx.set('WWW-Authenticate', authenticate)
      if (pages.wantsPage(ctx)) pages.showErrorPage(ctx, problem)
      else showProblem(ctx, problem)
      ctx.set('Cache-Control', 'no-store')
      ctx.remove('Content-Disposition')
    } finally {
      // A client that is still sending must be able to read why it was refused.
      drain(ctx)
    }
  }
}

function showProblem(ctx: Ctx, problem: Problem): void {
  ctx.status = problem.status
  ctx.body = JSON.stringify(problem)
  ctx.type = 'application/problem+json'
}

type Access = Operation['access'] | undefined

const RESOURCE_METADATA = '/.well-known/oauth-protected-resource'

/**
 * Returns the WWW-Authenticate header for a refusal (RFC 6750 section 3), with the address of the metadata (RFC 9728 section 5.1)
 * and the scope that the operation needs, so that an application asks its user only for this scope. The header has no error code
 * when no credential was sent. Returns null for a refusal that has nothing to do with credentials.
 */
function challenge(problem: Problem, access: Access, resource: { baseUrl: string; path: string }): string | null {
  const error = errorOf(problem, access)
  if (error === null) return null
  const fields = { realm: 'docsearch', ...error, resource_metadata: `${resource.baseUrl}${RESOURCE_METADATA}${resource.path}` }
  return `Bearer ${Object.entries(fields)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`
}

function errorOf({ code, ...details }: Problem, access: Access): Record<string, string> | null {
  const scope = neededScope(access)
  if (code === 'unauthorized') return { scope }
  if (code === 'invalid_token')
    return { error: 'invalid_token', error_description: 'unknown, revoked, expired or for another resource', scope }
  if (code === 'insufficient_scope') return { error: 'insufficient_scope', scope: String(details['scope']) }
  return null
}

/** Returns the scope that is enough for the operation. If any credential is enough, returns the scope that allows least. */
function neededScope(access: Access): KeyScope {
  return access === undefined || access === 'public' || access === 'optional' || access === 'any' ? 'read:documents' : access
}

const MAX_BYTES = 64_000_000
/** The time that nginx gives such a client by default (lingering_time). */
const MAX_MS = 30_000
/**
 * Pieces of refused bodies that one address without a credential may send a minute. A piece has at most 64 kB, so one body of
 * `MAX_BYTES` fits.
 */
const MAX_ANONYMOUS_PIECES = 1_000

/**
 * Returns a function that reads and drops what a client still sends after its request was answered. Closing a connection with
 * unread bytes resets it, and the client would never see the answer. Cuts off a client that sends more than `MAX_BYTES` or for
 * longer than `MAX_MS`. Also cuts off a client without an accepted credential if its address has used up its pieces, because
 * reading costs about 3 ms for each megabyte.
 */
export function drainer({ maxAnonymousPieces = MAX_ANONYMOUS_PIECES } = {}): (ctx: Ctx) => void {
  const anonymous = new RateCounter({ limit: maxAnonymousPieces, seconds: 60 })
  return (ctx) => {
    const { principal, login } = ctx.state
    const network = principal === undefined && login === undefined ? networkOf(ctx.ip) : null
    drain(ctx.req, (bytes) => bytes > MAX_BYTES || (network !== null && anonymous.take(network).isOver))
  }
}

function drain(request: IncomingMessage, isTooMuch: (bytes: number) => boolean): void {
  if (request.complete || request.destroyed || request.readableFlowing === true) return
  const late = setTimeout(() => request.destroy(), MAX_MS)
  const stop = () => clearTimeout(late)
  request.once('end', stop).once('close', stop)
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (isTooMuch(bytes)) request.destroy()
  })
  request.on('error', () => {
    // The client has gone, so the error has no reader.
  })
  request.resume()
}
