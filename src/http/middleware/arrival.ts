import { setImmediate } from 'node:timers/promises'
import { Moment } from '../../core/moment.ts'
import type { Ctx } from '../routing/context.ts'

/** Most clients send a body of this size right after the header. */
const SHORT_BYTES = 16_384

/** Returns the moment in which to look up the credential of a request. If the whole request has arrived, its later steps may use this moment too. */
export async function beginMoment(ctx: Ctx): Promise<Moment> {
  // Node hands over the header before it reads on. It has read a request without a body when this function goes on.
  await Promise.resolve()
  // A body that is there already costs no further question to the database. This waits for no other body.
  if (!ctx.req.complete && (ctx.request.length ?? Infinity) <= SHORT_BYTES) await setImmediate()
  const moment = new Moment()
  if (ctx.req.complete) ctx.state.arrived = moment
  return moment
}

/** Runs work that sees every change that was committed before the request had arrived. Not for work that asks again and again. */
export function sinceArrival<T>(ctx: Ctx, work: () => Promise<T>): Promise<T> {
  return (ctx.state.arrived ?? new Moment()).run(work)
}
