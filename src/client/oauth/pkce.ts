import { createHash, randomBytes } from 'node:crypto'

/** Returns 256 random bits as `[A-Za-z0-9_-]`, for a state or a code verifier (RFC 7636 section 4.1). */
export function randomText(): string {
  return randomBytes(32).toString('base64url')
}

/** Returns the S256 challenge of a verifier (RFC 7636 section 4.2). */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}
