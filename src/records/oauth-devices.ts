import type { GrantRecord, ProjectLimit, Scope } from '../core/model.ts'
import type { NewTokens } from './oauth-grants.ts'

/** Seconds that a poll that comes too soon adds to the interval (RFC 8628 section 3.5). */
export const SLOW_DOWN_SECONDS = 5

export interface DeviceRecord {
  clientId: string
  scopes: Scope[]
  /** Null until the user decides. */
  projectIds: ProjectLimit
  resource: string | null
  status: 'pending' | 'approved' | 'denied' | 'redeemed'
  userId: string | null
  expiresAt: Date
  intervalSeconds: number
  lastPolledAt: Date | null
}

/** Device codes (RFC 8628). The device code and the user code are both stored as hashes. */
export interface OAuthDevices {
  create(device: {
    deviceSha256: string
    userSha256: string
    clientId: string
    scopes: readonly Scope[]
    resource: string | null
    expiresAt: Date
    intervalSeconds: number
  }): Promise<void>
  /** Returns null when the device code is no longer pending or has expired. */
  findByUserCode(userSha256: string): Promise<DeviceRecord | null>
  /** Records the user's decision. Returns false when the device code is no longer pending or has expired. */
  decide(userSha256: string, decision: { userId: string; approve: boolean; projectIds: ProjectLimit }): Promise<boolean>
  /** Also returns device codes that are redeemed or expired, until a sweep deletes them. */
  find(deviceSha256: string): Promise<DeviceRecord | null>
  /** Records a poll. Returns true when it came before the interval was over; the interval then grows by `SLOW_DOWN_SECONDS`. */
  poll(deviceSha256: string): Promise<boolean>
  /**
   * Turns an approved device code into a grant with its first tokens, in one transaction. Returns null when it is not approved or
   * has expired.
   */
  redeem(deviceSha256: string, tokens: NewTokens): Promise<GrantRecord | null>
}
