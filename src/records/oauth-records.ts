import type { OAuthApplications } from './oauth-applications.ts'
import type { OAuthCodes } from './oauth-codes.ts'
import type { OAuthDevices } from './oauth-devices.ts'
import type { OAuthGrants } from './oauth-grants.ts'
import type { OAuthRegistrations } from './oauth-registrations.ts'

export type * from './oauth-applications.ts'
export type * from './oauth-codes.ts'
export type * from './oauth-devices.ts'
export type * from './oauth-grants.ts'
export type * from './oauth-registrations.ts'

/** Codes, tokens and secrets are kept this long after they expired, so that their late use gets a precise answer. */
export const KEEP_EXPIRED_MS = 24 * 60 * 60 * 1000

/**
 * What OAuth stores. Secrets, codes and tokens arrive as SHA-256 in hex. Using a code or token and what follows from it is one
 * transaction: of several attempts at the same time, one succeeds. The built-in application `docsearch-cli` is not in `applications`;
 * codes and grants name it all the same.
 */
export interface OAuthRecords {
  applications: OAuthApplications
  registrations: OAuthRegistrations
  codes: OAuthCodes
  grants: OAuthGrants
  devices: OAuthDevices
  /**
   * Deletes what expired more than `KEEP_EXPIRED_MS` ago: codes, device codes, tokens, secrets, and grants without tokens; and unused
   * registrations older than `KEEP_UNUSED_MS`.
   * Returns how many rows.
   */
  sweep(): Promise<number>
}
