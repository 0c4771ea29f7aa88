import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import type { OAuthPolicy } from '../core/oauth-policy.ts'
import type { Records } from '../records/records.ts'
import { createAuthorize } from './authorize.ts'
import { createApplicationRegistry } from './application-registry.ts'
import { createClientDocuments, type FetchDocument } from './client-documents.ts'
import { createConnections } from './connections.ts'
import type { OAuthContext } from './context.ts'
import { createDevice } from './device.ts'
import { resourceMetadata, serverMetadata } from './discovery.ts'
import { OAuthError } from './errors.ts'
import { introspect, revoke } from './own-tokens.ts'
import type { OAuth } from './oauth.ts'
import { register } from './register.ts'
import { token } from './token.ts'

/** Creates the authorization server. `issuer` is a function, because the address is known only once the daemon listens. */
export function createOAuth(options: {
  records: Pick<Records, 'oauth'>
  clock: Clock
  log: Logger
  issuer: () => string
  policy: OAuthPolicy
  /** For tests, whose documents are on no public address. */
  fetchDocument?: FetchDocument | undefined
}): OAuth {
  const { clock, issuer, policy } = options
  const records = options.records.oauth
  const applications = createApplicationRegistry({
    records: records.applications,
    registrations: records.registrations,
    callbacks: policy.callbacks,
    clock,
  })
  const log = options.log.child({ part: 'oauth' })
  const documents = policy.clientDocuments
    ? createClientDocuments({ callbacks: policy.callbacks, clock, log, fetchDocument: options.fetchDocument })
    : null
  const context: OAuthContext = { records, applications, documents, clock, issuer, policy, log }
  return {
    applications,
    authorize: createAuthorize(context),
    token: (request) => token(context, request),
    revoke: (request) => revoke(context, request),
    introspect: (request) => introspect(context, request),
    async register(registration) {
      if (!policy.canRegister)
        throw new OAuthError('access_denied', 'Applications cannot register themselves here. Ask a user to register it.', {
          status: 403,
        })
      return register(context, registration)
    },
    device: createDevice(context),
    connections: createConnections(context),
    serverMetadata: () => serverMetadata(issuer(), policy),
    resourceMetadata: (path) => resourceMetadata(issuer(), path),
  }
}
