import { randomBytes } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import type { Scope } from '../core/model.ts'
import { hashSecret } from '../core/secrets.ts'
import type { NewTokens } from '../records/oauth.ts'
import { after } from './context.ts'
import type { TokenAnswer } from './oauth.ts'

/** In seconds, as the interface specification defines them. */
export const LIFETIMES = { code: 600, access: 3600, refresh: 30 * 24 * 60 * 60, device: 600 } as const

/** Returns 256 random bits as 64 characters of hex, for a code or a token. */
export function newSecret(): string {
  return randomBytes(32).toString('hex')
}

/** Returns a new pair of tokens: what the records store, and the answer to the application. */
export function newTokens(clock: Clock, scopes: readonly Scope[]): { tokens: NewTokens; answer: TokenAnswer } {
  const [access, refresh] = [newSecret(), newSecret()]
  return {
    tokens: {
      access: { sha256: hashSecret(access), expiresAt: after(clock, LIFETIMES.access) },
      refresh: { sha256: hashSecret(refresh), expiresAt: after(clock, LIFETIMES.refresh) },
      scopes,
    },
    answer: {
      access_token: access,
      token_type: 'Bearer',
      expires_in: LIFETIMES.access,
      refresh_token: refresh,
      scope: scopes.join(' '),
    },
  }
}
