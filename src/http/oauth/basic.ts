import { OAuthError } from '../../oauth/errors.ts'
import type { ApplicationRequest } from '../../oauth/oauth.ts'

/**
 * Reads client credentials from HTTP Basic: form-encoded, then joined and encoded in base64 (RFC 6749 section 2.3.1). docsearch's ids and secrets
 * are the same with and without the first step, which some libraries leave out. Returns null for another scheme, or none: an access token that a
 * library adds to every request has no meaning here.
 */
export function basicCredentials(header: string): ApplicationRequest['basic'] {
  const encoded = /^basic +(\S*)$/i.exec(header.trimEnd())?.[1]
  if (encoded === undefined) return null
  const [, id, secret] = /^([^:]+):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? []
  if (id === undefined || secret === undefined) throw malformed()
  return { id: decode(id), secret: decode(secret) }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch (error) {
    if (error instanceof URIError) throw malformed()
    throw error
  }
}

function malformed(): OAuthError {
  return new OAuthError('invalid_client', 'The Authorization header is not HTTP Basic with a client ID and a secret.', {
    isBasicRefused: true,
  })
}
