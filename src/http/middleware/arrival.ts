import { setImmediate } from 'node:timers/promises'
import { Moment } from '../../core/moment.ts'
import type { Ctx } from '../routing/context.ts'

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
