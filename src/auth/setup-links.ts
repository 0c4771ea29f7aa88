import { randomBytes } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import type { Records } from '../records/records.ts'
import { hashSecret } from './format.ts'

const LIFE_MS = 30 * 60 * 1000

export interface SetupLinks {
  /** A new link for this user; the ones before it end. `token` is returned this once, only its hash is kept. */
  issue(userId: string): Promise<{ token: string; expiresAt: Date }>
}

/** One-time links with which the first owner sets a password: 256 random bits, good for 30 minutes. */
export function createSetupLinks({ records, clock }: { records: Pick<Records, 'links'>; clock: Clock }): SetupLinks {
  return {
    async issue(userId) {
      const token = randomBytes(32).toString('base64url')
      const expiresAt = new Date(clock.now().getTime() + LIFE_MS)
      await records.links.revokeAll(userId)
      await records.links.create({ userId, purpose: 'setup', sha256: hashSecret(token), expiresAt })
      return { token, expiresAt }
    },
  }
}
