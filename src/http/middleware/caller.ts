import { callAs, type CallerCredential } from '../../core/caller.ts'
import type { Principal } from '../../core/model.ts'
import type { Ctx, Middleware } from '../routing/context.ts'

/** Runs the rest of the request on behalf of its address. Later steps find out who the caller is. */
export function anonymousCaller(): Middleware {
  return (ctx, next) => callAs({ userId: null, address: ctx.request.ip, credential: null }, next)
}

/** Runs the rest of the request on behalf of a user. */
export function callAsUser<T>(ctx: Ctx, userId: string, credential: CallerCredential, work: () => T): T {
  return callAs({ userId, address: ctx.request.ip, credential }, work)
}

export function credentialOf({ via, credentialId, credentialName, credentialLastFour }: Principal): CallerCredential {
  const kind = via === 'api_key' ? 'key' : 'application'
  return { kind, id: credentialId, name: credentialName, lastFour: credentialLastFour ?? null }
}
