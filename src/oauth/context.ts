import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import type { ApplicationRecord } from '../core/model.ts'
import type { OAuthPolicy } from '../core/oauth-policy.ts'
import type { OAuthRecords } from '../records/oauth.ts'
import { OAuthError } from './errors.ts'
import type { ApplicationRegistry, ApplicationRequest, TokenAnswer } from './oauth.ts'

/** What the parts of the authorization server need. */
export interface OAuthContext {
  records: OAuthRecords
  applications: ApplicationRegistry
  clock: Clock
  log: Logger
  /** Returns `--public-url` or the address the daemon listens on, without a slash at the end. Known only once the daemon listens. */
  issuer(): string
  policy: OAuthPolicy
  /** Null where the operator has not enabled them. */
  documents: ClientDocuments | null
}

/** Applications whose ID is the https address of a document about them (draft-ietf-oauth-client-id-metadata-document). */
export interface ClientDocuments {
  /** Returns the application, which is not stored yet. Throws OAuthError `invalid_client`, `invalid_redirect_uri` or `invalid_client_metadata`. */
  get(address: string): Promise<ApplicationRecord>
}

/** A grant of the token endpoint. The application is authenticated; the grant checks everything else. */
export type Grant = (
  context: OAuthContext,
  application: ApplicationRecord,
  fields: ApplicationRequest['fields'],
) => Promise<TokenAnswer>

/** Returns the field's value. Throws `invalid_request` if the field is missing. */
export function required(fields: ApplicationRequest['fields'], name: string): string {
  const value = fields[name]
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`)
  return value
}

/** Throws `unauthorized_client` if the application registered itself for other grants. */
export function requireGrant({ grantTypes }: Pick<ApplicationRecord, 'grantTypes'>, grantType: string): void {
  if (grantTypes === undefined || grantTypes.includes(grantType)) return
  throw new OAuthError('unauthorized_client', `The application is not registered for the grant ${grantType}.`)
}

/** Returns the time that many seconds from now. */
export function after(clock: Clock, seconds: number): Date {
  return new Date(clock.now().getTime() + seconds * 1000)
}
