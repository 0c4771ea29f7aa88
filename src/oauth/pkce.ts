import { createHash, timingSafeEqual } from 'node:crypto'
import type { OAuthClientRecord } from '../core/model.ts'
import { OAuthError } from './errors.ts'

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/

/** The S256 challenge of an authorization request (RFC 7636 section 4.3). Null where there is none, which only a confidential client may do. */
export function requestedChallenge(
  sent: { challenge: string | undefined; method: string | undefined },
  client: Pick<OAuthClientRecord, 'type'>,
): string | null {
  const { challenge, method } = sent
  if (challenge === undefined) {
    if (method !== undefined)
      throw new OAuthError('invalid_request', 'code_challenge_method is there, code_challenge is missing.')
    if (client.type === 'public')
      throw new OAuthError('invalid_request', 'code_challenge is missing: a public client has to use PKCE with S256.')
    return null
  }
  // Without a method it would be plain, which keeps nothing secret.
  if (method !== 'S256') throw new OAuthError('invalid_request', 'code_challenge_method has to be S256.')
  if (!CHALLENGE.test(challenge))
    throw new OAuthError('invalid_request', 'code_challenge is not a SHA-256 in base64url, which has 43 characters.')
  return challenge
}

/** RFC 7636 section 4.6. A verifier without a challenge is refused too: somebody took the challenge out of the request (RFC 9700 section 4.8.2). */
export function checkVerifier(verifier: string | undefined, challenge: string | null): void {
  if (verifier === undefined && challenge === null) return
  if (verifier === undefined)
    throw new OAuthError('invalid_grant', 'code_verifier is missing: the code was asked for with a code_challenge.')
  if (challenge === null)
    throw new OAuthError('invalid_grant', 'code_verifier is there, but the code was asked for without a code_challenge.')
  if (!VERIFIER.test(verifier))
    throw new OAuthError('invalid_request', 'code_verifier has to have 43 to 128 characters of A-Z a-z 0-9 - . _ ~.')
  const made = createHash('sha256').update(verifier).digest('base64url')
  if (!timingSafeEqual(Buffer.from(made), Buffer.from(challenge)))
    throw new OAuthError('invalid_grant', 'code_verifier does not belong to the code_challenge.')
}
