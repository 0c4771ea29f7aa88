import { createHash, timingSafeEqual } from 'node:crypto'
import type { ApplicationRecord } from '../core/model.ts'
import { OAuthError } from './errors.ts'

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/

/** Returns the S256 challenge of an authorization request (RFC 7636 section 4.3), or null: only a confidential application may leave it out. */
export function requestedChallenge(
  sent: { challenge: string | undefined; method: string | undefined },
  application: Pick<ApplicationRecord, 'type'>,
): string | null {
  const { challenge, method } = sent
  if (challenge === undefined) {
    if (method !== undefined)
      throw new OAuthError('invalid_request', 'code_challenge_method needs a code_challenge, which is missing.')
    if (application.type === 'public')
      throw new OAuthError('invalid_request', 'code_challenge is missing. A public application must use PKCE with S256.')
    return null
  }
  // Without a method it would be plain, which protects nothing.
  if (method !== 'S256') throw new OAuthError('invalid_request', 'code_challenge_method must be S256.')
  if (!CHALLENGE.test(challenge))
    throw new OAuthError('invalid_request', 'code_challenge must be a SHA-256 in base64url, which has 43 characters.')
  return challenge
}

/** RFC 7636 section 4.6. Also refuses a verifier without a challenge, because an attacker may have removed the challenge (RFC 9700 section 4.8.2). */
export function checkVerifier(verifier: string | undefined, challenge: string | null): void {
  if (verifier === undefined && challenge === null) return
  if (verifier === undefined)
    throw new OAuthError('invalid_grant', 'code_verifier is missing: the authorization request had a code_challenge.')
  if (challenge === null)
    throw new OAuthError('invalid_grant', 'code_verifier was sent, but the authorization request had no code_challenge.')
  if (!VERIFIER.test(verifier))
    throw new OAuthError('invalid_request', 'code_verifier must have 43 to 128 characters of A-Z a-z 0-9 - . _ ~.')
  const made = createHash('sha256').update(verifier).digest('base64url')
  if (!timingSafeEqual(Buffer.from(made), Buffer.from(challenge)))
    throw new OAuthError('invalid_grant', 'code_verifier does not match the code_challenge.')
}
