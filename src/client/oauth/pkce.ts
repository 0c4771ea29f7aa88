import { createHash, randomBytes } from 'node:crypto'

/** 256 bits from `[A-Za-z0-9_-]`: a state, or a code verifier (RFC 7636 section 4.1). */
export function randomText(): string {
  return randomBytes(32).toString('base64url')
}

/** S256 of RFC 7636 section 4.2. */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}
