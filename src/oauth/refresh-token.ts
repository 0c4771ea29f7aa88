import { hkdfSync } from 'node:crypto'
import { openText, sealText } from '../core/sealed.ts'
import { hashSecret } from '../core/secrets.ts'
import type { TokenRecord } from '../records/oauth.ts'
import { type Grant, type OAuthContext, required } from './context.ts'
import { OAuthError } from './errors.ts'
import type { TokenAnswer } from './oauth.ts'
import { scopesWithin, stillRegistered, tokenResource } from './scopes.ts'
import { newTokens } from './tokens.ts'

/** After a refresh, the old token returns the same pair for this long, unless the pair was used. */
const GRACE_SECONDS = 30

/**
 * The refresh grant (RFC 6749 section 6) with rotation: a token works once, and its second use revokes its family (RFC 9700 section 4.14.2).
 * Two processes of an application may refresh at the same moment, and an answer may get lost, so `GRACE_SECONDS` are exempt.
 */
export const refreshToken: Grant = async (context, application, fields) => {
  const { records, clock, issuer } = context
  const sent = required(fields, 'refresh_token')
  const sha256 = hashSecret(sent)
  const token = await find(context, sha256)
  if (token === null || token.grant.clientId !== application.id) throw refused()
  if (token.isUsed) return repeat(context, token, sent)
  tokenResource(fields['resource'], token.grant.resource, issuer())
  // Asking for fewer scopes now does not reduce the grant: the next refresh starts from what the user agreed to.
  const allowed = stillRegistered(token.scopes, application)
  const scopes = fields['scope'] === undefined ? allowed : scopesWithin(fields['scope'], allowed)
  const { tokens, answer } = newTokens(clock, scopes)
  const sealed = sealAnswer(answer, sent)
  if ((await records.grants.refresh(sha256, application.id, { ...tokens, sealed })) !== null) return answer
  // Another request may have used the token in the meantime.
  const used = await find(context, sha256)
  if (used?.isUsed === true) return repeat(context, used, sent)
  throw refused()
}

/** Returns the answer of the first use, within the grace and while nobody has used it. Otherwise revokes the family. */
async function repeat(context: OAuthContext, token: TokenRecord, sent: string): Promise<TokenAnswer> {
  const { successor, grant } = token
  if (grant.revokedAt !== null || successor === null) return revokeFamily(context, token)
  const ageSeconds = (context.clock.now().getTime() - successor.at.getTime()) / 1000
  if (ageSeconds > GRACE_SECONDS) return revokeFamily(context, token)
  const answer = openAnswer(successor.sealed, sent)
  const next = await find(context, hashSecret(answer.refresh_token ?? ''))
  if (next === null || next.isUsed) return revokeFamily(context, token)
  return { ...answer, expires_in: answer.expires_in - Math.ceil(Math.max(0, ageSeconds)) }
}

async function find({ records }: OAuthContext, sha256: string): Promise<TokenRecord | null> {
  const token = await records.grants.findToken(sha256)
  return token?.kind === 'refresh' ? token : null
}

/** Either the application or a thief has the newer token, and docsearch can't tell which. */
async function revokeFamily({ records, log }: OAuthContext, { grant }: TokenRecord): Promise<never> {
  if (await records.grants.revoke(grant.id))
    log.warn({ client_id: grant.clientId, grant_id: grant.id }, 'a refresh token was used twice, so its family was revoked')
  throw refused()
}

function refused(): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'The refresh token is unknown, expired, already used, revoked, or belongs to another application.',
  )
}

/** Encrypts a token answer under a key that derives from the refresh token it replaces, which the database does not have. */
function sealAnswer(answer: TokenAnswer, refreshToken: string): string {
  return sealText(JSON.stringify(answer), keyOf(refreshToken))
}

/** Returns the answer. Throws if it was sealed under another token or changed since. */
function openAnswer(sealed: string, refreshToken: string): TokenAnswer {
  return JSON.parse(openText(sealed, keyOf(refreshToken))) as TokenAnswer
}

/** A token has 256 random bits, so it needs no salt and no slow hash. Its SHA-256, which is stored, does not give the key. */
function keyOf(refreshToken: string): Buffer {
  return Buffer.from(hkdfSync('sha256', refreshToken, '', 'docsearch refresh answer', 32))
}
