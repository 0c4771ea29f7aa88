import type { Logger } from '../core/logger.ts'
import type { ApiKeyRecord, KeyScope, Principal, ProjectLimit } from '../core/model.ts'
import { hashSecret } from '../core/secrets.ts'
import type { OAuthApplications, OAuthGrants } from '../records/oauth.ts'

/** Checks one kind of credential: API keys or OAuth access tokens. */
export interface CredentialChecker {
  /** Returns null if the credential is of another kind, unknown, revoked or expired. */
  check(credential: string): Promise<Principal | null>
}

export interface Authenticator {
  /** Returns null if no checker accepts the credential. */
  authenticate(credential: string): Promise<Principal | null>
}

export interface ApiKeys extends CredentialChecker {
  /**
   * Creates a key. The key is returned only once; the records keep its SHA-256. services/access.ts decides who may create which key.
   */
  create(request: {
    ownerId: string
    name: string
    scopes: readonly KeyScope[]
    /** Default: no limit. */
    projectIds?: ProjectLimit
    expiresAt: Date | null
  }): Promise<{ key: string; record: ApiKeyRecord }>
}

/** Tries each kind of credential in turn. Routes don't know which kinds there are. */
export function createAuthenticator(checkers: readonly CredentialChecker[]): Authenticator {
  return {
    async authenticate(credential) {
      for (const checker of checkers) {
        const principal = await checker.check(credential)
        if (principal !== null) return principal
      }
      return null
    },
  }
}

const SHAPE = /^[0-9a-f]{64}$/

/** Checks OAuth access tokens. `applications` also has to know the built-in application. */
export function createAccessTokens(options: {
  grants: Pick<OAuthGrants, 'findAccess' | 'touch'>
  applications: Pick<OAuthApplications, 'get'>
  log: Logger
}): CredentialChecker {
  const { grants, applications, log } = options
  return {
    async check(credential) {
      if (!SHAPE.test(credential)) return null
      const token = await grants.findAccess(hashSecret(credential))
      if (token === null) return null
      const { grant, scopes, expiresAt } = token
      const application = await applications.get(grant.clientId)
      try {
        await grants.touch(grant.id)
      } catch (error) {
        // A search must still work when the disk is full, and "last used" is only a convenience.
        log.warn({ err: error }, 'could not record the use of an access token')
      }
      return {
        userId: grant.userId,
        // The application's owner may have removed a scope since the user allowed it.
        scopes: new Set(scopes.filter((scope) => application?.scopes.includes(scope))),
        projectIds: grant.projectIds && new Set(grant.projectIds),
        via: 'access_token',
        credentialId: grant.id,
        credentialName: application?.name ?? null,
        ...(grant.resource !== null && { resource: grant.resource }),
        expiresAt,
      }
    },
  }
}
