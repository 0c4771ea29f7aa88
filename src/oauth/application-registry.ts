import { randomBytes } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { DocsearchError } from '../core/errors.ts'
import { DEFAULT_SCOPES, SCOPES, type ApplicationRecord } from '../core/model.ts'
import type { AllowedCallbacks } from '../core/oauth-policy.ts'
import { hashSecret } from '../core/secrets.ts'
import type { OAuthApplications, OAuthRegistrations } from '../records/oauth.ts'
import { after } from './context.ts'
import type { ApplicationRegistry } from './oauth.ts'
import { checkRedirectUri } from './redirect-uri.ts'

const MAX_REDIRECT_URIS = 20
const MAX_NAME_LENGTH = 200
const DEFAULT_GRACE_SECONDS = 24 * 60 * 60

/** The applications that may ask for access: those that users or they themselves registered, and the built-in command line. */
export function createApplicationRegistry({
  records,
  registrations,
  callbacks,
  clock,
}: {
  records: OAuthApplications
  registrations: OAuthRegistrations
  callbacks: AllowedCallbacks
  clock: Clock
}): ApplicationRegistry {
  return {
    async create({ ownerId, name, type, redirectUris, scopes = DEFAULT_SCOPES }) {
      const secret = type === 'confidential' ? newSecret() : null
      const application = await records.create({
        ownerId,
        name: checkedName(name),
        type,
        redirectUris: checkedUris(redirectUris, callbacks),
        scopes,
        secret: secret === null ? null : stored(secret),
      })
      return { application, secret }
    },
    get: async (id) => (id === COMMAND_LINE.id ? COMMAND_LINE : ((await records.get(id)) ?? registrations.get(id))),
    list: (ownerId) => records.list(ownerId),
    async update(ownerId, id, { name, redirectUris, scopes }) {
      return records.update(ownerId, id, {
        ...(name !== undefined && { name: checkedName(name) }),
        ...(redirectUris !== undefined && { redirectUris: checkedUris(redirectUris, callbacks) }),
        ...(scopes !== undefined && { scopes }),
      })
    },
    async rotate(ownerId, id, graceSeconds = DEFAULT_GRACE_SECONDS) {
      const application = await records.get(id)
      if (application === null || application.ownerId !== ownerId) return null
      if (application.type === 'public')
        throw new DocsearchError('client_is_public', 'A public application has no secret to rotate.')
      const secret = newSecret()
      const oldUntil = after(clock, graceSeconds)
      const rotated = await records.rotate(ownerId, id, stored(secret), oldUntil)
      return rotated === null ? null : { application: rotated, secret, oldUntil }
    },
    delete: (ownerId, id) => records.delete(ownerId, id),
  }
}

/** Returns `dss_` and 256 random bits. Has only `[A-Za-z0-9_-]`, because some libraries percent-encode Basic credentials and some do not. */
function newSecret(): string {
  return `dss_${randomBytes(32).toString('base64url')}`
}

function stored(secret: string): { sha256: string; lastFour: string } {
  return { sha256: hashSecret(secret), lastFour: secret.slice(-4) }
}

/** Checks a name, which users see when they are asked for consent. */
export function checkedName(name: string): string {
  const trimmed = name.trim()
  if (trimmed !== '' && trimmed.length <= MAX_NAME_LENGTH && /^[^\p{Cc}]*$/u.test(trimmed)) return trimmed
  throw new DocsearchError(
    'invalid_name',
    `Give the application a name of 1 to ${MAX_NAME_LENGTH} characters, without control characters.`,
  )
}

/** Throws `too_many_redirect_uris` or `invalid_redirect_uri`. */
export function checkedUris(uris: readonly string[], allowed: AllowedCallbacks): string[] {
  if (uris.length > MAX_REDIRECT_URIS)
    throw new DocsearchError(
      'too_many_redirect_uris',
      `The application has ${uris.length} redirect addresses. The limit is ${MAX_REDIRECT_URIS}.`,
      { details: { limit: MAX_REDIRECT_URIS } },
    )
  for (const uri of uris) checkRedirectUri(uri, allowed)
  return [...new Set(uris)]
}

/** The command line. It is public, so it uses PKCE, and receives the redirect on a loopback port that it has just opened (RFC 8252). */
const COMMAND_LINE: ApplicationRecord = {
  id: 'docsearch-cli',
  ownerId: null,
  name: 'docsearch command line',
  type: 'public',
  redirectUris: ['http://127.0.0.1/callback', 'http://[::1]/callback', 'http://localhost/callback'],
  scopes: [...SCOPES],
  createdAt: new Date(0),
  updatedAt: new Date(0),
  secrets: [],
}

/** True for an application that registered itself, under a name that nobody checked. */
export function isSelfRegistered({ id, ownerId }: Pick<ApplicationRecord, 'id' | 'ownerId'>): boolean {
  return ownerId === null && id !== COMMAND_LINE.id
}
