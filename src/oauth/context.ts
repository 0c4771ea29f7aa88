import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import type { OAuthClientRecord } from '../core/model.ts'
import type { OAuthRecords } from '../records/oauth-records.ts'
import { OAuthError } from './errors.ts'
import type { ClientRegistry, ClientRequest, TokenAnswer } from './oauth.ts'

/** What the parts of the authorization server stand on. */
export interface OAuthContext {
  records: OAuthRecords
  clients: ClientRegistry
  clock: Clock
  log: Logger
  /** `--public-url` or the address listened on, without a slash at its end. Known once listening. */
  issuer(): string
}

/** One grant of the token endpoint: the client is authenticated, everything else is the grant's to check. */
export type Grant = (context: OAuthContext, client: OAuthClientRecord, fields: ClientRequest['fields']) => Promise<TokenAnswer>

/** Throws `invalid_request` naming the field that is missing. */
export function required(fields: ClientRequest['fields'], name: string): string {
  const value = fields[name]
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`)
  return value
}

/** The moment so many seconds from now. */
export function after(clock: Clock, seconds: number): Date {
  return new Date(clock.now().getTime() + seconds * 1000)
}
